"""Reports on refused uploads, kept for a while (policy.KEEP); only the sender can read them."""

import csv
import io
import json
import secrets
from collections.abc import Iterator
from typing import Any

from django.core.cache import cache
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from accounts.models import User
from benchmarks import leasing
from benchmarks.policy import KEEP
from evaluation.submissions.lint.check import LintReport
from measures.spreadsheet_cells import defused

FOLDER = "uploads/reports"
BETWEEN = 3600


def store_report(*, report: LintReport, user: User, name: str) -> str:
    """Write the report, and return the key by which its sender finds it."""
    _drop_old()
    key = secrets.token_hex(16)
    content = {
        "user": user.pk,
        "name": name,
        "header": report.target.facts if report.target else None,
        "parser": report.parser,
        **report.dry_run,
        "problems": [
            {"code": each.code, "what": each.what, "line": each.line, "item": each.item} for each in report.problems
        ],
    }
    default_storage.save(f"{FOLDER}/{key}.json", ContentFile(json.dumps(content).encode()))
    return key


def find(*, key: str, user: User) -> dict[str, Any] | None:
    """The user's own report with this key; None if it does not exist (any more)."""
    path = f"{FOLDER}/{key}.json"
    if not key.isalnum() or not default_storage.exists(path):
        return None
    with default_storage.open(path) as file:
        content: dict[str, Any] = json.load(file)
    return content if content["user"] == user.pk else None


def drop(key: str) -> None:
    default_storage.delete(f"{FOLDER}/{key}.json")


def problem_table(problems: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a CSV table of all problems; cells that a spreadsheet would run as formulas are defused."""
    yield "line,item,code,what\r\n"
    for problem in problems:
        line = io.StringIO()
        csv.writer(line).writerow(defused(problem[name]) for name in ("line", "item", "code", "what"))
        yield line.getvalue()


def percent(share: float | None) -> float | None:
    """The share (0 to 1) in per cent."""
    return None if share is None else 100 * share


def _drop_old() -> None:
    """Delete old reports, at most once in `BETWEEN` seconds: it asks for the age of each."""
    if not cache.add("old-reports-are-dropped", True, BETWEEN):
        return
    oldest = leasing.database_now() - KEEP["refused uploads"].period
    try:
        names = default_storage.listdir(FOLDER)[1]
    except FileNotFoundError:  # no file was ever refused
        return
    for name in names:
        if default_storage.get_modified_time(f"{FOLDER}/{name}") < oldest:
            default_storage.delete(f"{FOLDER}/{name}")
