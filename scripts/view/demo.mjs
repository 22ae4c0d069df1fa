// Tests the page with the demo house: what the page shows and does, and what it must not do.

import assert from "node:assert/strict";
import { Stage, pause, until, waitForCertainty } from "./stage.mjs";

const COFFEE = ["Kitchen", "Coffee Machine"];

async function clickSwitches({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  const card = stage.card(...COFFEE);
  assert.equal((await stage.device(...COFFEE)).current.on, false);
  await card.getByRole("switch", { name: "Kitchen Coffee Machine" }).click();
  assert.match(await waitForCertainty(card, "confirmed"), /✓ .*Coffee Machine is now on/);
  const { current, certainty } = await stage.device(...COFFEE);
  assert.deepEqual([current.on, certainty], [true, "confirmed"]);
  await until("the card says on", async () => await card.locator(".state").textContent() === "on");
  assert.equal(await card.getByRole("switch").getAttribute("aria-checked"), "true");
  assert.deepEqual(stage.calls, [{ deviceName: "Kitchen Coffee Machine", action: "on" }]);
  assert.deepEqual(stage.errors, []);
}

async function keyboardAlone({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  const focused = () => stage.view.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (let presses = 0; await focused() !== "Kitchen Coffee Machine"; presses += 1) {
    assert.ok(presses < 60, "the keyboard does not reach the switch");
    await stage.page.keyboard.press("Tab");
  }
  const outline = await stage.view.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "the focus is visible");
  await stage.page.keyboard.press("Space");
  await waitForCertainty(stage.card(...COFFEE), "confirmed");
  assert.equal((await stage.device(...COFFEE)).current.on, true);
  assert.equal(await stage.view.getByRole("status").textContent(), "Coffee Machine is now on.");
  // A refresh keeps the focus.
  const reads = stage.reads;
  await until("two more readings", () => stage.reads >= reads + 2);
  assert.equal(await focused(), "Kitchen Coffee Machine");
}

async function everyDevice({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  const { devices } = await stage.house();
  const rooms = [...new Set(devices.map((device) => device.room))];
  assert.deepEqual(await stage.view.locator("#rooms h2").allTextContents(), rooms);
  for (const { room, name, state } of devices) {
    const card = stage.card(room, name);
    assert.equal(await card.count(), 1, name);
    const texts = await card.locator(".state, .readings li").allTextContents();
    if (state) assert.deepEqual(texts.filter(Boolean).join(", "), state);
    assert.equal(await card.locator("svg path[d]").count(), 1);
  }
  assert.match(await stage.card("Bedroom", "Window").innerText(), /asleep\s+battery 14%, low/);
  assert.match(await stage.card("Garage", "Freezer Plug").innerText(), /not responding\s+check that it has power, and ping it in zwave-js-ui$/i);
  assert.equal(await stage.view.locator(".advice:visible").count(), 2, "only the two problems have advice");
  const list = await stage.page.evaluate(() => window.client.callTool({ name: "list_zwave_devices", arguments: { filter: "problems" } }));
  for (const advice of await stage.view.locator(".advice:visible").allTextContents()) assert.ok(list.content[0].text.includes(advice), advice);
  assert.match(await stage.view.locator("#summary").textContent(), /^17 devices · 1 not responding/);
}

async function noBlack({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  const card = stage.card("Office", "Desk Light");
  await card.getByRole("switch").click();
  await waitForCertainty(card, "confirmed");
  await until("the brightness", async () => /^on/.test(await card.locator(".state").textContent()));
  assert.equal(await card.locator(".state").textContent(), "on 100 %", "no color while no colored lamp is lit");
}

async function readOnly({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { args: ["--demo", "--read-only"] }));
  assert.equal(await stage.view.locator("li.card").count(), 17);
  const controls = stage.view.locator("li.card").locator("button, input, select, a, [tabindex], [role=switch]");
  assert.equal(await controls.count(), 0);
  assert.equal(await stage.view.locator(".off:visible").count(), 0);
  assert.doesNotMatch(await stage.view.locator("main").textContent(), /guard/);
}

async function hidden({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { args: ["--demo", "--hide", "kind:lock", "--hide", "garage/*"] }));
  const text = await stage.view.locator("main").textContent();
  assert.match(text, /Coffee Machine/);
  assert.doesNotMatch(text, /Front Door|Garage|Work Light/);
}

async function guarded({ browser, closeLater }) {
  // For each guard: the number of buttons that open something, and the note on the card.
  for (const [guard, count, opening, unlocking] of [
    ["deny", 0, /Opening is not allowed here; the owner of this server can allow it\./, /Unlocking is not allowed here; the owner/],
    ["confirm", 1, /You are asked before it opens/, /You are asked before it is unlocked/],
    ["allow", 1],
  ]) {
    const stage = closeLater(await Stage.open(browser, { args: ["--demo", "--guard", guard] }));
    for (const [room, name, action, note] of [["Garage", "Garage Door", "Open", opening], ["Hall", "Front Door", "Unlock", unlocking]]) {
      const card = stage.card(room, name);
      assert.equal(await card.getByRole("button", { name: new RegExp(`^${action} `) }).count(), count, `${guard} ${name}`);
      const text = await card.innerText();
      if (note) assert.match(text, note);
      else assert.doesNotMatch(text, /[Oo]pening|[Uu]nlocking|asked/);
      assert.doesNotMatch(text, /--/, "the card names no command-line option");
    }
    assert.equal(await stage.card("Hall", "Front Door").getByRole("button", { name: "Lock Hall Front Door", exact: true }).count(), 1);
  }
}

async function personIsAsked({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { args: ["--demo", "--guard", "confirm"], person: true, callDelay: 1_000 }));
  const card = stage.card("Hall", "Front Door");
  const unlock = card.getByRole("button", { name: "Unlock Hall Front Door" });
  await unlock.click();
  assert.equal(await waitForCertainty(card, "pending"), "… you are asked first");
  assert.match(await waitForCertainty(card, "failed"), /Front Door was not unlocked/);
  assert.equal((await stage.device("Hall", "Front Door")).current.locked, true);
  const questions = await stage.page.evaluate(() => {
    window.reply = { action: "accept", content: { allow: true } };
    return window.asked;
  });
  assert.deepEqual(questions, ["Unlock Front Door?"]);
  await unlock.click();
  await waitForCertainty(card, "confirmed", 15_000);
  assert.equal((await stage.device("Hall", "Front Door")).current.locked, false);
  await card.getByRole("button", { name: "Lock Hall Front Door", exact: true }).click();
  assert.equal(await waitForCertainty(card, "pending"), "… on its way", "nobody is asked before it is locked");
}

/** Malicious text. The server never sends such text, so the test puts the text into the server's messages. */
const EVIL = `<img src=x onerror="parent.postMessage('ran','*');document.title='ran'"><script>document.title='ran'</script>`;

async function textStaysText({ browser, closeLater }) {
  const rewrite = (message) => {
    const text = message.result?.contents?.[0]?.text;
    if (!text?.startsWith("{")) return message;
    const house = JSON.parse(text);
    for (const device of house.devices) {
      for (const field of ["name", "room", "state", "kind", "controlName", "age", "silentFor"]) device[field] = EVIL;
      device.modes = [EVIL];
      device.actions = ["on", "off", "set_mode", "open", "close", "lock", EVIL];
      device.current = { on: true, mode: EVIL, color: EVIL, moving: EVIL };
    }
    house.devices = house.devices.slice(0, 1);
    house.problems = [EVIL];
    message.result.contents[0].text = JSON.stringify(house);
    return message;
  };
  const stage = closeLater(await Stage.open(browser, { rewrite }));
  await until("the name as text", async () => await stage.view.locator("#rooms h3").textContent() === EVIL);
  assert.equal(await stage.view.locator("#rooms h2").textContent(), EVIL);
  assert.equal(await stage.view.locator("#problems li").textContent(), EVIL);
  await stage.view.getByRole("button", { name: /^Lock / }).click();
  await waitForCertainty(stage.view.locator("li.card"), "failed");
  assert.equal(await stage.view.locator("img, script:not([type=module])").count(), 0);
  assert.equal(await stage.view.evaluate(() => document.title), "Z-Wave house");
  assert.deepEqual(stage.errors, []);
}

async function filter({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  const search = stage.view.getByRole("searchbox");
  const visibleNames = () => stage.view.locator("#rooms li.card:visible h3").allTextContents();
  const waitFor = (names) => until(names.join(), async () => (await visibleNames()).join() === names.join());
  const list = await stage.page.evaluate(() => window.client.callTool({ name: "list_zwave_devices", arguments: { filter: "light" } }));
  const [{ text }] = list.content;
  const asked = () => stage.sent.filter(({ params }) => params?.uri === "zwave://devices?filter=light").length;
  await search.pressSequentially("light", { delay: 30 });
  await waitFor(["Ceiling", "Work Light", "Ceiling", "Floor Lamp", "Desk Light"]);
  for (const name of await visibleNames()) assert.ok(text.includes(`- ${name}:`), `${name} in ${text}`);
  assert.equal(text.match(/^- /gm).length, 5, "the tool that lists devices finds these five, too");
  assert.equal(asked(), 1, "the page applies the filter once, after the typing");
  const typed = stage.sent.filter(({ params }) => /filter=l/.test(params?.uri) && !params.uri.endsWith("=lights"));
  assert.equal(typed.length, 1, "the filter is not applied at each letter");
  const reads = stage.reads;
  await until("two more readings", () => stage.reads >= reads + 2);
  assert.equal((await visibleNames()).length, 5, "a refresh keeps the filter");
  await until("a refresh applies the filter again", () => asked() > 1);
  await search.fill("kitchen DIM");
  await waitFor(["Ceiling"]);
  const roomOff = stage.view.locator("button.off:visible");
  assert.equal(await roomOff.count(), 0, "a room is not turned off while the filter leaves out a part of it");
  await search.fill("kitchen");
  await waitFor(["Ceiling", "Coffee Machine"]);
  assert.equal(await roomOff.count(), 1);
  assert.deepEqual(await stage.view.locator("h2:visible").allTextContents(), ["Kitchen"]);
  await search.fill("nothing like this");
  await waitFor([]);
  assert.match(await stage.view.locator("#nothing").textContent(), /No device matches “nothing like this”/);
  await search.fill("desk lihgt");
  const nothing = () => stage.view.locator("#nothing").textContent();
  await until("the nearest names", async () => (await nothing()).includes("The nearest names: Office Desk Light, Garage Work Light."));
  await search.fill("");
  await until("all devices are shown again", async () => (await visibleNames()).length === 17);
}

async function unreadWhileHidden({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  await until("two readings", () => stage.reads >= 2);
  const expectNoReading = async (why) => {
    await pause(500);
    const reads = stage.reads;
    await pause(5_000);
    assert.equal(stage.reads, reads, why);
  };
  // Scroll the page out of view, as in a long conversation.
  await stage.page.evaluate(() => { document.body.style.paddingTop = "5000px"; });
  await expectNoReading("the page reads nothing while it is far below the screen");
  await stage.page.evaluate(() => { document.body.style.paddingTop = "0"; });
  const reads = stage.reads;
  await until("the next reading comes at once", () => stage.reads > reads, 1_500);
  // A headless browser has no background tabs, so the test changes the page's visibility state itself.
  const setVisibility = (state) => stage.view.evaluate((value) => {
    Object.defineProperty(document, "visibilityState", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
  await setVisibility("hidden");
  await expectNoReading("the page reads nothing in a hidden tab");
  const before = stage.reads;
  await setVisibility("visible");
  await until("the next reading comes at once", () => stage.reads > before, 1_500);
}

async function slowAndFailed({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { delay: 3_000 }));
  const reads = stage.reads;
  await pause(5_500);
  assert.ok(stage.reads - reads <= 2, `one reading at a time, not ${stage.reads - reads}`);
  // Notifications that arrive during a reading do not start a second reading at the same time.
  const before = stage.reads;
  for (let time = 0; time < 5; time += 1) await stage.page.evaluate(() => window.bridge.sendResourceListChanged());
  await until("the next reading", () => stage.reads > before);
  assert.equal(stage.mostOpenReadings, 1);
  stage.delay = 0;
  stage.fail = "The broker at mqtt://127.0.0.1:1 can't be reached.";
  await until("the page shows the failure", async () => (await stage.view.locator("#problems").innerText()) === stage.fail);
  assert.equal(await stage.view.locator("li.card").count(), 17, "the devices of the last reading stay");
  stage.fail = undefined;
  await until("the error is gone", async () => !(await stage.view.locator("#problems").isVisible()));
}

async function loadsNothing({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  await until("three readings", () => stage.reads >= 3, 12_000);
  const ours = [browser.outside.address, browser.sandbox.address];
  const foreign = stage.requests.filter((url) => !ours.some((address) => url.startsWith(address)) && !/^(data|about):/.test(url));
  assert.deepEqual(foreign, []);
  assert.deepEqual(stage.errors, [], "no policy is violated");
  // The sandbox sets no policy, so only the page's own policy can refuse what the page tries here.
  const refused = await stage.view.evaluate(async (address) => {
    const refused = [];
    document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
    await fetch(address).catch(() => {});
    new Image().src = address;
    // The policy does not apply to code that a debugger evaluates, so this code runs in a timer.
    setTimeout(() => {
      try { new Function("return 1")(); } catch { refused.push("function"); }
    }, 0);
    try { document.body.innerHTML = "<b>x</b>"; } catch { refused.push("markup"); }
    await new Promise((resolve) => setTimeout(resolve, 300));
    return refused;
  }, `${browser.sandbox.address}stray`);
  for (const attempt of ["connect-src", "img-src", "function", "markup"]) assert.ok(refused.includes(attempt), `${attempt} in ${refused}`);
}

async function hostContext({ browser, closeLater }) {
  const variables = { "--color-background-primary": "rgb(1, 2, 3)", "--color-text-primary": "rgb(250, 251, 252)" };
  const stage = closeLater(await Stage.open(browser, {
    context: {
      theme: "dark", locale: "de-DE", timeZone: "UTC", styles: { variables }, containerDimensions: { maxHeight: 500, maxWidth: 900 },
      safeAreaInsets: { top: 30, right: 0, bottom: 0, left: 17 },
    },
  }));
  const seen = () => stage.view.evaluate(() => ({
    scheme: getComputedStyle(document.documentElement).colorScheme,
    back: getComputedStyle(document.documentElement).backgroundColor,
    text: getComputedStyle(document.documentElement).color,
    padding: getComputedStyle(document.querySelector("main")).padding,
  }));
  assert.deepEqual(await seen(), {
    scheme: "dark", back: "rgb(1, 2, 3)", text: "rgb(250, 251, 252)", padding: "42px 12px 12px 29px",
  });
  assert.match(await stage.view.locator("main").textContent(), /Batterie 14\s%/, "the number is written as in German");
  await until("the size", () => stage.page.evaluate(() => window.sizes.at(-1)?.height === 500));
  await stage.page.evaluate(() => window.bridge.setHostContext({ theme: "light", locale: "en-US" }));
  await until("the light theme", async () => (await seen()).scheme === "light");
  await stage.view.getByRole("searchbox").fill("coffee");
  await until("a smaller size", () => stage.page.evaluate(() => window.sizes.at(-1)?.height < 300));
}

async function endsOnRequest({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  await until("two readings", () => stage.reads >= 2);
  const app = await stage.page.evaluate(() => window.bridge.getAppVersion());
  assert.equal(app.name, "zwave-mcp-server");
  assert.deepEqual(await stage.page.evaluate(() => window.bridge.teardownResource({})), {});
  const reads = stage.reads;
  await stage.page.evaluate(() => window.bridge.sendResourceListChanged());
  await pause(4_500);
  assert.equal(stage.reads, reads, "the page reads nothing after its end");
}

async function foreignMessages({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser));
  // The page sends this message to itself.
  await stage.view.evaluate(() => window.postMessage({
    jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: { theme: "dark" },
  }, "*"));
  await pause(300);
  assert.equal(await stage.view.evaluate(() => document.documentElement.dataset.theme), "light");
}

async function conversation({ browser, closeLater }) {
  const call = { name: "control_zwave_device", arguments: { deviceName: "coffee machine", action: "on" } };
  const stage = closeLater(await Stage.open(browser, { call }));
  assert.match(await waitForCertainty(stage.card(...COFFEE), "confirmed"), /Coffee Machine is now on/);
  assert.equal(stage.calls.length, 1, "the page does not repeat the conversation's call");
  const ambiguous = { name: "control_zwave_device", arguments: { deviceName: "ceiling", action: "on" } };
  const afterRefusal = closeLater(await Stage.open(browser, { call: ambiguous }));
  await until("the answer", async () => /Which one/.test(await afterRefusal.view.locator("#answer").innerText()));
  for (const [filter, cards] of [["kitchen", 2], ["all kitchen lamps", 1]]) {
    const list = { name: "list_zwave_devices", arguments: { filter } };
    const afterList = closeLater(await Stage.open(browser, { call: list }));
    await until(`only the cards that match "${filter}"`, async () => await afterList.view.locator("#rooms li.card:visible").count() === cards);
  }
}

async function subscription({ browser, closeLater }) {
  const stage = closeLater(await Stage.open(browser, { passOnUpdates: true }));
  assert.equal(stage.sent.filter((message) => message.method === "resources/subscribe").length, 1);
  await pause(1_000);
  const reads = stage.reads;
  await pause(6_000);
  assert.equal(stage.reads, reads, "the page does not poll");
  await stage.page.evaluate(() => window.client.callTool(
    { name: "control_zwave_device", arguments: { deviceName: "coffee machine", action: "on" } }));
  await until("the change", async () => await stage.card(...COFFEE).locator(".state").textContent() === "on", 3_000);
}

export const tests = [
  ["a click switches a device, and the card shows that this is confirmed", clickSwitches],
  ["the keyboard alone switches a device, and a refresh keeps the focus", keyboardAlone],
  ["every device is shown in its room, with its problems", everyDevice],
  ["a light that is on is not called black", noBlack],
  ["a read-only server's page has no controls", readOnly],
  ["a hidden device is not on the page", hidden],
  ["a card offers only what the guard allows, and says what the guard does", guarded],
  ["a person is asked before a guarded lock opens, and a refusal keeps it locked", personIsAsked],
  ["text from the server stays text, and nothing in it runs", textStaysText],
  ["the filter finds what the listing tool finds, also after a refresh", filter],
  ["nothing is read while nobody can see the page", unreadWhileHidden],
  ["the page waits for a slow reading, reports a failed one, and then reads again", slowAndFailed],
  ["the page loads nothing from elsewhere, and its own policy forbids such loads", loadsNothing],
  ["the page follows the host's theme, language, space and safe areas", hostContext],
  ["the page stops when its host tears it down", endsOnRequest],
  ["messages from anyone but the host are ignored", foreignMessages],
  ["the outcome of a call made in the conversation is shown on the device's card", conversation],
  ["changes that the host forwards are shown without polling", subscription],
];
