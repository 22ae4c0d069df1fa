import asyncio

from common import ARGUMENTS, COMMAND, CONTROL, LIST, MISTAKE, tell
from mcp import Client, StdioServerParameters


async def main():
    async with Client(StdioServerParameters(command=COMMAND, args=ARGUMENTS)) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answers = []
        for name, arguments in (LIST, CONTROL, MISTAKE):
            result = await client.call_tool(name, arguments)
            answers.append((result.content[0].text, result.is_error))
        tell(client.protocol_version, tools, answers)


asyncio.run(main())
