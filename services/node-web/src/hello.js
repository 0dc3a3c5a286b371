/**
 * The least that a Node web server can do: the same 12 bytes whatever is asked.
 */
import { HELLO } from "./content.js";
import { reply, serve } from "./serve.js";

const hello = Buffer.from(HELLO);

serve((request, response) => reply(response, 200, hello));
