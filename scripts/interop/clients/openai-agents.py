import asyncio

from agents.mcp import MCPServerStdio
from common import ARGUMENTS, COMMAND, CONTROL, LIST, MISTAKE, tell


async def main():
    async with MCPServerStdio({"command": COMMAND, "args": ARGUMENTS}, client_session_timeout_seconds=30) as server:
        tools = [tool.name for tool in await server.list_tools()]
        answers = []
        for name, arguments in (LIST, CONTROL, MISTAKE):
            result = await server.call_tool(name, arguments)
            answers.append((result.content[0].text, result.is_error))
        tell(None, tools, answers)


asyncio.run(main())
