"""What breaks, and how it is mended again; the site itself is told nothing of either."""

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

from bench.mixed.servers import Postgres, Redis
from bench.mixed.stores import Store
from bench.trial_load.measuring import Clock
from tests.site import wait_for

DISK_MB = 160
JUMP = 2 * 3600  # seconds
STARTED_AGAIN = 120.0  # seconds that a killed process may take
CLOCK = Path(__file__).with_name("clock.c")


@dataclass
class Scene:
    """A site under way, and what it stands on."""

    folder: Path
    keepers: dict[str, Any]
    redis: Redis | None
    postgres: Postgres | None
    store: Store | None = None
    base: str = ""  # the site's address
    findings: dict[str, int] = field(default_factory=dict)  # what must be zero, seen while it was broken


def nothing(scene: Scene) -> None:
    """For what mends itself."""


def kill_each(scene: Scene) -> None:
    """kill -9 of one process with all its children after the other, each once the one before was started again."""
    for keeper in scene.keepers.values():
        killed = keeper.process
        if killed:
            with suppress(ProcessLookupError):
                os.killpg(killed.pid, signal.SIGKILL)
        wait_for(partial(_is_another, keeper, killed), STARTED_AGAIN)


def _is_another(keeper: Any, killed: Any) -> bool:
    return keeper.process not in (None, killed)


def fill_disk(scene: Scene) -> None:
    """Not a byte is left."""
    with suppress(OSError), (scene.folder / "filler").open("wb", buffering=0) as file:
        while True:
            file.write(bytes(65536))
    with suppress(OSError), (scene.folder / "filler").open("ab", buffering=0) as file:
        while True:
            file.write(b"0")


def empty_disk(scene: Scene) -> None:
    (scene.folder / "filler").unlink()


def stop_database(scene: Scene) -> None:
    assert scene.postgres
    scene.postgres.kill()


def start_database(scene: Scene) -> None:
    assert scene.postgres
    scene.postgres.start()


def stop_redis(scene: Scene) -> None:
    assert scene.redis
    scene.redis.kill()


def start_redis(scene: Scene) -> None:
    assert scene.redis
    scene.redis.start()


def jump(scene: Scene) -> None:
    """Two hours ahead: every lease has run out at once."""
    (scene.folder / "clock").write_text(str(JUMP))


def jump_back(scene: Scene) -> None:
    """And back: what was written meanwhile lies in the future."""
    (scene.folder / "clock").write_text("0")


def slow_store(scene: Scene) -> None:
    """Half a second late with every answer, then later than the site waits, then away: clips come late, or not now."""
    assert scene.store
    clip = someone_s_clip(scene.base)
    scene.findings["clip_before"] = int(not came(clip))
    scene.store.delay = 0.5
    scene.findings["clip_late"] = int(not came(clip))
    scene.store.delay = 3.0
    scene.findings["clip_slow"] = int(not put_off(clip))
    scene.store.leave()
    scene.findings["clip_away"] = int(not put_off(clip))


def store_back(scene: Scene) -> None:
    assert scene.store
    scene.store.come_back()


def someone_s_clip(base: str) -> str:
    """The address of the first clip of somebody's sheet."""
    from bench.trial_load.offered import arrive

    seat = arrive(base, "besieged", 100_000, Clock())
    return f"{base}{seat.road}m/{seat.positions[0]}"


def came(address: str) -> bool:
    answer = httpx.get(address, timeout=60)
    return answer.status_code == 200 and len(answer.content) > 0


def put_off(address: str) -> bool:
    answer = httpx.get(address, timeout=60)
    return answer.status_code == 503 and "Retry-After" in answer.headers


def small_disk(folder: Path, stack: ExitStack) -> dict[str, str]:
    """The site's folder on a file system of its own; needs the right to mount."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "tmpfs", str(folder)], check=True)
    stack.callback(lambda: subprocess.run(["umount", "--lazy", str(folder)], check=True))
    (folder / "tmp").mkdir()
    return {"TMPDIR": str(folder / "tmp")}


def own_clock(folder: Path, stack: ExitStack) -> dict[str, str]:
    """The processes read their wall clock by a file. (After a jump libfaketime makes Python's sleep fail.)"""
    library, clock = folder / "clock.so", folder / "clock"
    subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(CLOCK), "-ldl"], check=True)
    clock.write_text("0")
    return {"LD_PRELOAD": str(library), "CLOCK_FILE": str(clock)}


def plain(folder: Path, stack: ExitStack) -> dict[str, str]:
    return {}


@dataclass(frozen=True)
class Fault:
    """`harm`, then `hold` seconds, then `mend`; `prepare` gives what the site's environment needs for it."""

    harm: Callable[[Scene], None]
    mend: Callable[[Scene], None] = nothing
    hold: float = 6.0
    has_servers: bool = False  # PostgreSQL and Redis in place of SQLite and a folder
    prepare: Callable[[Path, ExitStack], dict[str, str]] = plain
    has_store: bool = False  # clips in a store of objects; every page must go on without it


FAULTS = {
    "none": Fault(nothing, hold=0.0),
    "kill": Fault(kill_each),
    "kill-servers": Fault(kill_each, has_servers=True),
    "disk": Fault(fill_disk, empty_disk, prepare=small_disk),
    "database": Fault(stop_database, start_database, has_servers=True),
    "redis": Fault(stop_redis, start_redis, has_servers=True),
    "store": Fault(slow_store, store_back, has_store=True),
    "clock": Fault(jump, jump_back, prepare=own_clock),
}
