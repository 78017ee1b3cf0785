"""A vLLM server in its own process: starts it, waits for it, and ends it with all its child processes."""

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import httpx

from evaluation.adapters.command.options import PASSED
from evaluation.adapters.command.process import end_group
from evaluation.adapters.hosts import NOBODY
from evaluation.errors import ModelMisused

HOST = "127.0.0.1"
LAUNCH = Path(__file__).with_name("launch.py")
KEY = "VLLM_API_KEY"  # the server's variable for the key that its clients must send
# Nothing is downloaded, and no usage is reported.
OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
FURTHER = ("NCCL_", "VLLM_", "CUDA_", "ROCR_", "HIP_", "HSA_")  # prefixes of variables that such servers read
PAUSE, FIRST_PAUSE = 1.0, 0.05
LOGGED = 400  # characters


class VllmServer:
    """One running server, whose key only this process knows; it ends with this object, or with this process."""

    def __init__(self, words: Sequence[str], port: int) -> None:
        self.base_url, self.key = f"http://{HOST}:{port}/v1", secrets.token_urlsafe(24)
        self._log: IO[bytes] = tempfile.TemporaryFile(prefix="benchsite-vllm-")  # noqa: SIM115  # as long as the server
        try:
            self._process = subprocess.Popen(
                [sys.executable, str(LAUNCH), str(os.getpid()), *words],
                env=environment() | {KEY: self.key},
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=subprocess.STDOUT,
            )
        except OSError as error:
            raise ModelMisused(f"vLLM can't be started: {error}") from error
        self._ending = weakref.finalize(self, end_group, self._process)

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait(self, seconds: float) -> None:
        """Return when it answers; raises ModelMisused with its last words if it ends, or is not ready in time."""
        until, pause = time.monotonic() + seconds, FIRST_PAUSE
        while not self._is_ready():
            if not self.is_running:
                raise ModelMisused(f"vLLM ended with status {self._process.returncode}{self.last_words()}")
            if time.monotonic() > until:
                self.end()
                raise ModelMisused(f"vLLM was not ready after {seconds:g} s{self.last_words()}")
            time.sleep(pause)
            pause = min(PAUSE, 2 * pause)

    def version(self) -> str:
        """The version that the server reports; '' for none."""
        try:
            reply: Any = httpx.get(self._at("/version"), timeout=5, headers=self._headers, verify=NOBODY).json()
        except (httpx.HTTPError, ValueError):
            return ""
        return str(reply.get("version", ""))[:60] if isinstance(reply, dict) else ""

    def end(self) -> None:
        """End the server and its process group."""
        self._ending()

    def last_words(self) -> str:
        """The last lines of its log, as part of a sentence; '' for an empty log."""
        size = self._log.seek(0, os.SEEK_END)
        self._log.seek(max(0, size - 4096))
        lines = [line.strip() for line in self._log.read().decode("utf-8", "replace").splitlines() if line.strip()]
        words = " / ".join(lines[-3:])[-LOGGED:]
        return f"; its last words: {words}" if words else ""

    def _is_ready(self) -> bool:
        try:
            return httpx.get(self._at("/health"), timeout=5, headers=self._headers, verify=NOBODY).status_code == 200
        except httpx.HTTPError:
            return False

    @property
    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    def _at(self, path: str) -> str:
        return self.base_url.removesuffix("/v1") + path


def environment() -> dict[str, str]:
    """The server's environment variables; none holds keys or addresses of the site."""
    own = {name: value for name, value in os.environ.items() if name in PASSED or name.startswith(FURTHER)}
    return own | OFFLINE


def free_port() -> int:
    """A port of this machine on which nothing listens."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
