import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { control, list, mistake, server, tell } from "./common.mjs";

const client = new MultiServerMCPClient({
  mcpServers: { zwave: { transport: "stdio", ...server } },
});
const tools = await client.getTools();
// If a tool's answer is an error, this library throws an exception.
const call = async ({ name, arguments: given }) => {
  try {
    const content = await tools.find((tool) => tool.name === name).invoke(given);
    // The content is a string, or an object with the text.
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
