// The two documents around the page: the host's and the sandbox's. As MCP Apps requires, host and sandbox have
// different origins, and the sandbox passes messages between the host and the page. The sandbox sets no content
// security policy, so the only policy in the tests is the page's own.

export const OUTSIDE = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A host</title>
<style>html, body { margin: 0; height: 100%; } iframe { display: block; width: 100%; height: 100%; border: 0; }</style>
<body><script type="module" src="host.js"></script></body></html>`;

export const SANDBOX = `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>A sandbox</title>
<style>html, body { margin: 0; height: 100%; } iframe { display: block; width: 100%; height: 100%; border: 0; }</style>
<body><script>
const inner = document.createElement("iframe");
inner.title = "The page";
window.addEventListener("message", ({ source, data }) => {
  if (source === inner.contentWindow) return window.parent.postMessage(data, "*");
  if (source !== window.parent) return;
  if (data.method !== "ui/notifications/sandbox-resource-ready") return inner.contentWindow.postMessage(data, "*");
  inner.setAttribute("sandbox", data.params.sandbox);
  inner.srcdoc = data.params.html;
  document.body.append(inner);
});
window.parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/sandbox-proxy-ready", params: {} }, "*");
</script></body></html>`;
