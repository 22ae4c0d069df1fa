// Tests the page with a simulated house on a real broker. The tests ask the house what its devices really did.

import assert from "node:assert/strict";
import { House } from "./house.mjs";
import { Stage, pause, rewriteHouse, until, waitForCertainty } from "./stage.mjs";

const DEVICES = [
  { id: 2, kind: "color_light", name: "Mood Light", room: "Living Room" },
  { id: 3, kind: "cover", name: "Blind", room: "Living Room" },
  { id: 4, kind: "thermostat", name: "Thermostat", room: "Living Room" },
  { id: 5, kind: "lock", name: "Front Door", room: "Hall" },
  { id: 6, kind: "garage", name: "Garage Door", room: "Garage" },
  { id: 7, kind: "dimmer", name: "Ceiling", room: "Kitchen" },
  { id: 8, kind: "window_covering", name: "Curtain", room: "Bedroom" },
  { id: 9, kind: "fan", name: "Fan", room: "Bedroom" },
  { id: 10, kind: "siren", name: "Siren", room: "Hall" },
  { id: 11, kind: "radiator_valve", name: "Radiator", room: "Bedroom" },
  { id: 12, kind: "valve", name: "Water", room: "Cellar" },
  { id: 13, kind: "switch", name: "Lamp <img src=x onerror=alert(1)>", room: "Hall" },
  { id: 14, kind: "sensor", name: "Air", room: "Bedroom" },
  { id: 15, kind: "scene", name: "Evening", members: [2, 7] },
];

/** Starts a house on a broker of its own. By default, the house has a device of every kind. */
export async function startHouse({ programs, closeLater }, devices = DEVICES) {
  return closeLater(await House.start(programs, { about: "every kind", cases: [], devices }));
}

export async function openPage({ browser, closeLater }, house, { args = [], ...more } = {}) {
  const env = { MQTT_BROKER_URL: `mqtt://127.0.0.1:${house.port}` };
  return closeLater(await Stage.open(browser, { args, env, ...more }));
}

/** Returns the key and the value of each write to a node. */
async function writes(house, node) {
  const received = await house.received();
  return received.filter(([writtenNode]) => writtenNode === node).map(([, key, value]) => [key, value]);
}

/** Drags a slider to a share of its length, runs `whileHeld`, and releases the slider. */
async function drag(stage, slider, share, whileHeld = async () => {}) {
  await slider.scrollIntoViewIfNeeded();
  // The browser lays the slider out only when the slider comes into view.
  await pause(300);
  const { x, y, width, height } = await slider.boundingBox();
  const { mouse } = stage.page;
  await mouse.move(x + 8, y + height / 2);
  await mouse.down();
  for (const step of [0.25, 0.5, 0.75, 1]) await mouse.move(x + width * share * step, y + height / 2);
  await whileHeld();
  await mouse.up();
}

async function sliderDims(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const slider = stage.view.getByRole("slider", { name: "Brightness: Kitchen Ceiling" });
  await drag(stage, slider, 0.6, async () => {
    const held = await slider.inputValue();
    assert.ok(held > 50 && held < 70, held);
    const reads = stage.reads;
    await until("two more readings", () => stage.reads >= reads + 2);
    assert.equal(await slider.inputValue(), held, "a refresh does not move a slider that is held");
    assert.deepEqual(await writes(house, 7), [], "nothing is sent before the slider is released");
  });
  await waitForCertainty(stage.card("Kitchen", "Ceiling"), "confirmed");
  const level = Number(await slider.inputValue());
  // The device's levels go up to 99.
  const dimmed = async (percent) => Math.abs(await house.truth(7, "38-0-currentValue") - percent * 0.99) < 1;
  assert.ok(await dimmed(level));
  assert.equal((await writes(house, 7)).length, 1);
  await slider.focus();
  for (let press = 0; press < 5; press += 1) await stage.page.keyboard.press("ArrowLeft");
  await until("the dimmed lamp", () => dimmed(level - 5));
  assert.equal((await writes(house, 7)).length, 2, "five presses in a row are one command");
}

async function quickPresses(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const lamp = stage.card("Kitchen", "Ceiling").getByRole("switch");
  const press = (times) => lamp.evaluate((node, count) => { for (let at = 0; at < count; at += 1) node.click(); }, times);
  await press(5);
  await waitForCertainty(stage.card("Kitchen", "Ceiling"), "confirmed");
  await pause(500);
  assert.equal((await writes(house, 7)).length, 1, "only the first press is sent, because the fifth also means \"on\"");
  assert.ok(await house.truth(7, "38-0-currentValue") > 0);
  await press(2);
  await until("off and on again", async () => (await writes(house, 7)).length === 3);
  await waitForCertainty(stage.card("Kitchen", "Ceiling"), "confirmed");
  assert.ok(await house.truth(7, "38-0-currentValue") > 0, "the last press wins");
}

async function color(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const card = stage.card("Living Room", "Mood Light");
  await card.getByRole("switch").click();
  await waitForCertainty(card, "confirmed");
  await card.getByLabel("Color: Living Room Mood Light").fill("#ff8800");
  await until("the answer names the color", async () => /orange|#ff8800/i.test(await card.locator(".outcome").textContent()));
  await waitForCertainty(card, "confirmed");
  const [, value] = (await writes(house, 2)).at(-1);
  assert.deepEqual([value.red, value.green, value.blue], [255, 136, 0]);
  const input = card.getByLabel(/^Color/);
  await until("the device reports the color", async () => await input.inputValue() === "#ff8800");
  assert.equal(await hasUnknownColor(input), false);
  await card.getByRole("button", { name: "warm white: Living Room Mood Light" }).click();
  await until("the answer names the white", async () => /now warm white/.test(await card.locator(".outcome").textContent()));
  const [, mixed] = (await writes(house, 2)).at(-1);
  assert.deepEqual([mixed.warmWhite, mixed.coldWhite, mixed.red], [255, 0, 0]);
  await until("the state is white", async () => /warm white/.test(await card.locator(".state").textContent()));
  await input.fill("#ff8800");
  await until("the color is back", async () => !await hasUnknownColor(input) && await input.inputValue() === "#ff8800");
  await card.getByRole("switch").click();
  await until("a light that is off has no color", () => hasUnknownColor(input));
  assert.notEqual(await input.inputValue(), "#000000", "black is not a color of a light");
  await card.getByRole("switch").click();
  await until("the color is back", async () => !await hasUnknownColor(input) && await input.inputValue() === "#ff8800");
}

const hasUnknownColor = (input) => input.evaluate((node) => node.classList.contains("unknown"));

async function thermostat(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const card = stage.card("Living Room", "Thermostat");
  const degrees = card.getByRole("spinbutton");
  assert.equal(await degrees.inputValue(), "20");
  const warmer = card.getByRole("button", { name: "Warmer: Living Room Thermostat" });
  for (let press = 0; press < 3; press += 1) await warmer.click();
  assert.equal(await degrees.inputValue(), "21.5");
  await until("the setpoint", async () => await house.truth(4, "67-0-setpoint-1") === 21.5);
  assert.deepEqual(await writes(house, 4), [["67-0-setpoint-1", 21.5]], "three presses are one command");
  await waitForCertainty(card, "confirmed");
  await degrees.fill("18");
  await degrees.press("Enter");
  await until("the typed setpoint", async () => await house.truth(4, "67-0-setpoint-1") === 18);
  const written = await writes(house, 4);
  for (const typo of ["225", "2"]) {
    await degrees.fill(typo);
    await degrees.press("Enter");
    assert.equal(await waitForCertainty(card, "failed"), "✗ Not set. The range is 7–35 °C.");
    await pause(700);
    assert.deepEqual(await writes(house, 4), written, "nothing is sent that is out of range");
    assert.equal(await degrees.inputValue(), "18", "the field shows what is set");
  }
  await degrees.fill("35");
  await degrees.press("Enter");
  await until("the upper limit", async () => await house.truth(4, "67-0-setpoint-1") === 35);
  assert.ok(await warmer.isDisabled(), "Warmer is disabled at the upper limit");
  const mode = card.getByLabel("Mode: Living Room Thermostat");
  await mode.focus();
  await mode.selectOption("cool");
  await until("the mode", async () => await house.truth(4, "64-0-mode") === 2);
  await until("the setpoint of the new mode", async () => await degrees.inputValue() === "26");
  assert.equal(await degrees.getAttribute("min"), "10", "the lower limit is that of the new mode");
  const focused = await stage.view.evaluate(() => document.activeElement.getAttribute("aria-label"));
  assert.equal(focused, "Mode: Living Room Thermostat");
}

async function cover(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const card = stage.card("Living Room", "Blind");
  const press = (name) => card.getByRole("button", { name: `${name} Living Room Blind` }).click();
  const position = () => house.truth(3, "38-0-currentValue");
  await press("Open");
  assert.match(await waitForCertainty(card, "moving"), /moving/);
  assert.ok(await position() < 99, "the blind is not open yet");
  await waitForCertainty(card, "confirmed", 20_000);
  assert.equal(await position(), 99, "the card confirms only when the blind stands still");
  await press("Close");
  await waitForCertainty(card, "moving");
  await until("half-way", async () => await position() < 70);
  await press("Stop");
  await waitForCertainty(card, "confirmed");
  const stopped = await position();
  assert.ok(stopped > 0 && stopped < 99, stopped);
  await pause(1_500);
  assert.equal(await position(), stopped);
  await until("the slider at this position", async () =>
    Math.abs(await card.getByRole("slider").inputValue() - stopped) <= 1);
}

async function blindDies(test) {
  const house = await startHouse(test);
  const rewrite = (message) => rewriteHouse(message, ({ devices }) => {
    if (!isDead) return;
    const blind = devices.find(({ name }) => name === "Blind");
    for (const fact of ["state", "facts", "current", "certainty"]) delete blind[fact];
    blind.responding = false;
  });
  let isDead = false;
  const stage = await openPage(test, house, { rewrite });
  const card = stage.card("Living Room", "Blind");
  await card.getByRole("button", { name: "Open Living Room Blind" }).click();
  await waitForCertainty(card, "moving");
  isDead = true;
  assert.equal(await waitForCertainty(card, "unknown"), "⚠ Living Room Blind: not responding.");
}

async function stopOvertakes(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house, { callDelay: 2_000 });
  const card = stage.card("Bedroom", "Curtain");
  await house.put(8, "106-0-currentValue-13", 50);
  await until("half open", async () => Math.abs(await card.getByRole("slider").inputValue() - 50) <= 1);
  await card.getByRole("button", { name: "Open Bedroom Curtain" }).click();
  await until("the curtain moves", async () => await house.truth(8, "106-0-currentValue-13") > 55);
  assert.equal(await card.getAttribute("data-certainty"), "pending");
  await card.getByRole("button", { name: "Stop Bedroom Curtain" }).click();
  await until("the stop is written, as the second write", async () => (await writes(house, 8)).length === 2, 1_000);
  const stopped = await house.truth(8, "106-0-currentValue-13");
  await waitForCertainty(card, "confirmed");
  await pause(3_000);
  assert.ok(Math.abs(await house.truth(8, "106-0-currentValue-13") - stopped) < 5);
  assert.notEqual(await card.getAttribute("data-certainty"), "failed", "the answer to the stopped command is not shown");
}

async function lock(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  await house.put(5, "98-0-currentMode", 0);
  const card = stage.card("Hall", "Front Door");
  await until("unlocked by hand", async () => /^unlocked since \d\d:\d\d$/.test(await card.locator(".state").textContent()), 5_000);
  await card.getByRole("button", { name: "Lock Hall Front Door", exact: true }).click();
  await waitForCertainty(card, "confirmed");
  assert.equal(await house.truth(5, "98-0-currentMode"), 255);
}

async function garageStaysShut(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const card = stage.card("Garage", "Garage Door");
  assert.match(await card.textContent(), /the owner of this server can allow it/);
  assert.equal(await card.getByRole("button", { name: /^Open/ }).count(), 0);
  for (const button of await card.getByRole("button").all()) await button.click();
  await waitForCertainty(card, "confirmed");
  // The server also refuses a call for which the page has no button.
  const text = await stage.view.evaluate(() => new Promise((resolve) => {
    window.addEventListener("message", ({ data }) => data.id === "garage" && resolve(data.result.content[0].text));
    const call = { name: "control_zwave_device", arguments: { deviceName: "garage door", action: "open" } };
    window.parent.postMessage({ jsonrpc: "2.0", id: "garage", method: "tools/call", params: call }, "*");
  }));
  assert.match(text, /not opened/);
  assert.equal(await house.truth(6, "102-0-currentState"), 0);
  assert.ok((await writes(house, 6)).every(([, value]) => value === 0));
}

async function kinds(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const has = async (room, name, expected) => {
    const controls = stage.card(room, name).locator("button, input, select");
    const names = await controls.evaluateAll((nodes) => nodes.map((node) => node.getAttribute("aria-label")));
    assert.deepEqual(names, expected, name);
  };
  await has("Bedroom", "Fan", ["Bedroom Fan", "Speed: Bedroom Fan"]);
  await has("Bedroom", "Radiator", ["Colder: Bedroom Radiator", "Temperature: Bedroom Radiator, °C", "Warmer: Bedroom Radiator"]);
  await has("Bedroom", "Air", []);
  await has("Living Room", "Mood Light", ["Living Room Mood Light", "Brightness: Living Room Mood Light", "Color: Living Room Mood Light", "warm white: Living Room Mood Light", "cold white: Living Room Mood Light"]);
  await has("Cellar", "Water", ["Open Cellar Water", "Close Cellar Water"]);
  await has("Hall", "Siren", ["On Hall Siren", "Off Hall Siren"]);
  await has("Living Room", "Blind", ["Open Living Room Blind", "Stop Living Room Blind", "Close Living Room Blind", "Position: Living Room Blind"]);
  await has("Without a room", "Evening", ["Run Evening"]);
  await stage.view.getByRole("button", { name: "Run Evening" }).click();
  await until("both lamps are on", async () =>
    await house.truth(2, "38-0-currentValue") > 0 && await house.truth(7, "38-0-currentValue") > 0);
}

async function byHand(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  await house.put(7, "38-0-currentValue", 55);
  const card = stage.card("Kitchen", "Ceiling");
  await until("the level set by hand", async () => /^on 5[56] %/.test(await card.locator(".state").textContent()), 5_000);
  assert.equal(await card.getByRole("switch").getAttribute("aria-checked"), "true");
  assert.deepEqual(stage.calls, []);
}

async function nameWithMarkup(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const card = stage.view.locator("li.card", { hasText: "onerror" });
  assert.match(await card.getByRole("heading").textContent(), /^Lamp .img src=x onerror=alert\(1\).$/);
  await card.getByRole("switch").click();
  await waitForCertainty(card, "confirmed");
  assert.equal(await house.truth(13, "37-0-currentValue"), true);
  assert.equal(await stage.view.locator("img").count(), 0);
  assert.deepEqual(stage.errors, []);
}

async function brokerOutage(test) {
  const house = await startHouse(test);
  const stage = await openPage(test, house);
  const problems = stage.view.locator("#problems");
  assert.ok(!await problems.isVisible());
  await house.stopBroker();
  await until("the page reports the outage", async () => /broker|connect|reach/i.test(await problems.textContent()), 15_000);
  const card = stage.card("Kitchen", "Ceiling");
  await card.getByRole("switch").click();
  await waitForCertainty(card, "failed", 15_000);
  house.startBroker();
  await until("the page reports no problem any more", async () => !await problems.isVisible(), 40_000);
  await pause(1_000);
  assert.deepEqual(await writes(house, 7), [], "nothing was sent late");
  await card.getByRole("switch").click();
  await waitForCertainty(card, "confirmed", 10_000);
  assert.ok(await house.truth(7, "38-0-currentValue") > 0);
}

export const tests = [
  ["a slider dims once, to the level at which it is released", sliderDims],
  ["of many quick presses, only the needed ones are sent, and the last one wins", quickPresses],
  ["a color is chosen", color],
  ["a thermostat is set by steps, by number and by mode, within its limits", thermostat],
  ["a cover moves, is shown as moving, and stops", cover],
  ["the card of a blind that dies while it moves says that it does not respond", blindDies],
  ["a stop does not wait for the answer to the command that it stops", stopOvertakes],
  ["a lock locks", lock],
  ["a guarded garage door stays shut, and its card says who can allow opening it", garageStaysShut],
  ["each kind of device has its controls, and a scene runs", kinds],
  ["a change by hand appears within five seconds", byHand],
  ["a name with markup is shown as text", nameWithMarkup],
  ["an outage of the broker is reported, and nothing is sent late", brokerOutage],
];
