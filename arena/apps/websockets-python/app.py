#!/usr/bin/env python3
"""WebSockets on Python's websockets: app.py PORT. One process, because rooms are not shared."""

import asyncio
import collections
import logging
import signal
import sys

import websockets

BACKLOG = 4096
ROOM = "/ws/room/"

rooms = collections.defaultdict(set)
logging.getLogger("websockets").setLevel(logging.CRITICAL)
logging.getLogger("websockets").addHandler(logging.NullHandler())


async def echo(socket):
    """Echoes every message."""
    async for message in socket:
        await socket.send(message)


async def room(socket, name):
    """Sends every message to all sockets in the room."""
    members = rooms[name]
    members.add(socket)
    try:
        async for message in socket:
            websockets.broadcast(members, message)
    finally:
        members.remove(socket)
        if not members:
            rooms.pop(name, None)


async def serve(socket):
    """Chooses by path."""
    if socket.path == "/ws":
        await echo(socket)
    elif socket.path.startswith(ROOM):
        await room(socket, socket.path[len(ROOM):])


async def run(port):
    """Runs until SIGTERM."""
    stop = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set_result, None)
    async with websockets.serve(serve, "0.0.0.0", port, backlog=BACKLOG):
        await stop


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        print("usage: app.py PORT", file=sys.stderr)
        sys.exit(2)
    asyncio.run(run(int(sys.argv[1])))
