"""MCP servers of the Python SDK, one for each connection to the socket that is named first.

They take a call of any tool and write its name to standard output as one line of JSON, so that a test sees what ran.
Lines are read as `stdio_server` reads them from standard input.
"""

import json
import os
import socket
import sys
import threading
from io import TextIOWrapper

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

TOOLS = [types.Tool(name=name, description=name, input_schema={"type": "object"}) for name in ("danger", "safe")]


async def list_tools(_context, _params):
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(_context, params):
    print(json.dumps({"executed": params.name}), flush=True)
    return types.CallToolResult(content=[types.TextContent(type="text", text="done")])


async def serve(connection: socket.socket) -> None:
    server = Server("python", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    reader = TextIOWrapper(connection.makefile("rb"), encoding="utf-8", errors="replace")
    writer = TextIOWrapper(connection.makefile("wb"), encoding="utf-8")
    try:
        async with stdio_server(anyio.wrap_file(reader), anyio.wrap_file(writer)) as (read_stream, write_stream):
            await server.run(read_stream, write_stream, server.create_initialization_options())
    except BaseException as error:  # The test goes on with the next connection.
        print(json.dumps({"closed": type(error).__name__}), file=sys.stderr, flush=True)
    finally:
        connection.close()


def end_with_the_test() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


async def main(path: str) -> None:
    threading.Thread(target=end_with_the_test, daemon=True).start()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(path)
    listener.listen()
    print(json.dumps({"ready": True}), flush=True)
    async with anyio.create_task_group() as connections:
        while True:
            connection, _ = await anyio.to_thread.run_sync(listener.accept)
            connections.start_soon(serve, connection)


anyio.run(main, sys.argv[1])
