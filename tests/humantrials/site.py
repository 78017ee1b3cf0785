"""A small real site for browsers and simulators: one web process on its own data folder, with trials on real clips."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchsite.supervisor.serve import free_port
from tests.site import PATIENCE, ROOT, Site, environment, wait_for
from tests.tables import lay_into


@contextmanager
def staged_site(folder: Path, trials: dict[str, dict], **extra: str) -> Iterator[Site]:
    """The site with these trials open (slug -> settings), answering until the end of the block."""
    lay_into(folder)
    env = environment(folder) | {"DEBUG": "1", **extra}
    stage = [sys.executable, "tests/humantrials/site_content.py"]
    pairs = [f"{slug}={json.dumps(settings)}" for slug, settings in trials.items()]
    subprocess.run([*stage, *pairs], cwd=ROOT, env=env, check=True, timeout=PATIENCE)
    port = free_port("127.0.0.1")
    command = [sys.executable, "-m", "benchsite.supervisor.web_server", f"127.0.0.1:{port}"]
    process = subprocess.Popen(command, cwd=ROOT, env=env, text=True)
    try:
        wait_for(lambda: urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5))
        yield Site(process, port, folder)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)


def database_of(site: Site) -> Path:
    return site.folder / "var" / "db.sqlite3"
