// Runs every test, and prints a line for each: run.mjs FOLDER CHROMIUM SERVER MOSQUITTO HOUSE [quick | WORD...]

import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { Theatre } from "./stage.mjs";
import { tests as demo } from "./demo.mjs";

const [folder, chromium, server, mosquitto, house, ...words] = process.argv.slice(2);
const programs = { chromium, server: resolve(server), mosquitto, house: resolve(house) };
const screenshots = join(folder, "screenshots");
mkdirSync(screenshots, { recursive: true });

const quick = words[0] === "quick";
const all = quick ? demo.slice(0, 1) : [...demo, ...await others()];
const chosen = all.filter(([sentence]) => quick || words.every((word) => sentence.includes(word)));

async function others() {
  const files = ["broker.mjs", "rooms.mjs", "languages.mjs", "program.mjs", "looks.mjs"];
  const made = await Promise.all(files.map((file) => import(`./${file}`)));
  return made.flatMap((file) => file.tests);
}

const theatre = await Theatre.open(programs);
let failed = 0;
for (const [sentence, play] of chosen) {
  const began = Date.now();
  let wrong;
  const open = [];
  try {
    await play({ theatre, programs, screenshots, keep: (one) => (open.push(one), one) });
  } catch (error) {
    wrong = error;
  }
  for (const one of open.reverse()) await (one.close ?? one.end).call(one).catch((error) => { wrong ??= error; });
  failed += wrong ? 1 : 0;
  console.log(`${wrong ? "✗" : "✓"} ${sentence} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  if (wrong) console.log(String(wrong.stack).replace(/^/gm, "    "));
}
if (theatre.strays.length > 0) {
  failed += 1;
  console.log(`✗ nothing but the host's own documents is asked for: ${theatre.strays.join(" ")}`);
}
await theatre.close();
console.log(`${chosen.length - failed} of ${chosen.length} tests hold`);
// Something that a test left open must not delay the others.
process.exit(failed > 0 || chosen.length === 0 ? 1 : 0);
