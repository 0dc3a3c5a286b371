/**
 * What cAdvisor answers itself; most of what it knows it writes to InfluxDB.
 */

/** Its address for containers in the project's network. */
export const CADVISOR_URL = "http://cadvisor:8080";

/**
 * @param url of cAdvisor
 * @param container name
 * @returns name and tag of its image; empty: not told within 5 s
 */
export async function imageOf(url: string, container: string): Promise<string> {
  try {
    const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(5000) });
    const line = (await response.text())
      .split("\n")
      .find((text) => text.includes(`name="${container}"`) && text.includes('image="'));
    return line?.match(/image="([^"]*)"/)?.[1] ?? "";
  } catch {
    return "";
  }
}
