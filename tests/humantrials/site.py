"""A small real site for browsers and simulators: one web process on its own data folder, with trials on real clips."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.site import PATIENCE, ROOT, Site, environment, web_process
from tests.tables import lay_into


@contextmanager
def staged_site(folder: Path, trials: dict[str, dict], **extra: str) -> Iterator[Site]:
    """The site with these trials open (slug -> settings), answering until the end of the block."""
    lay_into(folder)
    env = environment(folder) | {"DEBUG": "1", **extra}
    stage = [sys.executable, "tests/humantrials/site_content.py"]
    pairs = [f"{slug}={json.dumps(settings)}" for slug, settings in trials.items()]
    subprocess.run([*stage, *pairs], cwd=ROOT, env=env, check=True, timeout=PATIENCE)
    with web_process(folder, **extra) as site:
        yield site


def database_of(site: Site) -> Path:
    return site.folder / "var" / "db.sqlite3"
