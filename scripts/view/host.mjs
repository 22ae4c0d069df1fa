// A host that runs in the browser, made of two official libraries: MCP's client and MCP Apps' bridge. Nothing here
// depends on our page.

import { Client } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";

/** Carries messages between this host and the server's process, through the test that drives the browser. */
class Pipe {
  async start() {
    window.fromServer = (message) => this.onmessage?.(message);
  }

  async send(message) {
    await window.toServer(message);
  }

  async close() {
    this.onclose?.();
  }
}

const UI = { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } };

/** The questions that the server asked the person, and the answer that the person gives to each. */
window.asked = [];
window.reply = { action: "decline" };

async function connect(person) {
  const capabilities = { extensions: UI, ...(person ? { elicitation: { form: {} } } : {}) };
  const client = new Client({ name: "view-tests", version: "1" }, { capabilities });
  if (person) {
    client.setRequestHandler("elicitation/create", (request) => {
      window.asked.push(request.params.message);
      return window.reply;
    });
  }
  await client.connect(new Pipe());
  return client;
}

/**
 * Opens the page of the tool list_zwave_devices. Then makes the tool call `call`, if it is given. With
 * `passOnUpdates`, the page can subscribe to the server's resources.
 */
window.open_view = async ({ sandbox, context, person, call, passOnUpdates }) => {
  const client = await connect(person);
  const { tools } = await client.listTools();
  const uri = getToolUiResourceUri(tools.find((tool) => tool.name === "list_zwave_devices"));
  const { contents: [page] } = await client.readResource({ uri });
  const frame = document.createElement("iframe");
  frame.id = "view";
  const ready = new Promise((resolve) => {
    window.addEventListener("message", function listen(event) {
      if (event.data?.method !== "ui/notifications/sandbox-proxy-ready") return;
      window.removeEventListener("message", listen);
      resolve();
    });
  });
  frame.src = sandbox;
  document.body.append(frame);
  await ready;
  const serverResources = { listChanged: true, ...(passOnUpdates ? { subscribe: true } : {}) };
  const bridge = new AppBridge(client, { name: "view-tests", version: "1" },
    { serverTools: {}, serverResources, openLinks: {} }, { hostContext: context });
  const initialized = new Promise((resolve) => { bridge.oninitialized = resolve; });
  window.sizes = [];
  bridge.onsizechange = (size) => {
    window.sizes.push(size);
    if (size.height && !context.containerDimensions?.height) frame.style.height = `${size.height}px`;
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  if (passOnUpdates) {
    bridge.setRequestHandler("resources/subscribe", ({ params }) => client.subscribeResource(params));
    client.setNotificationHandler("notifications/resources/updated", (news) => bridge.notification(news));
  }
  await bridge.sendSandboxResourceReady({ html: page.text, sandbox: "allow-scripts" });
  await initialized;
  if (call) {
    await bridge.sendToolInput({ arguments: call.arguments });
    await bridge.sendToolResult(await client.callTool(call));
  }
  Object.assign(window, { bridge, client, page });
};
