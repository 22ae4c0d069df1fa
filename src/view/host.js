// Acts as the host of MCP Apps (2026-01-26): forwards the page's requests to the MCP server behind
// this web server. Asks for consent in this outer page, where the framed page can't click.

const frame = document.querySelector("iframe");
const dialog = document.querySelector("dialog");
const dark = matchMedia("(prefers-color-scheme: dark)");

const post = (message) => {
  // A sandboxed page has no origin to target. The policy (frame-src) keeps other sites out of the frame.
  frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
};

const theme = () => (dark.matches ? "dark" : "light");
const dimensions = () => ({ width: innerWidth, height: innerHeight });

const initializeResult = () => ({
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

const forward = async (body) => {
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

// Resolves when the latest question is answered. Questions are asked one at a time, in order of arrival.
let asked = Promise.resolve();

const consent = (message) => {
  const answer = asked.then(() => new Promise((resolve) => {
    document.getElementById("question").textContent = message;
    dialog.returnValue = "";
    dialog.addEventListener("close", () => {
      resolve(dialog.returnValue === "accept");
      // Inside the frame, the page restores the focus itself.
      frame.focus();
    }, { once: true });
    dialog.showModal();
  }));
  asked = answer;
  return answer;
};

const callServer = async (method, params) => {
  const { result, ask } = await forward({ method, params });
  if (!ask) return result;
  const { message, state, yes } = ask;
  const accept = await consent(message);
  const retried = await forward({ method, params, answered: { state, yes, accept } });
  if (retried.ask) throw new Refusal(-32000, "The house has changed in the meantime. Try again.");
  return retried.result;
};

let following = false;

// Polls for changes while this page is open. Each request is answered at the next change or after a timeout.
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
      // Makes the page read the house at once. If that fails, too, the page shows what is wrong.
      post({ method: "notifications/resources/updated", params: { uri } });
      await new Promise((resolve) => setTimeout(resolve, 5_000));
    }
  }
};

const methods = {
  "ui/initialize": initializeResult,
  "ui/request-display-mode": () => ({ mode: "fullscreen" }),
  "ui/open-link": () => {
    throw new Refusal(-32000, "This host opens no links.");
  },
  ping: () => ({}),
  "tools/call": (params) => callServer("tools/call", params),
  "resources/subscribe": ({ uri }) => {
    if (uri !== "zwave://devices") throw new Refusal(-32602, "Only the house can be followed.");
    follow(uri);
    return {};
  },
  "resources/read": (params) => callServer("resources/read", params),
};

addEventListener("message", async ({ source, origin, data }) => {
  if (source !== frame.contentWindow || origin !== "null") return;
  if (data?.jsonrpc !== "2.0" || typeof data.method !== "string") return;
  const { id, method, params } = data;
  // The page's notifications, such as a new size, have no effect: the frame fills the window.
  if (id === undefined) return;
  try {
    const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (!handler) throw new Refusal(-32601, `This host does not offer ${method}.`);
    post({ id, result: await handler(params ?? {}) });
  } catch ({ code, message }) {
    post({ id, error: { code: code ?? -32603, message } });
  }
});

const notifyContext = (params) => post({ method: "ui/notifications/host-context-changed", params });
dark.addEventListener("change", () => notifyContext({ theme: theme() }));
addEventListener("resize", () => notifyContext({ containerDimensions: dimensions() }));

// Loaded last, so that the page's first message is heard.
frame.src = "page";
