import { connect, requestRaw } from "./connect.ts";
import { ensure } from "./mismatch.ts";
import { RELOAD_OF_FILES } from "./reload-checks.ts";
import { REQUEST_CHECKS } from "./request-checks.ts";
import type { Check } from "./checks.ts";

/**
 * The files that every file server has (services/node-web/src/content.js, proxies/write-files.sh),
 * by their size in bytes.
 */
const SIZES = [12, 2216, 4879, 30192, 786432];
const TEXT = "Hello world\n";

const REQUESTS = 3;

const HEALTH_CHECK = REQUEST_CHECKS.find(({ id }) => id === "plain-http") as Check;

/** What a file server must do. */
export const FILE_CHECKS: Check[] = [
  HEALTH_CHECK,
  ...SIZES.map((bytes) => contentCheck(`file-${bytes}`, `/files/${bytes}`, bytes)),
  closeCheck("/files/12"),
  {
    id: "file-missing",
    title: "missing file refused",
    expected: "status 404",
    async run(target) {
      const { status } = await requestRaw(target, {}, { path: "/files/13" });
      ensure(status === 404, `status ${status}`);
      return `status ${status}`;
    },
  },
  RELOAD_OF_FILES,
];

/** What a server must do that answers the same to everything. */
export const HELLO_CHECKS: Check[] = [
  contentCheck("hello", "/any/path", TEXT.length),
  closeCheck("/"),
];

function contentCheck(id: string, path: string, bytes: number): Check {
  return {
    id,
    title: `${path} answered whole, ${REQUESTS} times over one connection`,
    expected: `status 200, Content-Length: ${bytes} and the right bytes`,
    async run(target) {
      const socket = await connect(target);
      const content = TEXT.repeat(Math.ceil(bytes / TEXT.length)).slice(0, bytes);
      for (let request = 1; request <= REQUESTS; request++) {
        const { status, headers, body } = await requestRaw(target, {}, { path, socket });
        const length = headers.get("content-length");
        const actual = `status ${status}, Content-Length: ${length}, ${body.length} bytes`;
        ensure(status === 200 && length === String(bytes), `${actual} at request ${request}`);
        ensure(body === content, `${actual} that are not the right ones at request ${request}`);
      }
      return `so at ${REQUESTS} requests`;
    },
  };
}

function closeCheck(path: string): Check {
  return {
    id: "close",
    title: "connection closed after the answer where the client asks for it",
    expected: "an answer, then the end of the connection",
    async run(target) {
      const socket = await connect(target);
      const { status } = await requestRaw(target, { Connection: "close" }, { path, socket });
      ensure(status === 200, `status ${status}`);
      let more = 0;
      for await (const chunk of socket) more += chunk.length;
      ensure(more === 0, `${more} bytes more after the answer`);
      return "closed after the answer";
    },
  };
}
