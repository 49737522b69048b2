# An echo on Python's websockets.
import asyncio

import websockets


async def echo(socket):
    async for message in socket:
        await socket.send(message)


async def main():
    async with websockets.serve(echo, "localhost", 8080):
        await asyncio.Future()


asyncio.run(main())
