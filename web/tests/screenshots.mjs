// Takes pictures of the page: `node screenshots.mjs PAGE FOLDER [all]`. By default those that
// docs/web.md shows; with `all`, every view in both sizes, light and dark.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Browser } from "./chromium.mjs";

const [, , PAGE, FOLDER, WHICH] = process.argv;
const CAPTURES = join(dirname(fileURLToPath(import.meta.url)), "../../captures");
const url = pathToFileURL(resolve(PAGE)).href;
const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 360, height: 740, scale: 2 },
};
const find = "#find=83+92+06+e3";

const VIEWS = {
  values: async () => {},
  code: async tab => {
    await tab.click("#tab-code");
    await tab.set("bits", "5243");
    await tab.click("#strength-go");
    await tab.until("!document.getElementById('limits').hidden", 120);
  },
  source: async tab => {
    await tab.click("#tab-code");
    await tab.set("language", "Rust");
    await tab.until("document.body.dataset.source?.includes('Rust')");
    await tab.value("document.getElementById('export').scrollIntoView()");
  },
  division: async tab => {
    await tab.click("#tab-code");
    await tab.set("code-name", "crc-8/smbus");
    await tab.until("document.body.dataset.explained === 'crc-8/smbus'");
    await tab.value("document.getElementById('explain').scrollIntoView()");
  },
  identify: async tab => {
    await tab.click("#tab-identify");
    await tab.set("samples", "01 03 00 00 00 0a c5 cd\n01 03 00 01 00 01 d5 ca");
    await tab.set("sample-value", "2");
    await tab.click("#identify-form button.primary");
    await tab.until("document.body.dataset.identified === 'done'");
  },
  capture: async tab => {
    await tab.click("#tab-capture");
    await tab.files(
      "#captures",
      ["nat-tcp.bad.pcap"].map(name => join(CAPTURES, name)),
    );
    await tab.until("document.body.dataset.captures === 'done'");
  },
  combine: tab => tab.click("#tab-combine"),
  errors: async tab => {
    await tab.value("{ const kind = document.querySelector('input[value=hex]'); kind.click(); }");
    await tab.set("data", "12 3g");
    await tab.until("document.getElementById('data-error').textContent.includes('“g”')");
  },
  file: async tab => {
    await tab.value(`{ const part = new Blob([new Uint8Array(1 << 20)]);
      const carried = new DataTransfer();
      carried.items.add(new File(Array(700).fill(part), "firmware.img"));
      const drop = { dataTransfer: carried, bubbles: true, cancelable: true };
      document.dispatchEvent(new DragEvent("drop", drop)); }`);
    await tab.until("document.getElementById('values-status').textContent.includes('other codes')");
    await new Promise(later => setTimeout(later, 2500));
  },
};

mkdirSync(FOLDER, { recursive: true });
const browser = new Browser();
try {
  const wanted =
    WHICH === "all"
      ? Object.keys(VIEWS).flatMap(view =>
          Object.keys(SIZES).flatMap(size => [
            [view, size, false],
            [view, size, true],
          ]),
        )
      : [
          ["values", "desktop", false],
          ["division", "desktop", false],
          ["capture", "phone", true],
        ];
  for (const [view, size, dark] of wanted) {
    const tab = await browser.open(url + (view === "errors" ? "" : find), { ...SIZES[size], dark });
    await VIEWS[view](tab);
    writeFileSync(
      join(FOLDER, `web-${view}-${size}${dark ? "-dark" : ""}.png`),
      await tab.picture(),
    );
    await tab.close();
  }
} finally {
  await browser.close();
}
