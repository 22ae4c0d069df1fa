// Runs the page for a test. A stage is the page in a tab of the browser, with its own host and server, and with a record
// of the messages between the two.

import { createServer } from "node:http";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { OUTSIDE, SANDBOX } from "./documents.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serves documents to this machine alone. If a requested path has no document, adds the path to `strays`. */
async function serve(documents, strays) {
  const server = createServer((request, response) => {
    const document = documents[request.url];
    if (!document) strays.push(request.url);
    response.writeHead(document ? 200 : 404, { "content-type": document?.type ?? "text/plain" });
    response.end(document?.text ?? "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, address: `http://127.0.0.1:${server.address().port}/` };
}

/** The browser and the origins of host and sandbox, shared by all tests. */
export class TestBrowser {
  static async open(programs) {
    const browser = new TestBrowser();
    browser.programs = programs;
    browser.strays = [];
    const bundled = await build({
      entryPoints: [new URL("host.mjs", import.meta.url).pathname],
      bundle: true, write: false, format: "esm", platform: "browser", logLevel: "error",
    });
    const html = (text) => ({ type: "text/html; charset=utf-8", text });
    const script = { type: "text/javascript", text: bundled.outputFiles[0].text };
    browser.outside = await serve({ "/": html(OUTSIDE), "/host.js": script }, browser.strays);
    browser.sandbox = await serve({ "/": html(SANDBOX) }, browser.strays);
    // As root, Chromium can't use its own sandbox.
    const flags = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    browser.chromium = await chromium.launch({ executablePath: programs.chromium, args: flags });
    return browser;
  }

  async close() {
    await this.chromium.close();
    this.outside.server.close();
    this.sandbox.server.close();
  }
}

const isReading = ({ method, params }) => method === "resources/read" && params.uri === "zwave://devices";

/** Lets `change` change the house in an answer to a reading of it. Returns the message. */
export function rewriteHouse(message, change) {
  const content = message.result?.contents?.[0];
  if (content?.uri !== "zwave://devices") return message;
  const house = JSON.parse(content.text);
  change(house);
  content.text = JSON.stringify(house);
  return message;
}

export class Stage {
  /** Starts a server with the arguments `args` and the variables `env`, and opens the page. */
  static async open(browser, { args = ["--demo"], env = {}, width = 900, height = 900, theme = "light", context = {},
    person = false, call, passOnUpdates = false, delay = 0, callDelay = 0, rewrite = (message) => message } = {}) {
    const stage = new Stage();
    Object.assign(stage, { browser, delay, callDelay, rewrite, openReadings: 0, mostOpenReadings: 0 });
    stage.sent = [];
    stage.requests = [];
    stage.errors = [];
    stage.transport = new StdioClientTransport({
      command: browser.programs.server, args, env: { ...env, PATH: process.env.PATH }, stderr: "ignore",
    });
    stage.context = await browser.chromium.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
    stage.page = await stage.context.newPage();
    stage.page.setDefaultTimeout(8_000);
    stage.page.on("request", (request) => stage.requests.push(request.url()));
    stage.page.on("pageerror", (error) => stage.errors.push(error.message));
    stage.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) stage.errors.push(message.text());
    });
    await stage.page.exposeFunction("toServer", (message) => stage.toServer(message));
    await stage.page.goto(browser.outside.address);
    stage.transport.onmessage = (message) => stage.fromServer(message);
    await stage.transport.start();
    const hostContext = { theme, locale: "en-GB", displayMode: "inline", containerDimensions: { height, width }, ...context };
    await stage.page.evaluate((options) => window.open_view(options),
      { sandbox: browser.sandbox.address, context: hostContext, person, call, passOnUpdates });
    stage.view = stage.page.frames().find((frame) => frame.parentFrame()?.parentFrame());
    await until("the house", () => stage.view.locator("li.card, #problems li").count());
    return stage;
  }

  async toServer(message) {
    this.sent.push({ ...message, at: Date.now() });
    if (isReading(message)) this.mostOpenReadings = Math.max(this.mostOpenReadings, ++this.openReadings);
    await this.transport.send(message);
  }

  /** Passes on a message of the server, rewritten. Answers can be delayed. Those to readings can be replaced by a failure. */
  async fromServer(message) {
    const request = message.method ? undefined : this.sent.find((sent) => sent.id === message.id);
    let passedOn = this.rewrite(message);
    if (request?.method === "tools/call" && this.callDelay) await pause(this.callDelay);
    if (request && isReading(request)) {
      if (this.fail) passedOn = { jsonrpc: "2.0", id: message.id, error: { code: -32603, message: this.fail } };
      if (this.delay) await pause(this.delay);
      this.openReadings -= 1;
    }
    await this.page.evaluate((news) => window.fromServer(news), passedOn).catch(() => {});
  }

  /** Returns how often the house was requested. */
  get reads() {
    return this.sent.filter(isReading).length;
  }

  /** Returns the arguments of all tool calls sent to the server. */
  get calls() {
    const calls = this.sent.filter((message) => message.method === "tools/call");
    return calls.map((message) => message.params.arguments);
  }

  card(room, name) {
    const section = this.view.locator("section", { has: this.view.getByRole("heading", { name: room, exact: true, level: 2 }) });
    return section.locator("li.card", { has: this.view.getByRole("heading", { name, exact: true, level: 3 }) });
  }

  /** Reads the house from the server. The request comes from the host, not from the page. */
  async house() {
    const { contents } = await this.page.evaluate(() => window.client.readResource({ uri: "zwave://devices" }));
    return JSON.parse(contents[0].text);
  }

  async device(room, name) {
    const { devices } = await this.house();
    return devices.find((device) => device.room === room && device.name === name);
  }

  /** Returns the faults that axe-core, an accessibility checker, finds in the page. */
  async violations() {
    await this.view.evaluate(AXE);
    // In a page that is scrolled, the rooms' bar may cover half of a button, which axe-core takes for a small one.
    await this.view.evaluate(() => window.scrollTo(0, 0));
    const { violations } = await this.view.evaluate(() => window.axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    }));
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
  }

  async close() {
    await this.context.close();
    await this.transport.close();
  }
}

/** Waits until `holds` returns a true value, and returns this value. If this takes too long, fails with `what`. */
export async function until(what, holds, patience = 8_000) {
  const end = Date.now() + patience;
  for (;;) {
    const held = await holds();
    if (held) return held;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until a card shows this certainty, and returns the outcome's sentence. */
export async function waitForCertainty(card, certainty, patience) {
  const now = () => card.getAttribute("data-certainty");
  await until(`the card's certainty changes from "${await now()}" to "${certainty}"`, async () => await now() === certainty, patience);
  return card.locator(".outcome").textContent();
}
