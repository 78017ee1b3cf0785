"""Replaces itself by the program in its arguments; the kernel ends that if the starting process dies, even by kill
-9.

Run as a file, before any other module is loaded. Only Linux supports this (PR_SET_PDEATHSIG); elsewhere it has no
effect.
"""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def main(parent: int, words: list[str]) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # the starting process died before prctl took effect
            sys.exit(1)
    os.execv(words[0], words)  # noqa: S606  # no shell is wanted # nosec B606


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
