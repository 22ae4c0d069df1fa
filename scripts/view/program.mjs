// Tests `zwave-mcp-server view`, which is itself the page's host, and shows the page in a browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { pause, until, waitForCertainty } from "./stage.mjs";
import { startHouse } from "./broker.mjs";

class Program {
  static async open({ browser, programs }, args, env = {}, locale = "en-GB") {
    const program = new Program();
    program.process = spawn(programs.server, ["view", "--no-open", ...args],
      { env: { ...env, PATH: process.env.PATH }, stdio: ["ignore", "pipe", "ignore"] });
    const lines = createInterface({ input: program.process.stdout })[Symbol.asyncIterator]();
    const { value } = await lines.next();
    program.context = await browser.chromium.newContext({ viewport: { width: 900, height: 900 }, locale, reducedMotion: "reduce" });
    program.page = await program.context.newPage();
    program.page.setDefaultTimeout(8_000);
    program.requests = [];
    program.page.on("request", (request) => {
      if (request.method() === "POST") program.requests.push(request.postDataJSON());
    });
    await program.page.goto(/http:\S+/.exec(value)[0]);
    program.view = await until("the frame", () => program.page.frames().find((frame) => frame.url().endsWith("/page")));
    await until("the house", () => program.view.locator("li.card").count());
    return program;
  }

  /** Returns how often the whole house was requested. */
  get reads() {
    return this.requests.filter(({ method, params }) => method === "resources/read" && params.uri === "zwave://devices").length;
  }

  card(name) {
    return this.view.locator("li.card", { has: this.view.getByRole("heading", { name, exact: true }) });
  }

  async close() {
    await this.context.close();
    if (this.process.exitCode !== null) return;
    const gone = once(this.process, "exit");
    this.process.kill("SIGINT");
    await gone;
  }
}

async function ends(test) {
  const program = test.closeLater(await Program.open(test, ["--demo"]));
  const gone = once(program.process, "exit");
  program.process.kill("SIGINT");
  await gone;
  const message = program.view.getByText("zwave-mcp-server view has ended. Start it again.");
  await until("the message", () => message.count(), 4_000);
}

async function asks(test) {
  const program = test.closeLater(await Program.open(test, ["--demo", "--guard", "confirm"]));
  const card = program.card("Front Door");
  const unlock = card.getByRole("button", { name: "Unlock Hall Front Door" });
  const focused = () => program.view.evaluate(() => document.hasFocus() && document.activeElement.getAttribute("aria-label"));
  await unlock.focus();
  await program.page.keyboard.press("Enter");
  await until("the question", async () => await program.page.locator("dialog p").textContent() === "Unlock Front Door?");
  await program.page.keyboard.press("Escape");
  assert.match(await waitForCertainty(card, "failed"), /was not unlocked/);
  await until("the focus returns", async () => await focused() === "Unlock Hall Front Door");
  await program.page.keyboard.press("Enter");
  await program.page.getByRole("button", { name: "Yes" }).click();
  assert.match(await waitForCertainty(card, "confirmed", 15_000), /Front Door is now unlocked/);
  await until("the focus returns", async () => await focused() === "Unlock Hall Front Door");
}

async function follows(test) {
  const house = await startHouse(test);
  const program = test.closeLater(await Program.open(test, [], { MQTT_BROKER_URL: `mqtt://127.0.0.1:${house.port}` }, "de-DE"));
  assert.match(await program.view.locator("h1").textContent(), /^Haus$/, "the command 'view' passes on the browser's language");
  await pause(2_500);
  const reads = program.reads;
  await pause(7_000);
  assert.equal(program.reads, reads, "the page does not poll");
  await house.put(7, "38-0-currentValue", 55);
  await until("the change", async () => /^an, 5[56] %/.test(await program.card("Ceiling").locator(".state").textContent()), 3_000);
  const before = program.reads;
  await program.card("Ceiling").getByRole("switch").click();
  await waitForCertainty(program.card("Ceiling"), "confirmed");
  assert.equal(await house.truth(7, "38-0-currentValue"), 0);
  // The page does not poll while it shows an outcome, either. An outcome disappears by itself.
  await until("the outcome disappears", async () => await program.card("Ceiling").getAttribute("data-certainty") === "", 15_000);
  assert.ok(program.reads - before <= 4, `${program.reads - before} readings`);
}

export const tests = [
  ["the command 'view' asks the person, and gives the focus back", asks],
  ["the page does not poll, because the command 'view' reports changes", follows],
  ["the page says within seconds that the command 'view' has ended", ends],
];
