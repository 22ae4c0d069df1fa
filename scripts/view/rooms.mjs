// Tests how the page arranges the house: the first card, folding rooms, "Room off", names and readings.

import assert from "node:assert/strict";
import { House } from "./house.mjs";
import { Stage, rewriteHouse, until, waitForCertainty } from "./stage.mjs";
import { openPage, startHouse } from "./broker.mjs";
import { startBigHouse } from "./looks.mjs";

const SWITCH = "37-0-currentValue";

const DEVICES = [
  { id: 2, kind: "switch", name: "Lamp", room: "Kitchen" },
  { id: 3, kind: "switch", name: "Fridge", room: "Kitchen" },
  { id: 4, kind: "lock", name: "Back Door", room: "Kitchen" },
  { id: 5, kind: "dimmer", name: "Ceiling", room: "Hall" },
  { id: 6, kind: "switch", name: "Relay 10", room: "Cellar" },
  { id: 7, kind: "switch", name: "Relay 2", room: "Cellar" },
];

async function startKitchen({ programs, closeLater }) {
  const house = closeLater(await House.start(programs, { about: "a kitchen", cases: [], devices: DEVICES }));
  for (const node of [2, 3]) await house.put(node, SWITCH, true);
  await house.put(5, "38-0-currentValue", 40);
  return house;
}

async function roomOff(test) {
  const house = await startKitchen(test);
  const stage = await openPage(test, house);
  await stage.view.getByRole("button", { name: "Room off: Kitchen" }).click();
  const room = stage.view.locator("section", { has: stage.view.getByRole("heading", { name: "Kitchen", exact: true }) });
  await until("the outcome", async () => await room.getAttribute("data-certainty") === "confirmed");
  assert.match(await room.locator("> .outcome").textContent(), /✓ .*now off.*Left alone.*Fridge/);
  assert.equal(await house.truth(2, SWITCH), false);
  assert.equal(await house.truth(3, SWITCH), true, "the fridge stays on");
  assert.ok(await house.truth(5, "38-0-currentValue") > 0, "a light in another room stays on");
  assert.deepEqual((await house.received()).map(([node]) => node), [2]);
  assert.deepEqual(stage.calls, [{ deviceName: "everything in the Kitchen", action: "off" }]);
}

async function firstCard(test) {
  const house = await startKitchen(test);
  await house.put(4, "98-0-currentMode", 0);
  const stage = await openPage(test, house);
  const row = (word) => stage.view.locator(`#glance > .${word}`);
  await until("the lights", async () => /^Lights on: 2/.test(await row("lit").textContent()));
  assert.deepEqual(await row("lit").getByRole("button").allTextContents(), ["Hall Ceiling", "Kitchen Lamp"]);
  await until("the door", async () => await row("ajar").textContent() === "Open or unlocked: 1Kitchen Back Door");
  assert.equal(await row("wrong").textContent(), "Every device is well");
  await house.put(4, "98-0-currentMode", 255);
  await house.put(2, SWITCH, false);
  await until("the locked door", async () => await row("ajar").textContent() === "No door is open or unlocked");
  await until("one light less", async () => await row("lit").textContent() === "Lights on: 1Hall Ceiling");
  await row("lit").getByRole("button", { name: "Hall Ceiling" }).click();
  const focused = await stage.view.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.equal(focused, "Hall Ceiling", "the button leads to the card's control");
  await stage.page.keyboard.press("Space");
  await waitForCertainty(stage.card("Hall", "Ceiling"), "confirmed");
  assert.equal(await house.truth(5, "38-0-currentValue"), 0);
}

async function worstProblemFirst({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  const chips = stage.view.locator("#glance > .wrong button");
  assert.deepEqual(await chips.allTextContents(), ["Garage Freezer Plug", "Bedroom Window"]);
}

async function numberOrder(test) {
  const stage = await openPage(test, await startKitchen(test));
  const section = stage.view.locator("section", { has: stage.view.getByRole("heading", { name: "Cellar", exact: true }) });
  assert.deepEqual(await section.getByRole("heading", { level: 3 }).allTextContents(), ["Relay 2", "Relay 10"]);
}

async function strip({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  assert.deepEqual(await stage.view.locator("li.strip h3").allTextContents(),
    ["Power Strip", "Power Strip Left Outlet", "Power Strip Right Outlet"]);
  const card = stage.card("Office", "Power Strip Right Outlet");
  await card.getByRole("switch").click();
  await waitForCertainty(card, "confirmed");
  assert.equal((await stage.device("Office", "Power Strip Right Outlet")).current.on, true);
}

async function folds(test) {
  const house = await startBigHouse(test);
  const stage = await openPage(test, house, { width: 390, height: 844 });
  const height = () => stage.view.evaluate(() => document.documentElement.scrollHeight);
  assert.equal(await stage.view.locator("li.card").count(), 203);
  const folded = await height();
  assert.ok(folded < 6_000, `${folded} px`);
  const office = stage.view.getByRole("button", { name: "Office", exact: true });
  await stage.view.locator("#jump").getByRole("button", { name: "Office" }).click();
  const fold = stage.view.locator(".fold", { hasText: "Office" });
  assert.equal(await fold.getAttribute("aria-expanded"), "true", "a jump to a room unfolds it");
  assert.equal(await stage.view.evaluate(() => document.activeElement.textContent), "Office");
  await until("the room is in sight", async () => {
    const { y } = await fold.boundingBox();
    return y >= 0 && y < 200;
  });
  assert.ok(await office.count() > 0);
  const reads = stage.reads;
  await until("two more readings", () => stage.reads >= reads + 2, 12_000);
  assert.equal(await fold.getAttribute("aria-expanded"), "true", "a refresh folds nothing");
  await stage.page.keyboard.press("Enter");
  assert.equal(await fold.getAttribute("aria-expanded"), "false");
  assert.ok(await height() < 6_000);
  assert.equal(await stage.view.locator("#rooms li.card.stale:visible").count() > 0, true, "devices with a problem stay in sight");
  for (const theme of ["light", "dark"]) {
    await stage.page.evaluate((wanted) => window.bridge.setHostContext({ theme: wanted }), theme);
    assert.deepEqual(await stage.violations(), [], theme);
  }
  console.log(`    203 devices fold to ${folded} px`);
}

async function columns(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house, { width: 1_440, height: 900 });
  const boxes = await stage.view.locator("#rooms li.card").evaluateAll((all) => all.map((card) => card.getBoundingClientRect().width));
  assert.ok(Math.max(...boxes) - Math.min(...boxes) < 1, "all cards have the same width");
  const top = async (room) => (await stage.view.locator("section", { has: stage.view.getByRole("heading", { name: room, exact: true }) }).boundingBox()).y;
  assert.equal(await top("Bedroom"), await top("Cellar"), "small rooms are next to each other");
  const height = await stage.view.evaluate(() => document.querySelector("main").scrollHeight);
  assert.ok(height < 1_000, `${height} px`);
}

async function closedIsQuiet({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { args: ["--demo", "--guard", "allow"] }));
  const card = stage.card("Garage", "Garage Door");
  const border = (name) => card.getByRole("button", { name }).evaluate((node) => getComputedStyle(node).borderTopColor);
  const [open, close] = [await border(/^Open/), await border(/^Close/)];
  const lightness = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
  assert.ok(lightness(close) > lightness(open), `${close} is fainter than ${open}`);
  assert.doesNotMatch(close, /rgba\(0, 0, 0, 0\)/, "the Close button of a closed door still looks like a button");
}

async function stale({ browser, closeLater }) {
  const ages = { "Coffee Machine": "0 s", "Floor Lamp": "2 days" };
  const rewrite = (message) => rewriteHouse(message, ({ devices }) => {
    for (const device of devices) {
      device.age = ages[device.name];
      if (device.name === "Floor Lamp") device.certainty = "last known";
    }
  });
  const stage = closeLater(await Stage.open(browser, { rewrite }));
  const isGrey = (room, name) => stage.card(room, name).evaluate((node) => node.classList.contains("stale"));
  assert.deepEqual([await isGrey("Garage", "Freezer Plug"), await isGrey("Living Room", "Floor Lamp"), await isGrey("Kitchen", "Ceiling")], [true, true, false]);
  assert.match(await stage.card("Kitchen", "Coffee Machine").textContent(), /last heard from just now/);
  assert.match(await stage.card("Living Room", "Floor Lamp").textContent(), /last heard from 2 days ago/);
  stage.fail = "The broker can't be reached.";
  await until("all is greyed", () => stage.view.locator(":root.stale").count());
  stage.fail = undefined;
  await until("nothing is greyed any more", async () => await stage.view.locator(":root.stale").count() === 0);
}

async function young({ browser, closeLater }) {
  const values = { valuesAge: "12 s", problems: [] };
  const rewrite = (message) => rewriteHouse(message, (house) => Object.assign(house, values));
  const stage = closeLater(await Stage.open(browser, { rewrite }));
  const isGrey = () => stage.card("Kitchen", "Coffee Machine").evaluate((node) => node.classList.contains("stale"));
  await until("the first reading is shown", () => stage.view.locator("#rooms li.card").count());
  assert.equal(await isGrey(), false, "values of this minute are not grey");
  values.valuesAge = "2 min";
  await until("values from two minutes ago are grey", isGrey);
  values.valuesAge = "12 s";
  await until("fresh values are not grey", async () => !await isGrey());
  values.problems = ["The gateway is not answering."];
  await until("values are grey during an outage", isGrey);
}

async function readingsApart({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  const card = stage.card("Hall", "Multisensor");
  assert.equal((await card.locator(".words").innerText()).replace(/\n+/, ": "), "Multisensor: no motion");
  assert.deepEqual(await card.locator(".readings li").allTextContents(), ["19.7 °C", "humidity 58 %", "312 lx"]);
}

async function refusal({ browser, closeLater }) {
  const call = { name: "control_zwave_device", arguments: { deviceName: "garage door", action: "open" } };
  const stage = closeLater(await Stage.open(browser, { call }));
  const said = await waitForCertainty(stage.card("Garage", "Garage Door"), "failed");
  assert.equal(said, "✗ Opening is not allowed here; the owner of this server can allow it.");
  assert.equal((await stage.device("Garage", "Garage Door")).current.position, 0);
}

/** Returns a `rewrite` for a stage. It puts `outcome` into answers to calls, and `facts` into the device with this name. */
function pretend(name, now) {
  return (message) => {
    const meta = message.result?._meta;
    if (now.outcome && meta?.["zwave-mcp-server/certainty"]) meta["zwave-mcp-server/certainty"] = now.outcome;
    return rewriteHouse(message, ({ devices }) => {
      for (const device of devices) if (device.name === name) Object.assign(device, now.facts);
    });
  };
}

async function twoMoreReadings(stage) {
  const reads = stage.reads;
  await until("two more readings", () => stage.reads >= reads + 2);
}

async function provedLater({ browser, closeLater }) {
  const now = { outcome: "unknown", facts: { certainty: "not confirmed" } };
  const stage = closeLater(await Stage.open(browser, { rewrite: pretend("Coffee Machine", now) }));
  const card = stage.card("Kitchen", "Coffee Machine");
  await card.getByRole("switch").click();
  await waitForCertainty(card, "unknown");
  await twoMoreReadings(stage);
  assert.equal(await card.getAttribute("data-certainty"), "unknown", "a reading without proof leaves the warning");
  now.facts = {};
  assert.match(await waitForCertainty(card, "confirmed"), /✓ Kitchen Coffee Machine: on/);
  now.outcome = "failed";
  await card.getByRole("switch").click();
  await waitForCertainty(card, "failed");
  await twoMoreReadings(stage);
  assert.equal(await card.getAttribute("data-certainty"), "failed", "what failed stays failed");
}

async function contradicted({ browser, closeLater }) {
  const now = { facts: {} };
  const stage = closeLater(await Stage.open(browser, { rewrite: pretend("Coffee Machine", now) }));
  const card = stage.card("Kitchen", "Coffee Machine");
  await card.getByRole("switch").click();
  await waitForCertainty(card, "confirmed");
  await until("the state is on", async () => await card.locator(".state").textContent() === "on");
  assert.equal(await card.locator(".outcome:visible").count(), 1);
  now.facts = { state: "off", facts: ["off"], current: { on: false }, certainty: "confirmed" };
  await until("the state is off", async () => await card.locator(".state").textContent() === "off");
  assert.equal(await card.locator(".outcome:visible").count(), 0, "no ✓ is beside another state than was asked for");
}

async function presentPosition({ browser, closeLater }) {
  const at = (position) => ({ certainty: "moving", facts: [`${position} % open`], current: { position } });
  const now = { outcome: "moving", facts: at(20) };
  const stage = closeLater(await Stage.open(browser, { rewrite: pretend("Blind", now) }));
  const card = stage.card("Bedroom", "Blind");
  await card.getByRole("button", { name: "Open Bedroom Blind" }).click();
  await waitForCertainty(card, "moving");
  await twoMoreReadings(stage);
  now.facts = at(40);
  await until("the position in the outcome", async () => /Bedroom Blind: 40 % open\.$/.test(await card.locator(".outcome").textContent()));
  assert.equal(await card.locator(".state").textContent(), "40 % open");
  assert.equal(await card.getAttribute("data-certainty"), "moving");
}

export const tests = [
  ["'Room off' is one call, and says which devices it left alone", roomOff],
  ["the first card shows the lights, the doors and the problems", firstCard],
  ["the worst problem comes first", worstProblemFirst],
  ["Relay 2 is listed before Relay 10", numberOrder],
  ["a strip's outlets are together, and one can be switched alone", strip],
  ["the rooms of 200 devices fold on a phone, and a jump to a room unfolds it", folds],
  ["all cards have the same width, and small rooms are next to each other", columns],
  ["the Close button of a closed door does not stand out", closedIsQuiet],
  ["a stale device is grey, and its card says when it was last heard from", stale],
  ["values turn grey in an outage, or once they are a minute old", young],
  ["a warning that an outcome is unknown ends when a later state proves it", provedLater],
  ["a ✓ ends when the device is in another state than was asked for", contradicted],
  ["the card of a moving blind names the position that the blind has now", presentPosition],
  ["readings are shown apart from the name", readingsApart],
  ["a refusal on a card names no command-line option", refusal],
];
