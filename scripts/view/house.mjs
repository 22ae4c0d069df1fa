// A simulated house on a Mosquitto of its own. The program of the house, scripts/interop/house.rs, describes
// the commands that `ask` sends.

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
    const house = new House();
    house.programs = programs;
    house.folder = mkdtempSync(join(tmpdir(), "view-"));
    house.port = await freePort();
    house.config = join(house.folder, "mosquitto.conf");
    writeFileSync(house.config, `listener ${house.port} 127.0.0.1\nallow_anonymous true\npersistence false\n`);
    house.startBroker();
    house.process = spawn(programs.house, nodes ? [String(house.port), house.file(nodes)] : [String(house.port)],
      { stdio: ["pipe", "pipe", "ignore"] });
    house.lines = createInterface({ input: house.process.stdout })[Symbol.asyncIterator]();
    await house.line();
    return house;
  }

  /**
   * Writes `nodes` into a file, and returns the file's path. `nodes` is a `getNodes` reply, or a house in the
   * format of fixtures/houses. If `nodes` is a path already, returns it.
   */
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

  async ask(command) {
    this.process.stdin.write(`${command}\n`);
    return JSON.parse(await this.line());
  }

  /** Returns the node, the key and the value of each write so far. */
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
