"""A long wire: what enters one of its two taps leaves the other so many seconds later. Not every kernel has netem.

python -m tests.hosts.slow_wire NEAR FAR SECONDS
"""

import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

TUNSETIFF, TAP, WITHOUT_HEADER = 0x400454CA, 0x0002, 0x1000
FRAME = 65536  # bytes


def tap(name: str) -> int:
    """A new network device, whose cable is the returned file."""
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", name.encode(), TAP | WITHOUT_HEADER))
    return device


def carry(near: int, far: int, seconds: float) -> None:
    """Carry frames both ways for ever."""
    on_the_way: deque[tuple[float, int, bytes]] = deque()
    while True:
        wait = max(0.0, on_the_way[0][0] - time.monotonic()) if on_the_way else None
        for end in select.select([near, far], [], [], wait)[0]:
            on_the_way.append((time.monotonic() + seconds, far if end == near else near, os.read(end, FRAME)))
        while on_the_way and on_the_way[0][0] <= time.monotonic():
            _, end, frame = on_the_way.popleft()
            os.write(end, frame)


if __name__ == "__main__":
    ends = tap(sys.argv[1]), tap(sys.argv[2])
    print("up", flush=True)
    carry(*ends, float(sys.argv[3]))
