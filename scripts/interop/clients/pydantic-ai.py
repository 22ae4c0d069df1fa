import asyncio

from common import ARGUMENTS, COMMAND, CONTROL, LIST, MISTAKE, tell
from fastmcp.client.transports import StdioTransport
from pydantic_ai import ModelRetry
from pydantic_ai.mcp import MCPToolset


async def main():
    server = StdioTransport(command=COMMAND, args=ARGUMENTS, keep_alive=False)
    async with MCPToolset(server) as toolset:
        tools = [tool.name for tool in await toolset.list_tools()]
        answers = []
        for name, arguments in (LIST, CONTROL, MISTAKE):
            try:
                answers.append((str(await toolset.direct_call_tool(name, arguments)), False))
            except ModelRetry as error:
                # If a tool's answer is an error, this library raises an exception.
                answers.append((str(error), True))
        tell(None, tools, answers)


asyncio.run(main())
