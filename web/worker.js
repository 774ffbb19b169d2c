// @ts-check
// The worker: passes one question at a time to WebAssembly. It receives no messages while it
// computes, so the page terminates it to cancel.

/** @typedef {{ question: object, file?: Blob }} Asked */

/** Milliseconds between two reports of progress. */
const PAUSE = 60;

/** @type {Promise<WebAssembly.Instance>} */
let instance;
/** The bytes to compute over. @type {Blob} */
let file = new Blob();
let text = "";
let fault = "";
let reported = 0;
const decoder = new TextDecoder();

/** @param {WebAssembly.Exports} exports */
const memory = exports => /** @type {WebAssembly.Memory} */ (exports.memory).buffer;

/** @param {WebAssembly.Module} module */
async function begin(module) {
  /** @type {WebAssembly.Instance} */
  let made;
  /** @type {(at: number, length: number) => string} */
  const string = (at, length) => decoder.decode(new Uint8Array(memory(made.exports), at, length));
  const page = {
    /** @type {(offset: number, into: number, length: number) => number} */
    read(offset, into, length) {
      try {
        const part = new FileReaderSync().readAsArrayBuffer(file.slice(offset, offset + length));
        new Uint8Array(memory(made.exports), into, part.byteLength).set(new Uint8Array(part));
        return part.byteLength;
      } catch {
        return -1;
      }
    },
    /** @type {(done: number, of: number) => void} */
    progress(done, of) {
      const now = performance.now();
      if (now - reported < PAUSE) return;
      reported = now;
      postMessage({ done, of: of || file.size });
    },
    /** @type {(at: number, length: number) => void} */
    answer(at, length) {
      text = string(at, length);
    },
    /** @type {(at: number, length: number) => void} */
    fault(at, length) {
      fault = string(at, length);
    },
  };
  made = await WebAssembly.instantiate(module, { page });
  return made;
}

/** @param {Asked} asked */
async function ask(asked) {
  const { exports } = await instance;
  file = asked.file ?? new Blob();
  reported = performance.now();
  const question = new TextEncoder().encode(JSON.stringify(asked.question));
  const room = /** @type {(length: number) => number} */ (exports.room);
  const at = room(question.length);
  new Uint8Array(memory(exports), at, question.length).set(question);
  /** @type {() => void} */ (exports.ask)();
  return text;
}

onmessage = async ({ data }) => {
  if (data.module) {
    instance = begin(data.module);
    return;
  }
  try {
    postMessage({ answer: await ask(data) });
  } catch (error) {
    postMessage({ broken: fault || String(error) });
  }
};
