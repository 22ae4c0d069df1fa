// Checks the entries of hosts that can't be run here. add-mcp is a program by others that writes a server's entry into
// the files of many hosts. For each of these hosts, `doctor` must print the same entry, and name the same file.
//
// formats.mjs FOLDER SERVER: add-mcp is installed in FOLDER. Prints a table. Fails if an entry or a file differs, or if
// docs/MEASURED.md lacks a line of the table.

import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";

const [folder, server] = process.argv.slice(2);
const require = createRequire(join(folder, "package.json"));
const { parse: parseJson } = require("jsonc-parser");
const yaml = require("js-yaml");
const { version } = JSON.parse(readFileSync(join(folder, "node_modules/add-mcp/package.json")));

// For each host: its id for `doctor --host`, add-mcp's word for it, and the keys that only add-mcp writes, and that the
// host can do without. `before` is what the file has before. `inner` is what OpenCode 2 has around the servers,
// according to the note of its entry.
const HOSTS = [
  { name: "Claude Desktop", id: "claude-desktop", agent: "claude-desktop" },
  { name: "VS Code", id: "vs-code", agent: "vscode", inProject: true, optional: ["type"] },
  { name: "Cursor", id: "cursor", agent: "cursor" },
  { name: "Devin Desktop", id: "devin-desktop", agent: "windsurf" },
  { name: "Zed", id: "zed", agent: "zed", spare: ["source"] },
  { name: "Goose", id: "goose", agent: "goose", spare: ["description"] },
  { name: "OpenCode", id: "opencode", agent: "opencode", spare: ["enabled"], before: { mcp: {} } },
  { name: "OpenCode 2", id: "opencode", agent: "opencode", spare: ["enabled"], before: { mcp: { servers: {} } }, inner: "servers" },
];
const SETTINGS = ["--broker", "mqtt://127.0.0.1:1883", "--guard", "confirm"];

function run(command, args, options = {}) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
}

function read(text, format) {
  return format === "yaml" ? yaml.load(text) : parseJson(text);
}

function filesBelow(top) {
  const entries = readdirSync(top, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

// Returns the keys that lead to the server's entry, joined with dots, and the entry.
function findServer(value, path = []) {
  for (const [key, inner] of Object.entries(value ?? {})) {
    if (key === "zwave") return { path: path.join("."), entry: inner };
    const found = inner && typeof inner === "object" && findServer(inner, [...path, key]);
    if (found) return found;
  }
}

// Returns what differs between doctor's entry and add-mcp's, or an empty list.
function compare(host, common) {
  const { text, format, file } = JSON.parse(run(server, ["doctor", "--host", host.id, "--json", ...SETTINGS]))[host.id];
  const ours = findServer(read(text, format));
  const path = host.inner ? `${ours.path}.${host.inner}` : ours.path;
  const home = mkdtempSync(join(tmpdir(), "formats-"));
  try {
    const project = join(home, "project");
    mkdirSync(project);
    if (host.before) {
      const before = join(home, file.replace("~/", ""));
      mkdirSync(dirname(before), { recursive: true });
      writeFileSync(before, JSON.stringify(host.before));
    }
    const env = Object.entries(common.env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);
    const args = common.args.map((word) => `--args=${word}`);
    const scope = host.inProject ? [] : ["--global"];
    const options = [...scope, "--agent", host.agent, "--name", "zwave", ...args, ...env, "--yes"];
    const environment = { PATH: process.env.PATH, HOME: home, NO_COLOR: "1", CI: "1" };
    const words = [join(folder, "node_modules/add-mcp/dist/index.js"), common.command, ...options];
    run(process.execPath, words, { cwd: project, env: environment });
    const [written, ...others] = filesBelow(home);
    const place = written.replace(`${project}/`, "").replace(`${home}/`, "~/");
    const theirs = findServer(read(readFileSync(written, "utf8"), format));
    const printed = run(server, ["doctor", "--host", host.id, ...SETTINGS]);
    const faults = others.map((other) => `add-mcp also wrote ${other}`);
    if (!printed.includes(place) && !(file && !file.includes("/") && place.endsWith(`/${file}`))) {
      faults.push(`doctor does not name ${place}`);
    }
    if (theirs?.path !== path) faults.push(`add-mcp puts servers under ${theirs?.path}, and doctor under ${path}`);
    for (const key of new Set([...Object.keys(ours.entry), ...Object.keys(theirs?.entry ?? {})])) {
      const [our, their] = [ours.entry[key], theirs?.entry[key]];
      const isAllowed = their === undefined ? host.optional?.includes(key) : our === undefined && host.spare?.includes(key);
      if (!isAllowed && !isDeepStrictEqual(our, their)) {
        faults.push(`${key} is ${JSON.stringify(our)} by doctor, and ${JSON.stringify(their)} by add-mcp`);
      }
    }
    return faults;
  } finally {
    rmSync(home, { recursive: true });
  }
}

const first = JSON.parse(run(server, ["doctor", "--host", "claude-desktop", "--json", ...SETTINGS]));
const common = findServer(JSON.parse(first["claude-desktop"].text)).entry;
const known = readFileSync(new URL("../../docs/MEASURED.md", import.meta.url), "utf8").split("\n");
const today = new Date().toISOString().slice(0, 10);
console.log("| host | checked with | version | entry | last run |\n|---|---|---|---|---|");
for (const host of HOSTS) {
  const faults = compare(host, common);
  const line = `| ${host.name} | add-mcp | ${version} | ${faults.length ? "DIFFERS" : "the same"} |`;
  console.log(`${line} ${today} |`);
  if (!known.some((row) => row.startsWith(line))) faults.push("docs/MEASURED.md lacks this line");
  faults.forEach((fault) => console.error(`${host.name}: ${fault}`));
  if (faults.length) process.exitCode = 1;
}
