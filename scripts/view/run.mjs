// Runs tests, and prints a line for each.
// Usage: run.mjs FOLDER CHROMIUM SERVER MOSQUITTO HOUSE [quick | WORD...]
//
// A test is a sentence and a function. The function gets an object with the browser (see stage.mjs), the
// programs, the folder for screenshots, and `closeLater`. `closeLater(thing)` returns `thing`, which is
// closed after the test.

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { TestBrowser } from "./stage.mjs";
import { tests as demo } from "./demo.mjs";

const [folder, chromium, server, mosquitto, house, ...words] = process.argv.slice(2);
const programs = { chromium, server: resolve(server), mosquitto, house: resolve(house) };
const screenshots = join(folder, "screenshots");
mkdirSync(screenshots, { recursive: true });

const isQuick = words[0] === "quick";
const tests = isQuick ? demo.slice(0, 1) : [...demo, ...await importOtherTests()];
const chosen = tests.filter(([sentence]) => isQuick || words.every((word) => sentence.includes(word)));

async function importOtherTests() {
  const files = ["broker.mjs", "rooms.mjs", "languages.mjs", "program.mjs", "looks.mjs"];
  const modules = await Promise.all(files.map((file) => import(`./${file}`)));
  return modules.flatMap((module) => module.tests);
}

const browser = await TestBrowser.open(programs);
let failed = 0;
for (const [sentence, run] of chosen) {
  const began = Date.now();
  let failure;
  const kept = [];
  try {
    await run({ browser, programs, screenshots, closeLater: (thing) => (kept.push(thing), thing) });
  } catch (error) {
    failure = error;
  }
  for (const thing of kept.reverse()) await (thing.close ?? thing.end).call(thing).catch((error) => { failure ??= error; });
  failed += failure ? 1 : 0;
  console.log(`${failure ? "✗" : "✓"} ${sentence} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  if (failure) console.log(String(failure.stack).replace(/^/gm, "    "));
}
if (browser.strays.length > 0) {
  failed += 1;
  console.log(`✗ the page requested more than the host's own documents: ${browser.strays.join(" ")}`);
}
await browser.close();
console.log(`${chosen.length - failed} of ${chosen.length} tests hold`);
// Exit now, even if a test left something open that would keep this process alive.
process.exit(failed > 0 || chosen.length === 0 ? 1 : 0);
