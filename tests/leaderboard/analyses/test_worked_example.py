"""The worked example of docs/architecture.md, an analysis in under fifteen lines: its figures, page, file and call."""

import importlib

import pytest

from benchsite import urls
from leaderboard.analyses import registry
from leaderboard.analyses import urls as addresses
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.worked_examples import module_under

pytestmark = pytest.mark.django_db


@pytest.fixture
def example(monkeypatch, settings):
    """The analysis of the example, in the registry and with its address."""
    analysis = module_under("An extra measure", monkeypatch, "leaderboard.analyses.length").ANALYSIS
    monkeypatch.setattr(registry, "ANALYSES", registry.ANALYSES | {analysis.name: analysis})
    settings.ROOT_URLCONF = (*importlib.reload(addresses).urlpatterns, *urls.urlpatterns)
    yield analysis
    monkeypatch.undo()
    importlib.reload(addresses)


def test_the_example_has_figures_a_page_files_and_the_api(example, runs, visitor):
    refresh()
    found = {row.name: row.overall[example.key]["mean"] for row in Standing.objects.filter(split="all")}
    assert found["Yes"] == pytest.approx(len("yes"))
    page = visitor.get(f"/leaderboard/grasp/{example.name}/").content.decode()
    assert example.title in page
    table = visitor.get(f"/leaderboard/grasp/{example.name}/?format=csv").content.decode()
    rows = visitor.get(f"/api/v1/boards/grasp/{example.name}/").json()["rows"]
    assert {row["Who"]: row["Characters"] for row in rows} == found
    assert all(name in table and name in page for name in found)
