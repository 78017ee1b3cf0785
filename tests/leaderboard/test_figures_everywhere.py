"""Each stored figure has one value wherever it is printed: boards, pages of runs and studies, files and the API.

An element that prints a score or its interval names it by `data-figure`, or by the link to its items on a board.
"""

import re
from collections import defaultdict
from dataclasses import replace
from html.parser import HTMLParser
from importlib import import_module
from urllib.parse import parse_qsl, urlencode

import pytest

from humantrials.models import SheetState
from leaderboard.standings.refresh import refresh
from measures.figures import Interval
from tests.factories import make_model, make_run
from tests.leaderboard.conftest import answer_all

pytestmark = pytest.mark.django_db
ENDS = re.compile(r"(\d+(?:\.\d+)?)–(\d+(?:\.\d+)?)")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
TESTS = ("test", "concept", "polarity", "level")
API = "API"
OWN = {  # part of an address -> what its pages print figures by, changed as if they computed their own
    "/leaderboard/": ("leaderboard.board.cell_display", "spread", lambda _: lambda low, high: "2–97"),
    "/runs/": ("evaluation.runs.views", "outcome_of", lambda own: lambda *a, **b: wider(own(*a, **b))),
    "/trials/": ("humantrials.results.judgments", "figure_of", lambda own: lambda *a, **b: wider_votes(own(*a, **b))),
}
BOARDS = ({"pack": "small"}, {"pack": "physics", "level": "2"})


def wider(outcome):
    tests = {test: replace(metric, interval=Interval(0.02, 0.97)) for test, metric in outcome.tests.items()}
    return replace(outcome, tests=tests)


def wider_votes(figure):
    return replace(figure, interval=Interval(0.02, 0.97))


class Printed(HTMLParser):
    """The texts of all elements that print a named figure, by its name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: dict[str, list[str]] = defaultdict(list)
        self.key, self.depth = "", 0
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        if self.key:
            self.depth += tag == self.tag
        elif key := found.get("data-figure") or of_link(found.get("href") or ""):
            self.key, self.tag, self.depth = key, tag, 1

    def handle_endtag(self, tag):
        if self.key and tag == self.tag:
            self.depth -= 1
            self.key = self.key if self.depth else ""

    def handle_data(self, text):
        if self.key:
            self.texts[self.key].append(text)


def of_link(href: str) -> str:
    """The name of the figure whose items a board's cell leads to."""
    if not href.startswith("items/?row="):
        return ""
    (_, row), (_, split), (facet, value), *_ = parse_qsl(href.partition("?")[2])
    return f"{row} {split} {facet}={value}"


def values_in(texts: list[str]) -> list[tuple[str, float, float]]:
    """(which number, its value in per cent, half a step of its last digit) of all texts of one element or more."""
    text = " ".join(texts)
    found = [pair for ends in ENDS.findall(text) for pair in zip(("low", "high"), ends, strict=True)]
    found += [("score", number) for number in NUMBER.findall(ENDS.sub(" ", text))]
    return [(name, float(number), 0.5 * 10.0 ** -len(number.partition(".")[2])) for name, number in found]


def crawled(visitor, runs, studies) -> dict[tuple[str, str], list[tuple[str, float, float]]]:
    """(name of a figure, which number of it) -> (where, value, half a step) for every place that prints it."""
    boards = [f"/leaderboard/grasp/?{urlencode(board | {'group': group})}" for board in BOARDS for group in TESTS]
    places = [*boards, *(f"/runs/{run.pk}/" for run in runs), *(f"/trials/{trial.slug}/" for trial in studies)]
    found: dict[tuple[str, str], list[tuple[str, float, float]]] = defaultdict(list)
    for place in places:
        for key, texts in Printed(visitor.get(place).content.decode()).texts.items():
            for name, value, step in values_in(texts):
                found[key, name].append((place, value, step))
    for row in visitor.get("/api/v1/standings/?page_size=200").json()["results"]:
        cells = {f"{facet}={value}": cell for facet, of in row["cells"].items() for value, cell in of.items()}
        for items, cell in ({"all": row["overall"]} | cells).items():
            for name in ("score", "low", "high"):
                found[f"{row['row']} {row['split']} {items}", name].append((API, 100 * cell[name], 1e-6))
    return found


def unequal(found) -> list[str]:
    """The figures whose places differ by more than their last digits may hide."""
    return [
        f"{key} {name}: {places}"
        for (key, name), places in found.items()
        if max(value - step for _, value, step in places) > min(value + step for _, value, step in places) + 1e-9
    ]


@pytest.fixture
def everywhere(board, study, physics):
    """Two runs and a study of three people, with runs beside it on the same clips."""
    runs = [*board, answer_all(make_run(physics, strategy="plausibility", model=make_model()), lambda item: "yes")]
    study.sheets.update(state=SheetState.DONE)
    refresh()
    return runs, [study]


def test_each_figure_has_one_value(visitor, everywhere):
    found = crawled(visitor, *everywhere)
    assert unequal(found) == []
    kinds = {
        (at.split("/")[1], key[0].partition("-")[0]) for key, places in found.items() for at, *_ in places if at != API
    }
    assert kinds == {("leaderboard", "run"), ("leaderboard", "trial"), ("runs", "run"), ("trials", "trial")}
    assert min(len({name for key, name in found if key.startswith(row)}) for row in ("run", "trial")) == 3


@pytest.mark.parametrize("place", OWN)
def test_a_page_that_computes_its_own_is_seen(visitor, everywhere, monkeypatch, place):
    module, name, made = OWN[place]
    monkeypatch.setattr(f"{module}.{name}", made(getattr(import_module(module), name)))
    assert any(place in line for line in unequal(crawled(visitor, *everywhere)))
