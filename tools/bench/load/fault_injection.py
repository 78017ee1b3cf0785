"""Faults to inject, and their repairs; the site is told of neither."""

import os
import signal
import subprocess
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from tests.site import wait_for
from tools.bench.load.clients import Timings, arrive
from tools.bench.load.servers import Postgres, Redis, Store

DISK_MB = 160
JUMP = 2 * 3600  # seconds
STARTED_AGAIN = 120.0  # seconds within which a killed process must be restarted
CLOCK = Path(__file__).with_name("clock.c")


@dataclass
class Scene:
    """A running site with its folder, processes and servers."""

    folder: Path
    keepers: dict[str, Any]
    redis: Redis | None
    postgres: Postgres | None
    store: Store | None = None
    base: str = ""  # the site's address
    findings: dict[str, int] = field(default_factory=dict)  # checks during the fault; each must be zero


def nothing(scene: Scene) -> None:
    """Do nothing: the site recovers by itself."""


def kill_each(scene: Scene) -> None:
    """Kill each process with its children (SIGKILL), waiting until it was restarted before killing the next."""
    for keeper in scene.keepers.values():
        killed = keeper.process
        if killed:
            with suppress(ProcessLookupError):
                os.killpg(killed.pid, signal.SIGKILL)
        wait_for(partial(_is_another, keeper, killed), STARTED_AGAIN)


def _is_another(keeper: Any, killed: Any) -> bool:
    return keeper.process not in (None, killed)


def fill_disk(scene: Scene) -> None:
    """Fill the disk to the last byte."""
    with suppress(OSError), (scene.folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(65536))
    with suppress(OSError), (scene.folder / "filler").open("ab", buffering=0) as file:
        while True:
            file.write(b"0")


def empty_disk(scene: Scene) -> None:
    (scene.folder / "filler").unlink()


def called(server: str, act: str) -> Callable[[Scene], None]:
    """Let one of the scene's own servers do this: `redis`, `postgres` or `store`."""
    return lambda scene: getattr(getattr(scene, server), act)()


def jump(scene: Scene) -> None:
    """Set the clock two hours ahead, which expires every lease at once."""
    (scene.folder / "clock").write_text(str(JUMP))


def jump_back(scene: Scene) -> None:
    """Set the clock back, so that rows written meanwhile have times in the future."""
    (scene.folder / "clock").write_text("0")


def slow_store(scene: Scene) -> None:
    """Delay the store by 0.5 s, then by more than the site's timeout, then stop it; check how clips are answered."""
    assert scene.store
    clip = someone_s_clip(scene.base)
    scene.findings["clip_before"] = int(not came(clip))
    scene.store.delay = 0.5
    scene.findings["clip_late"] = int(not came(clip))
    scene.store.delay = 3.0
    scene.findings["clip_slow"] = int(not put_off(clip))
    scene.store.leave()
    scene.findings["clip_away"] = int(not put_off(clip))


def someone_s_clip(base: str) -> str:
    """URL of the first clip of a new participant's sheet."""
    seat = arrive(base, "besieged", 100_000, Timings())
    return f"{base}{seat.step_path}m/{seat.positions[0]}"


def came(address: str) -> bool:
    answer = httpx.get(address, timeout=60)
    return answer.status_code == 200 and len(answer.content) > 0


def put_off(address: str) -> bool:
    answer = httpx.get(address, timeout=60)
    return answer.status_code == 503 and "Retry-After" in answer.headers


def small_disk(folder: Path, stack: ExitStack) -> dict[str, str]:
    """Mount a small file system for the site's folder (needs permission to mount); return environment variables."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)], check=True)
    stack.callback(lambda: subprocess.run(["umount", "--lazy", str(folder)], check=True))
    (folder / "tmp").mkdir()
    return {"TMPDIR": str(folder / "tmp")}


def own_clock(folder: Path, stack: ExitStack) -> dict[str, str]:
    """Let the site's processes read the wall clock through a file. (libfaketime breaks Python's sleep after a jump.)"""
    library, clock = folder / "clock.so", folder / "clock"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(CLOCK), "-ldl"], check=True)
    clock.write_text("0")
    return {"LD_PRELOAD": str(library), "CLOCK_FILE": str(clock)}


def plain(folder: Path, stack: ExitStack) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Fault:
    """`harm`, then `hold` seconds, then `mend`; `prepare` returns the environment variables that the site needs."""

    harm: Callable[[Scene], None]
    mend: Callable[[Scene], None] = nothing
    hold: float = 6.0
    has_servers: bool = False  # PostgreSQL and Redis instead of SQLite and a folder
    prepare: Callable[[Path, ExitStack], dict[str, str]] = plain
    has_store: bool = False  # clips in an object store; every page must work without it


FAULTS = {
    "none": Fault(nothing, hold=0.0),
    "kill": Fault(kill_each),
    "kill-servers": Fault(kill_each, has_servers=True),
    "disk": Fault(fill_disk, empty_disk, prepare=small_disk),
    "database": Fault(called("postgres", "kill"), called("postgres", "start"), has_servers=True),
    "redis": Fault(called("redis", "kill"), called("redis", "start"), has_servers=True),
    "store": Fault(slow_store, called("store", "come_back"), has_store=True),
    "clock": Fault(jump, jump_back, prepare=own_clock),
}
