// The host's side of the frame: JSON-RPC over postMessage, as MCP Apps 2026-01-26 has it.

/** Requests of ours that wait for their answer, by id. */
const awaited = new Map();

/** The handlers of the host's requests and notifications, by method. */
const handlers = new Map();

let lastId = 0;

function post(message) {
  // The host's origin can't be known in here; only the parent gets it, and nothing secret is in it.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function notify(method, params = {}) {
  post({ method, params });
}

/** Asks the host for something. Rejects with its sentence, or after so many milliseconds. */
function ask(method, params, patience) {
  return new Promise((resolve, reject) => {
    const id = ++lastId;
    const timer = setTimeout(() => {
      awaited.delete(id);
      reject(new Error("The program that shows this page does not answer."));
    }, patience);
    awaited.set(id, { resolve, reject, timer });
    post({ id, method, params });
  });
}

/** Sets the handler of a method of the host. */
function handle(method, handler) {
  handlers.set(method, handler);
}

function settle({ id, result, error }) {
  const own = awaited.get(id);
  if (!own) return;
  awaited.delete(id);
  clearTimeout(own.timer);
  if (error) own.reject(new Error(sentence(error.message)));
  else own.resolve(result ?? {});
}

/** An error's own words, without the code that libraries put before them. */
function sentence(message) {
  const words = String(message ?? "").replace(/^(MCP error -?\d+:\s*)+/, "");
  return words || "Something went wrong.";
}

function answer({ id, method, params }) {
  const handler = handlers.get(method);
  if (id === undefined) {
    handler?.(params ?? {});
  } else if (handler) {
    post({ id, result: handler(params ?? {}) ?? {} });
  } else {
    post({ id, error: { code: -32601, message: `There is no ${method} here.` } });
  }
}

window.addEventListener("message", (event) => {
  const message = event.data;
  // Other frames can post here too.
  if (event.source !== window.parent || message?.jsonrpc !== "2.0") return;
  if (typeof message.method === "string") answer(message);
  else settle(message);
});

/** Introduces the page; what comes back says who the host is and how it wants to be seen. */
async function introduce() {
  const params = {
    protocolVersion: "2026-01-26",
    appInfo: { name: "zwave-mcp-server", title: "Z-Wave house", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  };
  const host = await ask("ui/initialize", params, 60_000);
  notify("ui/notifications/initialized");
  return host;
}
