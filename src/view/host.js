// The host's part of MCP Apps (2026-01-26): what the page asks for goes to the server behind this
// web server, and what a person has to allow is asked here, where the page can't click.

const frame = document.querySelector("iframe");
const dialog = document.querySelector("dialog");
const dark = matchMedia("(prefers-color-scheme: dark)");

const post = (message) => {
  // A sandboxed page has no origin to name; the frame can show nothing but it (frame-src).
  frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
};

const theme = () => (dark.matches ? "dark" : "light");
const dimensions = () => ({ width: innerWidth, height: innerHeight });

const introduction = () => ({
  protocolVersion: "2026-01-26",
  hostInfo: { name: "zwave-mcp-server view", version: "1" },
  hostCapabilities: { serverTools: {}, serverResources: { subscribe: true }, sandbox: { csp: {} } },
  hostContext: {
    theme: theme(),
    displayMode: "fullscreen",
    availableDisplayModes: ["fullscreen"],
    containerDimensions: dimensions(),
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    platform: "web",
    deviceCapabilities: {
      touch: matchMedia("(any-pointer: coarse)").matches,
      hover: matchMedia("(any-hover: hover)").matches,
    },
    safeAreaInsets: { top: 0, right: 0, bottom: 0, left: 0 },
  },
});

class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const carry = async (body) => {
  let reply;
  try {
    reply = await fetch("request", { method: "POST", body: JSON.stringify(body) });
  } catch {
    throw new Refusal(-32000, "zwave-mcp-server view has ended. Start it again.");
  }
  if (!reply.ok) throw new Refusal(-32000, (await reply.text()).trim());
  const { result, error, ask } = await reply.json();
  if (error) throw new Refusal(error.code, error.message);
  return { result, ask };
};

// One question at a time, in the order in which they came.
let asked = Promise.resolve();

const consent = (message) => {
  const answer = asked.then(() => new Promise((resolve) => {
    document.getElementById("question").textContent = message;
    dialog.returnValue = "";
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "accept");
      // The page puts the focus where it was inside of it.
      frame.focus();
    }, { once: true });
    dialog.showModal();
  }));
  asked = answer;
  return answer;
};

const server = async (method, params) => {
  const { result, ask } = await carry({ method, params });
  if (!ask) return result;
  const { message, state, yes } = ask;
  const accept = await consent(message);
  const again = await carry({ method, params, answered: { state, yes, accept } });
  if (again.ask) throw new Refusal(-32000, "The house has changed meanwhile. Try again.");
  return again.result;
};

let following = false;

// Asks for changes as long as this page is open; each question waits until there is one.
const follow = async (uri) => {
  if (following) return;
  following = true;
  let seen = 0;
  for (;;) {
    try {
      const reply = await fetch(`changes?seen=${seen}`);
      if (!reply.ok) throw new Error(await reply.text());
      const count = await reply.json();
      if (count !== seen) post({ method: "notifications/resources/updated", params: { uri } });
      seen = count;
    } catch {
      // The page reads at once, and says what is wrong.
      post({ method: "notifications/resources/updated", params: { uri } });
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  }
};

const methods = {
  "ui/initialize": introduction,
  "ui/request-display-mode": () => ({ mode: "fullscreen" }),
  "ui/open-link": () => {
    throw new Refusal(-32000, "This host opens no links.");
  },
  ping: () => ({}),
  "tools/call": (params) => server("tools/call", params),
  "resources/subscribe": ({ uri }) => {
    if (uri !== "zwave://devices") throw new Refusal(-32602, "Only the house can be followed.");
    follow(uri);
    return {};
  },
  "resources/read": (params) => server("resources/read", params),
};

addEventListener("message", async ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== "null") return;
  if (data?.jsonrpc !== "2.0" || typeof data.method !== "string") return;
  const { id, method, params } = data;
  // The frame fills the window: no notification of the page's changes anything.
  if (id === undefined) return;
  try {
    const known = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!known) throw new Refusal(-32601, `This host does not offer ${method}.`);
    post({ id, result: await known(params ?? {}) });
  } catch ({ code, message }) {
    post({ id, error: { code: code ?? -32603, message } });
  }
});

const changed = (params) => post({ method: "ui/notifications/host-context-changed", params });
dark.addEventListener("change", () => changed({ theme: theme() }));
addEventListener("resize", () => changed({ containerDimensions: dimensions() }));

// Only now: whatever the page says first is heard.
frame.src = "page";
