"""Reports on refused uploads: kept a week for their sender alone, so that every problem can be fetched."""

import csv
import io
import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from accounts.models import User
from evaluation.submissions.linting import LintReport

FOLDER = "uploads/reports"
DAYS = 7
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def keep(*, report: LintReport, user: User, name: str) -> str:
    """Write the report; gives the key under which its sender finds it."""
    _drop_old()
    key = secrets.token_hex(16)
    content = {
        "user": user.pk, "name": name, "header": report.target.facts if report.target else None,
        "rows": report.rows, "score": report.score, "scored": report.scored, "unread": report.unread,
        "coverage": [[each.facet, each.value, each.answered, each.wanted] for each in report.coverage],
        "problems": [asdict(problem) for problem in report.problems],
    }  # fmt: skip
    default_storage.save(f"{FOLDER}/{key}.json", ContentFile(json.dumps(content).encode()))
    return key


def find(*, key: str, user: User) -> dict[str, Any] | None:
    """The report under this key, for its sender only; None when there is none (any more)."""
    path = f"{FOLDER}/{key}.json"
    if not key.isalnum() or not default_storage.exists(path):
        return None
    with default_storage.open(path) as file:
        content: dict[str, Any] = json.load(file)
    return content if content["user"] == user.pk else None


def problem_table(problems: list[dict[str, Any]]) -> Iterator[str]:
    """Lines of a CSV table of every problem; what a spreadsheet would run as a formula is defused."""
    yield "line,item,code,what\r\n"
    for problem in problems:
        line = io.StringIO()
        csv.writer(line).writerow(_defused(problem[name]) for name in ("line", "item", "code", "what"))
        yield line.getvalue()


def percent(share: float | None) -> float | None:
    """A share as people read it."""
    return None if share is None else 100 * share


def _defused(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def _drop_old() -> None:
    oldest = timezone.now() - timedelta(days=DAYS)
    try:
        names = default_storage.listdir(FOLDER)[1]
    except FileNotFoundError:  # nothing was ever refused
        return
    for name in names:
        if default_storage.get_modified_time(f"{FOLDER}/{name}") < oldest:
            default_storage.delete(f"{FOLDER}/{name}")
