import asyncio

from common import ARGUMENTS, COMMAND, CONTROL, LIST, MISTAKE, tell
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools


def text(content):
    return content if isinstance(content, str) else content[0]["text"]


async def main():
    server = {"transport": "stdio", "command": COMMAND, "args": ARGUMENTS}
    async with MultiServerMCPClient({"zwave": server}).session("zwave") as session:
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}
        answers = []
        for name, arguments in (LIST, CONTROL, MISTAKE):
            # Call the tool as an agent does. Otherwise the library does not report that an answer is an error.
            call = {"type": "tool_call", "id": name, "name": name, "args": arguments}
            message = await tools[name].ainvoke(call)
            answers.append((text(message.content), message.status == "error"))
        tell(None, list(tools), answers)


asyncio.run(main())
