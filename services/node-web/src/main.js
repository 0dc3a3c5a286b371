/**
 * Node with its files in memory: /files/<bytes>, /hello and /healthz.
 */
import { contentOf, HELLO, SIZES } from "./content.js";
import { reply, serve } from "./serve.js";

const files = new Map(SIZES.map((bytes) => [`/files/${bytes}`, contentOf(bytes)]));
const pages = new Map([
  ...files,
  ["/hello", Buffer.from(HELLO)],
  ["/healthz", Buffer.from("ok\n")],
]);
const nothing = Buffer.from(
  `Nothing at this path. Expected one of ${[...pages.keys()].join(", ")}.\n`,
);

serve((request, response) => {
  const page = pages.get(request.url ?? "/");
  reply(response, page ? 200 : 404, page ?? nothing);
});
