// @ts-check
// A client of a worker. Each kind of work has its own, so that one does not wait for another.

/** The worker refused the question or failed; the message says why. */
export class Refused extends Error {}
/** The user cancelled, or asked something else meanwhile. */
export class Cancelled extends Error {}

/** @typedef {(done: number, of: number) => void} Progress */

export class Client {
  /** @param {() => Worker} start */
  constructor(start) {
    this.start = start;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {((error: Error) => void) | null} */
    this.reject = null;
  }

  /**
   * Asks a question, and cancels the previous one if it is not answered yet.
   * @param {object} question
   * @param {Blob} [file] the bytes to compute over
   * @param {Progress} [progress] receives progress
   * @returns {Promise<any>}
   */
  ask(question, file, progress) {
    this.cancel();
    const worker = (this.worker ??= this.start());
    return new Promise((resolve, reject) => {
      this.reject = reject;
      worker.onmessage = ({ data }) => {
        if (data.of !== undefined) {
          progress?.(data.done, data.of);
          return;
        }
        this.reject = null;
        if (data.answer === undefined) {
          this.end();
          reject(new Refused(`this is a bug in the page; please report it: ${data.broken}`));
          return;
        }
        const answer = JSON.parse(data.answer);
        if (answer.error !== undefined && !answer.capture) reject(new Refused(answer.error));
        else resolve(answer);
      };
      worker.onerror = event => {
        this.reject = null;
        this.end();
        reject(new Refused(`the worker failed: ${event.message}`));
      };
      worker.postMessage({ question, file });
    });
  }

  cancel() {
    if (!this.reject) return;
    const reject = this.reject;
    this.reject = null;
    this.end();
    reject(new Cancelled("cancelled"));
  }

  end() {
    this.worker?.terminate();
    this.worker = null;
  }
}
