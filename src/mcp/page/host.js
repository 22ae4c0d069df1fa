// The connection to the host: JSON-RPC over postMessage, as MCP Apps 2026-01-26 specifies.

/** The page's requests that wait for an answer, by id. */
const pendingRequests = new Map();

/** The handlers of the host's requests and notifications, by method. */
const handlers = new Map();

let lastId = 0;

function post(message) {
  // The host's origin is unknown here. Only the parent gets the message, and nothing in it is secret.
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function notify(method, params = {}) {
  post({ method, params });
}

/** Sends a request to the host. Rejects with the host's error message, or after `timeout` milliseconds. */
function request(method, params, timeout) {
  return new Promise((resolve, reject) => {
    const id = ++lastId;
    const timer = setTimeout(() => {
      pendingRequests.delete(id);
      reject(new Error("The program that shows this page does not answer."));
    }, timeout);
    pendingRequests.set(id, { resolve, reject, timer });
    post({ id, method, params });
  });
}

/** Sets the handler of one of the host's methods. */
function handle(method, handler) {
  handlers.set(method, handler);
}

function settle({ id, result, error }) {
  const pending = pendingRequests.get(id);
  if (!pending) return;
  pendingRequests.delete(id);
  clearTimeout(pending.timer);
  if (error) pending.reject(new Error(sentence(error.message)));
  else pending.resolve(result ?? {});
}

/** Returns an error's message without the code that libraries put before it. */
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

/** Initializes the connection. Returns the host's capabilities and its context, such as its theme. */
async function initialize() {
  const params = {
    protocolVersion: "2026-01-26",
    appInfo: { name: "zwave-mcp-server", title: "Z-Wave house", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  };
  const host = await request("ui/initialize", params, 60_000);
  notify("ui/notifications/initialized");
  return host;
}
