// Ready at once: nothing has to be awaited.

import "./start.js";

export * from "./functions.js";
