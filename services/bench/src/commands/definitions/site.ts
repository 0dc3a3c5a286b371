import { InvalidArgumentError } from "commander";
import { command } from "./command.ts";
import type { Define } from "./command.ts";

export interface SiteArguments {
  directory: string;
  /** with a slash at its end */
  url?: string;
}

export const site: Define = (program, call) =>
  command(
    program,
    "site",
    "Build a website of all published runs",
    "Build a website of all published runs: the index with its filters, findings, claims, and the HTML report of each run. An earlier site in DIR is replaced.",
  )
    .argument("<DIR>", "a folder inside the project: new, empty, or an earlier site")
    .option("--url <URL>", "Name its future address, which previews of links need", address)
    .action((directory, { url }) => {
      const wanted = { directory, ...(url && { url }) };
      return call("site", wanted, async (tools) => {
        await (await import("../site.ts")).site(tools.directory, wanted, tools.say);
        return 0;
      });
    });

function address(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError("Expected an address such as https://example.org/bench/.");
  return url.href.replace(/\/*$/, "/");
}
