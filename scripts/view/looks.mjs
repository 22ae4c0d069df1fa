// Tests how the page looks in both themes, narrow and wide, and how it scrolls with many devices.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { House } from "./house.mjs";
import { Stage, until, waitForCertainty } from "./stage.mjs";
import { openPage, startHouse } from "./broker.mjs";

const LOOKS = [320, 1_200].flatMap((width) => ["light", "dark"].map((theme) => [theme, width]));

/** Switches some devices on, so that a picture of the house has something to show. */
async function switchSomeOn(house) {
  await house.put(7, "38-0-currentValue", 40);
  await house.put(2, "38-0-currentValue", 80);
  await house.put(2, "51-0-currentColor", { red: 255, green: 136, blue: 0, warmWhite: 0, coldWhite: 0 });
  await house.put(3, "38-0-currentValue", 60);
  await house.put(9, "38-0-currentValue", 33);
}

async function looks(test) {
  const house = await startHouse(test);
  await switchSomeOn(house);
  for (const [theme, width] of LOOKS) {
    const stage = await openPage(test, house, { theme, width, height: 1_000 });
    await until("the dimmed lamp", async () => /40|41/.test(await stage.card("Kitchen", "Ceiling").textContent()));
    const card = stage.card("Bedroom", "Fan");
    await card.getByRole("switch").click();
    await waitForCertainty(card, "confirmed");
    await stage.page.screenshot({ path: `${test.screenshots}/${theme}-${width}.png` });
    const pageWidth = await stage.view.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(pageWidth <= width, `the page is ${pageWidth} px wide, in a window of ${width} px`);
    // Have the browser lay out cards that are out of view, so that they are checked, too.
    await stage.view.evaluate(() => {
      for (const card of document.querySelectorAll(".card")) card.style.contentVisibility = "visible";
    });
    assert.deepEqual(await stage.violations(), [], `${theme} at ${width} px`);
    // Check the page with disabled controls and a folded room, too.
    stage.fail = "The broker can't be reached.";
    await until("the page is greyed", () => stage.view.locator(":root.stale").count());
    await stage.view.locator(".fold").first().click();
    assert.deepEqual(await stage.violations(), [], `${theme} at ${width} px, greyed`);
    await stage.close();
  }
}

/** Takes the picture for the documentation, of the demo house: `house.png` among the screenshots. */
async function picture({ browser, closeLater, screenshots }) {
  const stage = closeLater(await Stage.open(browser, { width: 1_160, height: 890 }));
  const lamp = stage.card("Office", "Desk Light");
  await lamp.getByRole("switch").click();
  await waitForCertainty(lamp, "confirmed");
  await lamp.getByLabel(/^Color/).fill("#ff8800");
  await until("the color", async () => (await stage.device("Office", "Desk Light")).current.color === "#ff8800");
  const blind = stage.card("Bedroom", "Blind");
  await blind.getByRole("button", { name: /^Close/ }).click();
  await waitForCertainty(blind, "moving");
  const coffee = stage.card("Kitchen", "Coffee Machine");
  await coffee.getByRole("switch").click();
  await waitForCertainty(coffee, "confirmed");
  await until("the lights", async () => /^Lights on: 2/.test(await stage.view.locator("#glance > .lit").textContent()));
  await stage.page.screenshot({ path: `${screenshots}/house.png` });
}

async function marks(test) {
  const certainties = ["moving", "accepted", "queued", "unknown", "failed"];
  const says = { moving: /moving/, accepted: /not confirmed/, queued: /waits until it wakes up/, unknown: /⚠/, failed: /✗/ };
  const house = await startHouse(test);
  let certainty;
  const rewrite = (message) => {
    const meta = message.result?._meta;
    if (certainty && meta?.["zwave-mcp-server/certainty"]) meta["zwave-mcp-server/certainty"] = certainty;
    return message;
  };
  for (const theme of ["light", "dark"]) {
    const stage = await openPage(test, house, { theme, rewrite });
    // The device is a scene. No later reading can prove that a scene ran, so the card keeps its certainty.
    const card = stage.card("Without a room", "Evening");
    for (certainty of certainties) {
      await card.getByRole("button", { name: "Run Evening" }).click();
      const said = await until(certainty, async () =>
        await card.getAttribute("data-certainty") === certainty && card.locator(".outcome").textContent());
      assert.match(said, says[certainty]);
      assert.match(said, /Evening/, "the card shows the server's own sentence");
      assert.deepEqual(await stage.violations(), [], `${certainty} in the ${theme} theme`);
    }
    certainty = undefined;
  }
}

/** Starts a house with two hundred devices. */
export async function startBigHouse(test) {
  const file = new URL("../../../../fixtures/getNodes_reply_big200.json.gz", import.meta.url);
  const nodes = JSON.parse(gunzipSync(readFileSync(file)));
  return test.closeLater(await House.start(test.programs, nodes));
}

async function many(test) {
  const house = await startBigHouse(test);
  const stage = await openPage(test, house, { width: 1_200, height: 800 });
  const count = await stage.view.locator("li.card").count();
  assert.ok(count >= 200, `${count} devices`);
  // Unfold all rooms, because there is little to scroll otherwise.
  await stage.view.locator(".fold[aria-expanded=false]").evaluateAll((all) => all.forEach((fold) => fold.click()));
  await stage.page.mouse.move(600, 400);
  const frames = stage.view.evaluate(() => new Promise((resolve) => {
    const frames = [];
    const tasks = [];
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask" });
    let last = performance.now();
    const end = last + 6_000;
    const frame = (now) => {
      frames.push(now - last);
      last = now;
      if (now < end) requestAnimationFrame(frame);
      else resolve({ frames, tasks, top: document.scrollingElement.scrollTop });
    };
    requestAnimationFrame(frame);
  }));
  const reads = stage.reads;
  for (let step = 0; step < 100; step += 1) {
    await stage.page.mouse.wheel(0, 120);
    await new Promise((resolve) => setTimeout(resolve, 40));
  }
  const { frames: times, tasks, top } = await frames;
  assert.ok(top > 2_000, `scrolled by ${top} px`);
  assert.ok(stage.reads > reads, "the house was read meanwhile");
  times.sort((one, other) => one - other);
  const [half, most] = [0.5, 0.95].map((share) => times[Math.floor(times.length * share)]);
  const longest = Math.max(0, ...tasks);
  console.log(`    ${count} devices: 50 % of the frames take up to ${half.toFixed(0)} ms, 95 % up to ${most.toFixed(0)} ms; the longest task takes ${longest.toFixed(0)} ms`);
  assert.ok(half < 40 && most < 120 && longest < 400, "the page scrolls smoothly");
}

export const tests = [
  ["axe-core finds no fault with the page in either theme, narrow or wide", looks],
  ["the documentation's picture is taken", picture],
  ["each certainty has its own mark", marks],
  ["200 devices are shown, and scroll smoothly", many],
];
