// A page on a stage: the browser, the host around the page, the server behind it, and a record of the messages
// between them.

import { createServer } from "node:http";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { build } from "esbuild";
import { chromium } from "playwright-core";
import { OUTSIDE, SANDBOX } from "./documents.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serves documents to this machine alone, and notes in `strays` what else was asked for. */
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

/** The browser and its two origins, for all tests. */
export class Theatre {
  static async open(programs) {
    const own = new Theatre();
    own.programs = programs;
    own.strays = [];
    const bundled = await build({
      entryPoints: [new URL("host.mjs", import.meta.url).pathname],
      bundle: true, write: false, format: "esm", platform: "browser", logLevel: "error",
    });
    const html = (text) => ({ type: "text/html; charset=utf-8", text });
    const script = { type: "text/javascript", text: bundled.outputFiles[0].text };
    own.outside = await serve({ "/": html(OUTSIDE), "/host.js": script }, own.strays);
    own.sandbox = await serve({ "/": html(SANDBOX) }, own.strays);
    // As root, Chromium can't use its own sandbox.
    const flags = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    own.browser = await chromium.launch({ executablePath: programs.chromium, args: flags });
    return own;
  }

  async close() {
    await this.browser.close();
    this.outside.server.close();
    this.sandbox.server.close();
  }
}

const isReading = ({ method, params }) => method === "resources/read" && params.uri === "zwave://devices";

export class Stage {
  /** Opens the page; the server is started with these arguments and variables. */
  static async open(theatre, { args = ["--demo"], env = {}, width = 900, height = 900, theme = "light", context = {},
    person = false, call, passOn = false, delay = 0, rewrite = (message) => message } = {}) {
    const own = new Stage();
    Object.assign(own, { theatre, delay, rewrite, open: 0, mostAtOnce: 0 });
    own.sent = [];
    own.requests = [];
    own.errors = [];
    own.transport = new StdioClientTransport({
      command: theatre.programs.server, args, env: { ...env, PATH: process.env.PATH }, stderr: "ignore",
    });
    own.context = await theatre.browser.newContext({ viewport: { width, height }, reducedMotion: "reduce" });
    own.page = await own.context.newPage();
    own.page.setDefaultTimeout(8_000);
    own.page.on("request", (request) => own.requests.push(request.url()));
    own.page.on("pageerror", (error) => own.errors.push(error.message));
    own.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) own.errors.push(message.text());
    });
    await own.page.exposeFunction("toServer", (message) => own.toServer(message));
    await own.page.goto(theatre.outside.address);
    own.transport.onmessage = (message) => own.fromServer(message);
    await own.transport.start();
    const hostContext = { theme, locale: "en-GB", displayMode: "inline", containerDimensions: { height, width }, ...context };
    await own.page.evaluate((told) => window.open_view(told),
      { sandbox: theatre.sandbox.address, context: hostContext, person, call, passOn });
    own.view = own.page.frames().find((frame) => frame.parentFrame()?.parentFrame());
    await until("the house", () => own.view.locator("li.card, #problems li").count());
    return own;
  }

  async toServer(message) {
    this.sent.push({ ...message, at: Date.now() });
    if (isReading(message)) this.mostAtOnce = Math.max(this.mostAtOnce, ++this.open);
    await this.transport.send(message);
  }

  /** Hands on what the server says: late, as a failure or otherwise where a test wants that. */
  async fromServer(message) {
    const asked = message.method ? undefined : this.sent.find((sent) => sent.id === message.id);
    let told = this.rewrite(message);
    if (asked && isReading(asked)) {
      if (this.fail) told = { jsonrpc: "2.0", id: message.id, error: { code: -32603, message: this.fail } };
      if (this.delay) await pause(this.delay);
      this.open -= 1;
    }
    await this.page.evaluate((news) => window.fromServer(news), told).catch(() => {});
  }

  /** How often the house was read. */
  get reads() {
    return this.sent.filter(isReading).length;
  }

  /** The commands that reached the server. */
  get calls() {
    const calls = this.sent.filter((message) => message.method === "tools/call");
    return calls.map((message) => message.params.arguments);
  }

  /** The card of a device, by its room and name. */
  card(room, name) {
    const section = this.view.locator("section", { has: this.view.getByRole("heading", { name: room, exact: true, level: 2 }) });
    return section.locator("li.card", { has: this.view.getByRole("heading", { name, exact: true, level: 3 }) });
  }

  /** The host's own reading of the house, past the page. */
  async house() {
    const { contents } = await this.page.evaluate(() => window.client.readResource({ uri: "zwave://devices" }));
    return JSON.parse(contents[0].text);
  }

  async device(room, name) {
    const { devices } = await this.house();
    return devices.find((device) => device.room === room && device.name === name);
  }

  /** What axe-core finds wrong in the page. */
  async violations() {
    await this.view.evaluate(AXE);
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

/** Waits until something holds; fails with what it is about. */
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

/** Waits until a card shows this certainty, and returns what it says. */
export async function certain(card, certainty, patience) {
  const now = () => card.getAttribute("data-certainty");
  await until(`${certainty}, not ${await now()}`, async () => await now() === certainty, patience);
  return card.locator(".outcome").textContent();
}
