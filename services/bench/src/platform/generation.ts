/**
 * The folder that tells a proxy the number of its configuration. It is mounted into the proxy's
 * container; what it holds in battles that change no configuration is nothing, and the proxy then
 * has no answer to GET /.generation.
 */
import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export class GenerationFolder {
  path: string;

  /**
   * Makes it, empty. The engine would make it for root alone.
   *
   * @param directory the project's, which the engine can mount
   * @param project name of the Compose project
   */
  constructor(directory: string, project: string) {
    this.path = join(directory, ".bench", "generation", project);
    mkdirSync(this.path, { recursive: true });
    this.clear();
    // Whatever mask the caller has: proxies run as users of their own.
    chmodSync(this.path, 0o755);
  }

  /**
   * For Compose. It must stay the same for as long as the project lives, or Compose makes
   * the containers again.
   */
  get env() {
    return { GENERATION_FOLDER: this.path };
  }

  /**
   * Takes effect when the proxy starts or reloads. The folder itself stays: a container that has it
   * mounted would see another no more.
   *
   * @param generation of proxy.json; null: the proxy cannot tell, and nothing is written
   */
  write(generation: { file: string; text: string } | null, number: number) {
    this.clear();
    if (!generation) return;
    const file = join(this.path, generation.file);
    writeFileSync(file, `${generation.text.replaceAll("{generation}", String(number))}\n`);
    chmodSync(file, 0o644);
  }

  /** As it is for battles that change no configuration. */
  clear() {
    for (const file of readdirSync(this.path)) rmSync(join(this.path, file));
  }

  remove() {
    rmSync(this.path, { recursive: true, force: true });
  }
}
