"""A crowd of deliberately slow clients, as an attacker could run from one laptop.

Run: python -m tools.bench.load.slow_crowd PORT KIND=COUNT ... (kinds: half, drip, nothing, body); stops when its input
ends. Closed connections are reopened. Prints a JSON object every second: open connections and responses so far.
"""

import asyncio
import collections
import json
import sys
from collections.abc import AsyncIterator

ADDRESSES = 50  # loopback addresses, so that the connection limit for one address doesn't help
HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
BODY = (
    b"POST /account/sign-in/ HTTP/1.1\r\nHost: localhost\r\nCookie: csrftoken=0123456789abcdefghijABCDEFGHIJ12\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000\r\n\r\n"
)


async def half() -> AsyncIterator[bytes]:
    """Send half of the request headers, then nothing."""
    yield HEAD


async def drip() -> AsyncIterator[bytes]:
    """Send a byte every five seconds."""
    for byte in HEAD:
        yield bytes([byte])
        await asyncio.sleep(5)


async def nothing() -> AsyncIterator[bytes]:
    """Connect and send nothing."""
    yield b""


async def body() -> AsyncIterator[bytes]:
    """Send headers that announce a megabyte, then a byte a second."""
    yield BODY
    while True:
        yield b"x"
        await asyncio.sleep(1)


KINDS = {kind.__name__: kind for kind in (half, drip, nothing, body)}
opened: set[int] = set()
seen: collections.Counter[str] = collections.Counter()


async def client(port: int, kind: str, number: int) -> None:
    """One client that reconnects whenever it is closed."""
    while True:
        try:
            await once(port, kind, number)
        except OSError as error:
            seen[type(error).__name__] += 1
        opened.discard(number)
        await asyncio.sleep(0.2)


async def once(port: int, kind: str, number: int) -> None:
    source = (f"127.1.0.{1 + number % ADDRESSES}", 0)
    answers, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=source)
    opened.add(number)
    sending = asyncio.create_task(send(writer, kind))
    try:
        first = await answers.read(1000)
        seen[f"{kind}: {first[9:12].decode() or 'closed'}"] += 1
    finally:
        sending.cancel()
        writer.close()


async def send(writer: asyncio.StreamWriter, kind: str) -> None:
    async for piece in KINDS[kind]():
        writer.write(piece)
        await writer.drain()


async def main(port: int, wanted: dict[str, int]) -> None:
    kinds = [kind for kind, count in wanted.items() for _ in range(count)]
    crowd = [asyncio.create_task(client(port, kind, number)) for number, kind in enumerate(kinds)]
    asleep = asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    while not asleep.done():
        await asyncio.sleep(1)
        print(json.dumps({"open": len(opened), **seen}), flush=True)
    for one in crowd:
        one.cancel()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), {kind: int(count) for kind, count in (a.split("=") for a in sys.argv[2:])}))
