"""A small real site for browsers and simulators: one web process on its own data folder, with trials on real clips."""

import json
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsite.serving import free_port
from tests.site import PATIENCE, ROOT, Site, environment, wait_for


@contextmanager
def staged_site(folder: Path, trials: dict[str, dict], *, tables: Path | None = None, **extra: str) -> Iterator[Site]:
    """The site with these trials open (slug -> settings), answering until the end of the block.

    `tables` is a database that is up to date and empty, to begin with.
    """
    if tables:
        Path(folder, "var").mkdir(exist_ok=True)
        shutil.copy(tables, folder / "var" / "db.sqlite3")
    env = environment(folder) | {"DEBUG": "1", **extra}
    stage = [sys.executable, "tests/humantrials/stage.py"]
    pairs = [f"{slug}={json.dumps(settings)}" for slug, settings in trials.items()]
    subprocess.run([*stage, *pairs], cwd=ROOT, env=env, check=True, timeout=PATIENCE)
    port = free_port("127.0.0.1")
    command = [sys.executable, "-m", "gunicorn", "benchsite.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "8"]
    process = subprocess.Popen([*command, "--log-level", "warning"], cwd=ROOT, env=env, text=True)
    try:
        wait_for(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5))
        yield Site(process, port, folder)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def database_of(site: Site) -> Path:
    return site.folder / "var" / "db.sqlite3"
