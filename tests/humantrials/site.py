"""A small real site for browsers and simulators: one web process on its own data folder, with trials on real clips."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.programs import python
from tests.site import PATIENCE, Site, environment, web_process
from tests.tables import lay_into


@contextmanager
def staged_site(folder: Path, trials: dict[str, dict], **extra: str) -> Iterator[Site]:
    """The site with these trials open (slug -> settings), answering until the end of the block."""
    lay_into(folder)
    env = environment(folder) | {"DEBUG": "1", **extra}
    pairs = [f"{slug}={json.dumps(settings)}" for slug, settings in trials.items()]
    done = python(["tests/humantrials/site_content.py", *pairs], env, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    with web_process(folder, **extra) as site:
        yield site


def database_of(site: Site) -> Path:
    return site.folder / "var" / "db.sqlite3"
