// Starts the library, before functions.js is run.

import { decoded, start } from "./library.js";
import { wasm } from "./vectors.js";

start(new WebAssembly.Instance(new WebAssembly.Module(decoded(wasm))));
