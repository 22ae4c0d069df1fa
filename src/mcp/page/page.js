// The house as a list, each device with its actions that need nothing more to be said.
(() => {
  "use strict";
  const PLAIN = ["on", "off", "open", "close", "stop", "lock", "unlock"];
  const controls = document.documentElement.dataset.controls === "all";
  const said = document.getElementById("said");
  const list = document.getElementById("devices");
  const waiting = new Map();
  let last = 0;

  const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (method, params) => new Promise((resolve, reject) => {
    last += 1;
    waiting.set(last, { resolve, reject });
    send({ id: last, method, params });
  });

  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || data?.jsonrpc !== "2.0") return;
    const own = waiting.get(data.id);
    if (data.method === undefined && own) {
      waiting.delete(data.id);
      if (data.error) own.reject(new Error(data.error.message));
      else own.resolve(data.result);
    } else if (data.method === "ping" || data.method === "ui/resource-teardown") {
      send({ id: data.id, result: {} });
    }
  });

  const element = (tag, text) => {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
  };

  const show = async () => {
    const { contents } = await ask("resources/read", { uri: "zwave://devices" });
    const { devices, problems } = JSON.parse(contents[0].text);
    if (problems.length > 0) said.textContent = problems.join(" ");
    list.replaceChildren(...devices.map((device) => {
      const line = element("li", `${device.controlName}: ${device.state ?? device.kind}`);
      const offered = controls ? device.actions.filter((action) => PLAIN.includes(action)) : [];
      line.append(...offered.map((action) => {
        const button = element("button", action);
        button.setAttribute("aria-label", `${device.controlName}: ${action}`);
        button.addEventListener("click", () => act(device.controlName, action));
        return button;
      }));
      return line;
    }));
  };

  const tried = async (work) => {
    try {
      await work();
    } catch (error) {
      said.textContent = error.message;
    }
  };

  const act = (deviceName, action) => tried(async () => {
    const params = { name: "control_zwave_device", arguments: { deviceName, action } };
    const { content } = await ask("tools/call", params);
    said.textContent = content[0].text;
    await show();
  });

  tried(async () => {
    await ask("ui/initialize", {
      appInfo: { name: "zwave-mcp-server", version: "0" },
      appCapabilities: {},
      protocolVersion: "2026-01-26",
    });
    send({ method: "ui/notifications/initialized" });
    await show();
  });
})();
