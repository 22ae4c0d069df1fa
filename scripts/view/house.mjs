// A simulated house on a Mosquitto of its own, and the questions it answers.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

export class House {
  static async start(programs, nodes) {
    const own = new House();
    own.programs = programs;
    own.folder = mkdtempSync(join(tmpdir(), "view-"));
    own.port = await freePort();
    own.config = join(own.folder, "mosquitto.conf");
    writeFileSync(own.config, `listener ${own.port} 127.0.0.1\nallow_anonymous true\npersistence false\n`);
    own.startBroker();
    own.process = spawn(programs.house, nodes ? [String(own.port), own.file(nodes)] : [String(own.port)],
      { stdio: ["pipe", "pipe", "ignore"] });
    own.lines = createInterface({ input: own.process.stdout })[Symbol.asyncIterator]();
    await own.line();
    return own;
  }

  /** Nodes or a house as a file: a path stays one. */
  file(nodes) {
    if (typeof nodes === "string") return nodes;
    const path = join(this.folder, "nodes.json");
    writeFileSync(path, JSON.stringify(nodes));
    return path;
  }

  startBroker() {
    this.broker = spawn(this.programs.mosquitto, ["-c", this.config], { stdio: "ignore" });
  }

  async stopBroker() {
    const gone = once(this.broker, "exit");
    this.broker.kill();
    await gone;
  }

  async line() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error("the house ended");
    return value;
  }

  async ask(question) {
    this.process.stdin.write(`${question}\n`);
    return JSON.parse(await this.line());
  }

  /** What was written to the gateway so far: node, key and value each. */
  received() {
    return this.ask("received");
  }

  truth(node, key) {
    return this.ask(`truth ${node} ${key}`);
  }

  put(node, key, value) {
    return this.ask(`put ${node} ${key} ${JSON.stringify(value)}`);
  }

  async end() {
    const gone = once(this.process, "exit");
    this.process.stdin.end();
    await gone;
    await this.stopBroker();
    rmSync(this.folder, { recursive: true });
  }
}
