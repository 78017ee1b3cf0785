"""Becomes the program of its arguments, which the kernel ends when the process that started it dies, even by kill -9.

Run as a file, before any other module is loaded. Linux alone has this (PR_SET_PDEATHSIG); elsewhere it does nothing.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, words: list[str]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before the kernel was told
            sys.exit(1)
    os.execv(words[0], words)  # noqa: S606  # no shell is wanted # nosec B606


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
