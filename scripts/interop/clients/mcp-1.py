import asyncio

from common import ARGUMENTS, COMMAND, CONTROL, LIST, MISTAKE, tell
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main():
    server = StdioServerParameters(command=COMMAND, args=ARGUMENTS)
    async with stdio_client(server) as (reader, writer), ClientSession(reader, writer) as session:
        initialized = await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        answers = []
        for name, arguments in (LIST, CONTROL, MISTAKE):
            result = await session.call_tool(name, arguments)
            answers.append((result.content[0].text, result.isError))
        tell(initialized.protocolVersion, tools, answers)


asyncio.run(main())
