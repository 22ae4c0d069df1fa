import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { answer, control, list, mistake, server, tell } from "./common.mjs";

const transport = new StdioClientTransport(server);
let protocol;
transport.setProtocolVersion = (version) => (protocol = version);
const client = new Client({ name: "interop", version: "0" });
await client.connect(transport);
const { tools } = await client.listTools();
tell({
  protocol,
  tools: tools.map((tool) => tool.name),
  list: answer(await client.callTool(list)),
  control: answer(await client.callTool(control)),
  mistake: answer(await client.callTool(mistake)),
});
await client.close();
