"""Kinds of errors of a model on a pack's items: false alarms, misses, other wrong answers and unparsed replies."""

import json
from collections import defaultdict
from collections.abc import Mapping

from django.core.cache import cache
from django.db.models import Q

from benchmarks.disclosure import SCORER, with_expected
from benchmarks.gallery.page_cache import SECONDS, key_of
from evaluation.models import Run
from leaderboard.standings import tallies

UNPARSED, FALSE_YES, FALSE_NO, OTHER = "unparsed", "false-yes", "false-no", "wrong"
ERRORS: dict[str, str] = {
    FALSE_YES: "yes, expected no",
    FALSE_NO: "no, expected yes",
    OTHER: "another wrong answer",
    UNPARSED: "unparsed",
}

Errors = Mapping[str, set[int]]  # kind -> items with such a reply


def errors_of(run: Run) -> Errors:
    """The items on which the run has a reply of each kind of error; none where a referee gives points."""
    if run.referee:
        return {}
    what = (run.pk, run.created_at, run.answers_version, run.parser, run.parser_version)
    key = key_of("errors", *map(str, what))
    found = cache.get(key)
    if found is None:
        found = json.dumps(_read(run))
        cache.set(key, found, SECONDS)
    return {kind: set(items) for kind, items in json.loads(found).items()}


def _read(run: Run) -> dict[str, list[int]]:
    below = with_expected(tallies.one_a_reading(run), to=SCORER, item=tallies.ITEM).filter(Q(points__lt=1)).order_by()
    columns = (f"{tallies.ITEM}_id", "reading__problem", "reading__answer", "expected")
    found: defaultdict[str, list[int]] = defaultdict(list)
    for item, problem, answer, expected in below.values_list(*columns):
        found[_kind(problem, answer, expected)].append(item)
    return found


def _kind(problem: str, answer: str, expected: str | None) -> str:
    if problem:
        return UNPARSED
    return {("yes", "no"): FALSE_YES, ("no", "yes"): FALSE_NO}.get((answer, expected or ""), OTHER)
