import asyncio

from common import ARGUMENTS, COMMAND, CONTROL, LIST, MISTAKE, tell
from fastmcp import Client
from fastmcp.client.transports import StdioTransport


async def main():
    async with Client(StdioTransport(command=COMMAND, args=ARGUMENTS, keep_alive=False)) as client:
        tools = [tool.name for tool in await client.list_tools()]
        answers = []
        for name, arguments in (LIST, CONTROL, MISTAKE):
            result = await client.call_tool(name, arguments, raise_on_error=False)
            answers.append((result.content[0].text, result.is_error))
        tell(None, tools, answers)


asyncio.run(main())
