import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { control, list, mistake, server, tell } from "./common.mjs";

const client = new MultiServerMCPClient({
  mcpServers: { zwave: { transport: "stdio", ...server } },
});
const tools = await client.getTools();
// An error comes as an exception here.
const call = async ({ name, arguments: given }) => {
  try {
    const content = await tools.find((tool) => tool.name === name).invoke(given);
    // A bare text, or, where the result carries more, a block of it.
    return { text: content.text ?? content, error: false };
  } catch (error) {
    return { text: error.message, error: true };
  }
};
tell({
  protocol: null,
  tools: tools.map((tool) => tool.name),
  list: await call(list),
  control: await call(control),
  mistake: await call(mistake),
});
await client.close();
