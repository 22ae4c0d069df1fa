import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { answer, control, list, mistake, server, tell } from "./common.mjs";

const pinned = { versionNegotiation: { mode: { pin: "2026-07-28" } } };
const client = new Client({ name: "interop", version: "0" }, pinned);
await client.connect(new StdioClientTransport(server));
const { tools } = await client.listTools();
tell({
  protocol: client.getNegotiatedProtocolVersion(),
  tools: tools.map((tool) => tool.name),
  list: answer(await client.callTool(list)),
  control: answer(await client.callTool(control)),
  mistake: answer(await client.callTool(mistake)),
});
await client.close();
