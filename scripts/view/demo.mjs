// The page with the demo house. Only the radio is simulated. Tests what the page shows and does, and what it must not.

import assert from "node:assert/strict";
import { Stage, certain, pause, until } from "./stage.mjs";

const COFFEE = ["Kitchen", "Coffee Machine"];

async function clickMoves({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  const card = stage.card(...COFFEE);
  assert.equal((await stage.device(...COFFEE)).current.on, false);
  await card.getByRole("switch", { name: "Kitchen Coffee Machine" }).click();
  assert.match(await certain(card, "confirmed"), /✓ .*Coffee Machine is now on/);
  const { current, certainty } = await stage.device(...COFFEE);
  assert.deepEqual([current.on, certainty], [true, "confirmed"]);
  await until("the card says on", async () => await card.locator(".state").textContent() === "on");
  assert.equal(await card.getByRole("switch").getAttribute("aria-checked"), "true");
  assert.deepEqual(stage.calls, [{ deviceName: "Kitchen Coffee Machine", action: "on" }]);
  assert.deepEqual(stage.errors, []);
}

async function keyboardAlone({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  const focused = () => stage.view.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (let presses = 0; await focused() !== "Kitchen Coffee Machine"; presses += 1) {
    assert.ok(presses < 60, "the keyboard does not reach the lamp");
    await stage.page.keyboard.press("Tab");
  }
  const outline = await stage.view.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none", "what has the focus is seen");
  await stage.page.keyboard.press("Space");
  await certain(stage.card(...COFFEE), "confirmed");
  assert.equal((await stage.device(...COFFEE)).current.on, true);
  assert.equal(await stage.view.getByRole("status").textContent(), "Coffee Machine is now on.");
  // A refresh keeps the focus.
  const reads = stage.reads;
  await until("two more readings", () => stage.reads >= reads + 2);
  assert.equal(await focused(), "Kitchen Coffee Machine");
}

async function everyDevice({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  const { devices } = await stage.house();
  const rooms = [...new Set(devices.map((device) => device.room))];
  assert.deepEqual(await stage.view.locator("#rooms h2").allTextContents(), rooms);
  for (const { room, name, state } of devices) {
    const card = stage.card(room, name);
    assert.equal(await card.count(), 1, name);
    const shown = await card.locator(".state, .readings li").allTextContents();
    if (state) assert.deepEqual(shown.filter(Boolean).join(", "), state);
    assert.equal(await card.locator("svg path[d]").count(), 1);
  }
  assert.match(await stage.card("Bedroom", "Window").innerText(), /asleep\s+battery 14%, low/);
  assert.match(await stage.card("Garage", "Freezer Plug").innerText(), /not responding/);
  assert.match(await stage.view.locator("#summary").textContent(), /^17 devices · 1 not responding/);
}

async function readOnly({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre, { args: ["--demo", "--read-only"] }));
  assert.equal(await stage.view.locator("li.card").count(), 17);
  const controls = stage.view.locator("li.card").locator("button, input, select, a, [tabindex], [role=switch]");
  assert.equal(await controls.count(), 0);
  assert.equal(await stage.view.locator(".off:visible").count(), 0);
  assert.doesNotMatch(await stage.view.locator("main").textContent(), /guard/);
}

async function hidden({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre, { args: ["--demo", "--hide", "kind:lock", "--hide", "garage/*"] }));
  const text = await stage.view.locator("main").textContent();
  assert.match(text, /Coffee Machine/);
  assert.doesNotMatch(text, /Front Door|Garage|Work Light/);
}

async function guarded({ theatre, keep }) {
  for (const [guard, opens, says] of [
    ["deny", 0, /Opening is not allowed here; the owner of this server can allow it\./],
    ["confirm", 1, /You are asked before it opens/],
    ["allow", 1, undefined],
  ]) {
    const stage = keep(await Stage.open(theatre, { args: ["--demo", "--guard", guard] }));
    for (const [room, name, action] of [["Garage", "Garage Door", "Open"], ["Hall", "Front Door", "Unlock"]]) {
      const card = stage.card(room, name);
      assert.equal(await card.getByRole("button", { name: new RegExp(`^${action} `) }).count(), opens, `${guard} ${name}`);
      const said = await card.innerText();
      if (says) assert.match(said, says);
      else assert.doesNotMatch(said, /[Oo]pening|asked/);
      assert.doesNotMatch(said, /--/, "no option of the command line");
    }
    assert.equal(await stage.card("Hall", "Front Door").getByRole("button", { name: "Lock Hall Front Door", exact: true }).count(), 1);
  }
}

async function personIsAsked({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre, { args: ["--demo", "--guard", "confirm"], person: true }));
  const card = stage.card("Hall", "Front Door");
  const unlock = card.getByRole("button", { name: "Unlock Hall Front Door" });
  await unlock.click();
  assert.match(await certain(card, "failed"), /Front Door was not unlocked/);
  assert.equal((await stage.device("Hall", "Front Door")).current.locked, true);
  const accept = await stage.page.evaluate(() => {
    window.reply = { action: "accept", content: { allow: true } };
    return window.asked;
  });
  assert.deepEqual(accept, ["Unlock Front Door?"]);
  await unlock.click();
  await certain(card, "confirmed", 15_000);
  assert.equal((await stage.device("Hall", "Front Door")).current.locked, false);
}

/** Text from the wire as bad as can be, past the server, which lets no such text through. */
const EVIL = `<img src=x onerror="parent.postMessage('ran','*');document.title='ran'"><script>document.title='ran'</script>`;

async function textStaysText({ theatre, keep }) {
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
  const stage = keep(await Stage.open(theatre, { rewrite }));
  await until("the name as text", async () => await stage.view.locator("#rooms h3").textContent() === EVIL);
  assert.equal(await stage.view.locator("#rooms h2").textContent(), EVIL);
  assert.equal(await stage.view.locator("#problems li").textContent(), EVIL);
  await stage.view.getByRole("button", { name: /^Lock / }).click();
  await certain(stage.view.locator("li.card"), "failed");
  assert.equal(await stage.view.locator("img, script:not([type=module])").count(), 0);
  assert.equal(await stage.view.evaluate(() => document.title), "Z-Wave house");
  assert.deepEqual(stage.errors, []);
}

async function filter({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  const search = stage.view.getByRole("searchbox");
  const shown = () => stage.view.locator("#rooms li.card:visible h3").allTextContents();
  const leaves = (names) => until(names.join(), async () => (await shown()).join() === names.join());
  const list = await stage.page.evaluate(() => window.client.callTool({ name: "list_zwave_devices", arguments: { filter: "light" } }));
  const [{ text }] = list.content;
  const asked = () => stage.sent.filter(({ params }) => params?.uri === "zwave://devices?filter=light").length;
  await search.pressSequentially("light", { delay: 30 });
  await leaves(["Ceiling", "Work Light", "Ceiling", "Floor Lamp", "Desk Light"]);
  for (const name of await shown()) assert.ok(text.includes(`- ${name}:`), `${name} in ${text}`);
  assert.equal(text.match(/^- /gm).length, 5, "the list finds the same");
  assert.equal(asked(), 1, "it is asked once nobody types");
  const typed = stage.sent.filter(({ params }) => /filter=l/.test(params?.uri) && !params.uri.endsWith("=lights"));
  assert.equal(typed.length, 1, "not at each letter");
  const reads = stage.reads;
  await until("two more readings", () => stage.reads >= reads + 2);
  assert.equal((await shown()).length, 5, "a refresh keeps the filter");
  assert.ok(asked() > 1, "and asks again");
  await search.fill("kitchen DIM");
  await leaves(["Ceiling"]);
  assert.deepEqual(await stage.view.locator("h2:visible").allTextContents(), ["Kitchen"]);
  await search.fill("nothing like this");
  await leaves([]);
  assert.match(await stage.view.locator("#nothing").textContent(), /No device matches “nothing like this”/);
  await search.fill("");
  await until("all", async () => (await shown()).length === 17);
}

async function unreadWhileHidden({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  await until("two readings", () => stage.reads >= 2);
  const quiet = async (why) => {
    await pause(500);
    const reads = stage.reads;
    await pause(5_000);
    assert.equal(stage.reads, reads, why);
  };
  // The page is scrolled out of view, as in a long conversation.
  await stage.page.evaluate(() => { document.body.style.paddingTop = "5000px"; });
  await quiet("far below the screen");
  await stage.page.evaluate(() => { document.body.style.paddingTop = "0"; });
  const reads = stage.reads;
  await until("the next reading comes at once", () => stage.reads > reads, 1_500);
  // The page is in a background tab. A browser without a screen has none, so the page is told that it is hidden.
  const tell = (state) => stage.view.evaluate((told) => {
    Object.defineProperty(document, "visibilityState", { value: told, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, state);
  await tell("hidden");
  await quiet("in a hidden tab");
  const before = stage.reads;
  await tell("visible");
  await until("the next reading comes at once", () => stage.reads > before, 1_500);
}

async function slowAndFailed({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre, { delay: 3_000 }));
  const reads = stage.reads;
  await pause(5_500);
  assert.ok(stage.reads - reads <= 2, `one reading at a time, not ${stage.reads - reads}`);
  // Nor if many updates arrive while it lasts.
  const told = stage.reads;
  for (let time = 0; time < 5; time += 1) await stage.page.evaluate(() => window.bridge.sendResourceListChanged());
  await until("the next reading", () => stage.reads > told);
  assert.equal(stage.mostAtOnce, 1);
  stage.delay = 0;
  stage.fail = "The broker at mqtt://127.0.0.1:1 can't be reached.";
  await until("the sentence", async () => (await stage.view.locator("#problems").innerText()) === stage.fail);
  assert.equal(await stage.view.locator("li.card").count(), 17, "what was read before stays");
  stage.fail = undefined;
  await until("it goes on", async () => !(await stage.view.locator("#problems").isVisible()));
}

async function nothingLeaves({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  await until("three readings", () => stage.reads >= 3, 12_000);
  const ours = [theatre.outside.address, theatre.sandbox.address];
  const others = stage.requests.filter((url) => !ours.some((own) => url.startsWith(own)) && !/^(data|about):/.test(url));
  assert.deepEqual(others, []);
  assert.deepEqual(stage.errors, [], "no policy is violated");
  // And it could not load any: the page's own policy forbids it, even if the host's does not.
  const tried = await stage.view.evaluate(async (address) => {
    const refused = [];
    document.addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
    await fetch(address).catch(() => {});
    new Image().src = address;
    // The policy does not apply to code that a debugger evaluates, so this runs later.
    setTimeout(() => {
      try { new Function("return 1")(); } catch { refused.push("function"); }
    }, 0);
    try { document.body.innerHTML = "<b>x</b>"; } catch { refused.push("markup"); }
    await new Promise((resolve) => setTimeout(resolve, 300));
    return refused;
  }, `${theatre.sandbox.address}stray`);
  for (const one of ["connect-src", "img-src", "function", "markup"]) assert.ok(tried.includes(one), `${one} in ${tried}`);
}

async function hostContext({ theatre, keep }) {
  const variables = { "--color-background-primary": "rgb(1, 2, 3)", "--color-text-primary": "rgb(250, 251, 252)" };
  const stage = keep(await Stage.open(theatre, {
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
  assert.match(await stage.view.locator("main").textContent(), /Batterie 14\s%/, "as German has it");
  await until("the size", () => stage.page.evaluate(() => window.sizes.at(-1)?.height === 500));
  await stage.page.evaluate(() => window.bridge.setHostContext({ theme: "light", locale: "en-US" }));
  await until("the light theme", async () => (await seen()).scheme === "light");
  await stage.view.getByRole("searchbox").fill("coffee");
  await until("a smaller size", () => stage.page.evaluate(() => window.sizes.at(-1)?.height < 300));
}

async function hostsRequests({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  await until("two readings", () => stage.reads >= 2);
  const app = await stage.page.evaluate(() => window.bridge.getAppVersion());
  assert.equal(app.name, "zwave-mcp-server");
  assert.deepEqual(await stage.page.evaluate(() => window.bridge.teardownResource({})), {});
  const reads = stage.reads;
  await stage.page.evaluate(() => window.bridge.sendResourceListChanged());
  await pause(4_500);
  assert.equal(stage.reads, reads, "nothing is read after the end");
}

async function foreignMessages({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre));
  // A sender that is not the page's host: here the page itself.
  await stage.view.evaluate(() => window.postMessage({
    jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: { theme: "dark" },
  }, "*"));
  await pause(300);
  assert.equal(await stage.view.evaluate(() => document.documentElement.dataset.theme), "light");
}

async function conversation({ theatre, keep }) {
  const call = { name: "control_zwave_device", arguments: { deviceName: "coffee machine", action: "on" } };
  const stage = keep(await Stage.open(theatre, { call }));
  assert.match(await certain(stage.card(...COFFEE), "confirmed"), /Coffee Machine is now on/);
  assert.equal(stage.calls.length, 1, "what the conversation did is not done again");
  const doubt = { name: "control_zwave_device", arguments: { deviceName: "ceiling", action: "on" } };
  const other = keep(await Stage.open(theatre, { call: doubt }));
  await until("the answer", async () => /Which one/.test(await other.view.locator("#answer").innerText()));
  for (const [filter, cards] of [["kitchen", 2], ["all kitchen lamps", 1]]) {
    const list = { name: "list_zwave_devices", arguments: { filter } };
    const third = keep(await Stage.open(theatre, { call: list }));
    await until(filter, async () => await third.view.locator("#rooms li.card:visible").count() === cards);
  }
}

async function subscription({ theatre, keep }) {
  const stage = keep(await Stage.open(theatre, { passOn: true }));
  assert.equal(stage.sent.filter((message) => message.method === "resources/subscribe").length, 1);
  await pause(1_000);
  const reads = stage.reads;
  await pause(6_000);
  assert.equal(stage.reads, reads, "nobody asks where one is told");
  await stage.page.evaluate(() => window.client.callTool(
    { name: "control_zwave_device", arguments: { deviceName: "coffee machine", action: "on" } }));
  await until("the change", async () => await stage.card(...COFFEE).locator(".state").textContent() === "on", 3_000);
}

export const tests = [
  ["a click moves the lamp, and the proof appears", clickMoves],
  ["the keyboard alone switches a lamp, and keeps its place", keyboardAlone],
  ["every device is shown in its room, with what is out of the ordinary", everyDevice],
  ["a server that only reads has no control on the page", readOnly],
  ["a hidden device is not there", hidden],
  ["what opens something is offered as the owner allows it, and the card says so", guarded],
  ["a person is asked before a guarded lock opens, and a no keeps it shut", personIsAsked],
  ["text from the wire stays text, and nothing in it runs", textStaysText],
  ["the filter is the list's own, also after a refresh", filter],
  ["nothing is read while nobody can see the page", unreadWhileHidden],
  ["a slow reading is waited for, and a failed one is said and repeated", slowAndFailed],
  ["no request leaves the page, and none could", nothingLeaves],
  ["the host's theme, language, space and safe areas are obeyed", hostContext],
  ["the page ends when its host says so", hostsRequests],
  ["messages of others than the host are not heard", foreignMessages],
  ["what the conversation did is shown at its device", conversation],
  ["where a host passes changes on, they are shown, and nobody asks for them", subscription],
];
