// A headless Chromium, driven over its DevTools pipe: no port, no library.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-dev-shm-usage",
  "--hide-scrollbars",
  "--remote-debugging-pipe",
];

export class Browser {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "residue-page-"));
    this.child = spawn("chromium", [...FLAGS, `--user-data-dir=${this.folder}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    this.next = 1;
    this.waiting = new Map();
    this.listeners = [];
    let rest = "";
    this.child.stdio[4].setEncoding("utf8");
    this.child.stdio[4].on("data", text => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach(message => this.take(JSON.parse(message)));
    });
    this.child.on("exit", code => {
      for (const { reject } of this.waiting.values())
        reject(new Error(`chromium ended with ${code}`));
    });
  }

  take(message) {
    const waits = this.waiting.get(message.id);
    if (!waits) {
      this.listeners.forEach(listener => listener(message));
      return;
    }
    this.waiting.delete(message.id);
    if (message.error) waits.reject(new Error(`${waits.method}: ${message.error.message}`));
    else waits.resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject, method }));
  }

  /** Opens the page in a new tab of this size in CSS pixels, light or dark. */
  async open(url, { width = 1440, height = 900, dark = false, scale = 1 } = {}) {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const tab = new Tab(this, sessionId, targetId);
    await tab.send("Page.enable");
    await tab.send("Runtime.enable");
    await tab.send("Network.enable");
    await tab.send("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: scale,
      mobile: width < 600,
    });
    await tab.send("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
    });
    await tab.go(url);
    return tab;
  }

  async close() {
    const ended = new Promise(resolve => this.child.once("exit", resolve));
    await this.send("Browser.close").catch(() => {});
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export class Tab {
  constructor(browser, session, target) {
    Object.assign(this, { browser, session, target });
    /** Console messages and exceptions of the page, and its network requests. */
    this.complaints = [];
    this.requests = [];
    browser.listeners.push(({ method, params, sessionId }) => {
      if (sessionId !== session) return;
      if (method === "Runtime.exceptionThrown")
        this.complaints.push(
          params.exceptionDetails.exception?.description ?? params.exceptionDetails.text,
        );
      if (method === "Runtime.consoleAPICalled")
        this.complaints.push(params.args.map(it => it.value).join(" "));
      if (method === "Network.requestWillBeSent") this.requests.push(params.request.url);
    });
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async go(url) {
    await this.send("Page.navigate", { url: "about:blank" });
    await this.send("Page.navigate", { url });
    await this.until("document.body?.dataset.ready === 'yes'");
  }

  /** Evaluates an expression in the page. */
  async value(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails)
      throw new Error(
        `${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`,
      );
    return result.value;
  }

  /** Waits until an expression is true. */
  async until(expression, seconds = 60) {
    for (let i = 0; i < seconds * 40; i++) {
      if (await this.value(`Boolean(${expression})`).catch(() => false)) return;
      await new Promise(resolve => setTimeout(resolve, 25));
    }
    throw new Error(`never: ${expression}`);
  }

  /** Sets a control as a user would who types or chooses. */
  set(id, text) {
    return this.value(`{
      const it = document.getElementById(${JSON.stringify(id)});
      it.value = ${JSON.stringify(text)};
      it.dispatchEvent(new Event("input", { bubbles: true }));
      it.dispatchEvent(new Event("change", { bubbles: true }));
    }`);
  }

  click(selector) {
    return this.value(`document.querySelector(${JSON.stringify(selector)}).click()`);
  }

  text(selector) {
    return this.value(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? null`);
  }

  async files(selector, paths) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files: paths });
  }

  async key(key, modifiers = 0) {
    const code =
      { Tab: 9, Enter: 13, " ": 32, ArrowRight: 39, ArrowLeft: 37, Home: 36, End: 35 }[key] ??
      key.toUpperCase().charCodeAt(0);
    const text = key.length === 1 ? key : key === "Enter" ? "\r" : undefined;
    await this.send("Input.dispatchKeyEvent", {
      type: "keyDown",
      key,
      windowsVirtualKeyCode: code,
      text,
      modifiers,
    });
    await this.send("Input.dispatchKeyEvent", {
      type: "keyUp",
      key,
      windowsVirtualKeyCode: code,
      modifiers,
    });
  }

  async picture(whole = false) {
    const { data } = await this.send("Page.captureScreenshot", {
      format: "png",
      captureBeyondViewport: whole,
    });
    return Buffer.from(data, "base64");
  }

  close() {
    return this.browser.send("Target.closeTarget", { targetId: this.target });
  }
}
