// @ts-check
// A worker of its own for each sort of work, so that one does not wait for another.

/** The answer says why there is none. */
export class Refused extends Error {}
/** Somebody asked for something else meanwhile, or cancelled. */
export class Cancelled extends Error {}

/** @typedef {(done: number, of: number) => void} Progress */

export class Lane {
  /** @param {() => Worker} start */
  constructor(start) {
    this.start = start;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {((error: Error) => void) | null} */
    this.reject = null;
  }

  /**
   * Asks; what is still being computed is cancelled.
   * @param {object} question
   * @param {Blob} [file] the bytes it is about
   * @param {Progress} [progress] hears of progress
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
          reject(new Refused(`this is a mistake of the page, please report it: ${data.broken}`));
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
