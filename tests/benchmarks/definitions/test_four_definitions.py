"""A benchmark may be defined before it can be imported: every page and command says so, none breaks."""

from dataclasses import replace

import pytest

from benchmarks import words
from benchmarks.commands import CallerMistake
from benchmarks.definitions.consistency import benchmarks_are_well_formed, mistakes_of
from benchmarks.definitions.definition import CONDITIONS, SOUND
from benchmarks.definitions.papers import craft, pacs
from benchmarks.definitions.papers import giraffe as giraffe_paper
from benchmarks.definitions.registry import BENCHMARKS
from evaluation.prompting.strategies import STRATEGIES
from tests.commands import say
from tests.factories import make_item, make_pack

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def giraffe(monkeypatch):
    """The benchmark as if its importer were still to come."""
    bare = replace(BENCHMARKS["giraffe"], read_release=None, generate_set="")
    monkeypatch.setitem(BENCHMARKS, "giraffe", bare)
    return bare


def test_every_page_and_board_of_a_benchmark_without_importer_answers(client, giraffe):
    own = ("", "items/", "items/?level=1&page=1", "progress.json")
    addresses = ["/?giraffe", "/leaderboard/giraffe/", "/leaderboard/giraffe/?level=1", "/api/v1/boards/giraffe/"]
    addresses += [f"/benchmarks/giraffe/{address}" for address in own]
    addresses += [
        f"/leaderboard/giraffe/?level={level.number}&strategy={strategy}&group={group}"
        for level in giraffe.levels
        for strategy in level.strategies
        for group in level.groups
    ]
    assert {address: client.get(address).status_code for address in addresses} == dict.fromkeys(addresses, 200)
    assert client.get("/leaderboard/giraffe/figure-3/").status_code == 404, "figures of GRASP are not promised"


def test_the_pages_say_that_it_cannot_be_imported_yet(client):
    assert client.get("/benchmarks/").content.decode().count("imported yet") == 1
    page = main_of(client, "/benchmarks/giraffe/")
    assert "imported yet" in page
    assert "import_benchmark" not in page
    assert "generate_benchmark" not in page
    assert client.get("/submit/").status_code in (200, 302)


def main_of(client, address: str) -> str:
    """The page below the site's header, with one space where its text breaks."""
    return " ".join(client.get(address).content.decode().partition("<main")[2].split())


def test_a_board_without_clips_offers_no_way_to_submit_and_says_why(client, giraffe):
    level = giraffe.levels[-1]
    empty = f"/leaderboard/giraffe/?level={level.number}&strategy={level.strategies[-1]}&rows=uploaded"
    for address in ("/leaderboard/giraffe/", empty):
        shown = main_of(client, address)
        assert f"Releases of {giraffe.title} can't be imported yet" in shown
        assert "no studies and no submissions yet" in shown
        assert 'href="/submit/"' not in shown


def test_a_board_whose_clips_are_still_to_come_says_so_and_one_with_clips_takes_answers(client):
    empty = "/leaderboard/grasp/?rows=uploaded"
    assert "still to come" in main_of(client, empty)
    assert 'href="/submit/"' not in main_of(client, empty)
    make_item(make_pack(benchmark="grasp", name="small"))
    assert 'href="/submit/"' in main_of(client, empty)


def test_commands_say_it_in_one_line(tmp_path):
    with pytest.raises(CallerMistake, match="can't be imported yet"):
        say("import_benchmark", "giraffe", tmp_path)
    with pytest.raises(CallerMistake, match="can't be made here"):
        say("generate_benchmark", "giraffe", "--out", tmp_path, "--count", "1")
    assert set(STRATEGIES) >= {line.partition(":")[0] for line in say("list", "strategies", "giraffe").splitlines()}


def test_the_definitions_bear_each_other_out():
    assert benchmarks_are_well_formed() == []
    assert set(SOUND) < set(BENCHMARKS["pacs"].conditions) < set(CONDITIONS)
    assert words.CONDITIONS.keys() == words.CONDITIONS_IN_FULL.keys()
    assert [words.condition_words(name) for name in ("question-only", "unheard-of")] == ["no video", "unheard-of"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"conditions": ("audio",)}, "condition 'video', which the benchmark does not name"),
        ({"conditions": ("smell",)}, "'smell', which does not exist"),
        ({"parsers": ("pacs-object",)}, "names parser 'last-answer-line'"),
        ({"facets": ()}, "no facet 'test'"),
    ],
)
def test_what_a_definition_gets_wrong_is_named(change, said):
    assert any(said in mistake for mistake in mistakes_of(replace(BENCHMARKS["pacs"], **change)))


def test_the_prompts_say_which_answers_are_possible():
    for kind, options in craft.OPTIONS.items():
        asked = craft.prompt("How?", kind)
        assert kind == "Count" or all(option in asked for option in options)
    assert all(option in pacs.prompt("Which?").lower() for option in pacs.OPTIONS)


def test_giraffe_queries_have_no_open_slot():
    for dataset in giraffe_paper.QUERIES:
        assert "{" not in giraffe_paper.image_query(dataset, 4) + giraffe_paper.video_query(dataset)
    assert "sequence of 4 individual images" in giraffe_paper.image_query("patterns", 4)
    assert "collision" not in giraffe_paper.video_query("roboset")
    assert "1. a man walks" in giraffe_paper.text_query("charades", ("a man walks", "he sits"))
