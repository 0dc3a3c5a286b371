import { connect, requestRaw } from "./connect.js";
import { ensure } from "./mismatch.js";
import { RELOAD_OF_FILES } from "./reload-checks.js";
import { REQUEST_CHECKS } from "./request-checks.js";

/** @import { Check } from "./checks.js" */

/** The files that every file server has (services/node-web/src/content.js, proxies/write-files.sh), by their size in bytes. */
const SIZES = [12, 2216, 4879, 30192, 786432];
const TEXT = "Hello world\n";

const REQUESTS = 3;

const HEALTH_CHECK = /** @type {Check} */ (REQUEST_CHECKS.find(({ id }) => id === "plain-http"));

/** What a file server must do. */
/** @type {Check[]} */
export const FILE_CHECKS = [
  HEALTH_CHECK,
  ...SIZES.map((bytes) => contentCheck(`file-${bytes}`, `/files/${bytes}`, bytes)),
  closeCheck("/files/12"),
  {
    id: "file-missing",
    title: "file that is not there refused",
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
/** @type {Check[]} */
export const HELLO_CHECKS = [contentCheck("hello", "/any/path", TEXT.length), closeCheck("/")];

/**
 * @param {string} id
 * @param {string} path
 * @param {number} bytes
 * @returns {Check}
 */
function contentCheck(id, path, bytes) {
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

/**
 * @param {string} path
 * @returns {Check}
 */
function closeCheck(path) {
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
