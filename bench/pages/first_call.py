"""Cost of a page's first request in a new process, as a ratio to an empty page (`/healthz`).

Each round is a new process on the current data folder (run `make demo` first, for rows to compare). It loads the site
like the server and requests the page twice. Figures are processor times, since other load affects them little, and
medians over rounds.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDS, CONSTANT = 3, 50
PAGES = ("/compare/", "/api/v1/schema/", "/api/v1/docs/")


def milliseconds(path: str, times: int = 1) -> float:
    """Mean processor time in milliseconds of so many requests."""
    from django.test import RequestFactory

    from benchsite.wsgi import application

    environ = RequestFactory().get(path, HTTP_HOST="localhost").environ
    began = time.process_time()
    for _ in range(times):
        list(application(dict(environ), lambda status, headers, error=None: len))
    return 1000 * (time.process_time() - began) / times


def measure(path: str) -> None:
    milliseconds("/healthz")
    first = milliseconds(path)
    print(json.dumps([first, milliseconds(path), milliseconds("/healthz", CONSTANT)]))


def compared() -> str:
    """URL that compares the first two rows of a board, or of the page to choose rows if there are none."""
    import django

    django.setup()
    from leaderboard.comparison.row_choices import rows_to_choose

    keys = next((list(dict(rows)) for _, rows in rows_to_choose() if len(dict(rows)) > 1), [])
    return f"/compare/?a={keys[0]}&b={keys[1]}" if keys else "/compare/"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "benchsite.settings")
    env = os.environ | {"DEBUG": "0", "SECRET_KEY": "x" * 60, "ALLOWED_HOSTS": "localhost", "LOG_LEVEL": "ERROR"}
    subprocess.run([sys.executable, "manage.py", "upgrade"], cwd=ROOT, env=env, check=True, stdout=sys.stderr)
    for page in dict.fromkeys((*PAGES, compared())):
        command = [sys.executable, __file__, page]
        rounds = [json.loads(subprocess.check_output(command, cwd=ROOT, env=env)) for _ in range(ROUNDS)]
        first, again, constant = (statistics.median(values) for values in zip(*rounds, strict=True))
        print(
            json.dumps(
                {
                    "bench": "first page",
                    "page": page.partition("?")[0] + ("?a=&b=" if "?" in page else ""),
                    "first_ms": round(first, 1),
                    "again_ms": round(again, 1),
                    "constant_ms": round(constant, 2),
                    "first_ratio": round(first / constant, 1),
                    "again_ratio": round(again / constant, 1),
                }
            )
        )


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
