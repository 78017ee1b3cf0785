"""Further keys of benchmark.toml: levels, wordings, examples, tables, thumbnails, other benchmarks' layouts."""

import csv
import hashlib
from dataclasses import replace

import pytest
from django.core.management.base import CommandError
from PIL import Image

from benchmarks.definitions.registry import BENCHMARKS, BUILT_IN
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models import BenchmarkFile, Clip, Item, Pack, RenditionKind
from benchmarks.storage.access import path_of
from evaluation.models import Cell, ModelResponse, Run
from evaluation.prompting.requests import Asking
from evaluation.prompting.strategies import conversation_for, find_strategy
from evaluation.runs.add_model import ensure_heuristics
from humantrials.models import Trial
from tests.benchmarks.definitions.files.further_keys import TEXT
from tests.benchmarks.grasp_release import write_clip
from tests.benchmarks.pacs_releases import official, small
from tests.commands import say, told

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_else_works")]


def write_towers(root, text=TEXT):
    root.mkdir(parents=True, exist_ok=True)
    (root / "benchmark.toml").write_text(text)
    rows = [("id", "clip", "kind", "level", "question", "answer", "split", "scene")]
    for number in range(6):
        write_clip(root / "clips" / f"{number}.mp4", seed=number)
        level, answer, scene = "12"[number % 2], ("yes", "no")[number % 3 == 0], ("high", "low")[number % 2]
        rows.append((f"q{number}", f"{number}.mp4", "stands", level, "Will it stand?", answer, "test", scene))
    rows.append(("w", "0.mp4", "why", "", "Why?", "", "test", "high"))
    with (root / "items.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return root


@pytest.fixture
def towers(tmp_path):
    say("import_benchmark", write_towers(tmp_path / "towers"))
    return BENCHMARKS["towers"]


def test_a_free_answer_longer_than_is_kept_is_named_with_its_line(tmp_path):
    table = write_towers(tmp_path / "towers") / "items.csv"
    table.write_text(table.read_text().replace("Why?,,", f"Why?,{'x' * 201},"))
    with pytest.raises(CommandError, match="line 8: answer: has 201 letters"):
        say("import_benchmark", table.parent)
    assert not Pack.objects.exists()


def test_a_kind_is_asked_on_several_levels_and_the_table_says_which(towers):
    levels = {item.key: item.facets.get(name="level").value for item in Item.objects.all()}
    assert levels == {"q0": "1", "q1": "2", "q2": "1", "q3": "2", "q4": "1", "q5": "2", "w": "1"}
    assert [value.level for value in towers.kinds] == ["", "1"]
    assert towers.level("2").strategies == ("towers-told",)
    assert [towers.facet(name).title for name in ("level", "scene", "split")] == ["Half", "Scene", "Halves"]


def test_its_prompt_shows_an_example_and_names_above_clips(towers):
    asked, other = Item.objects.get(key="q0"), Item.objects.get(key="q2")
    with pytest.raises(Exception, match="0 clips to show, 2 are needed"):
        conversation_for("towers-direct", asked, other)  # its choices are missing
    assert [part.text for part in conversation_for("towers-told", asked)[:-1]] == ["Will it stand?"]
    assert find_strategy("towers", "towers-direct-likelihood").by_likelihood


def test_prompts_of_one_name_are_those_of_their_own_benchmarks(towers):
    BENCHMARKS["tow"] = replace(towers, strategies=(replace(towers.strategy("towers-direct"), example=""),))
    found = [find_strategy(slug, "towers-direct") for slug in ("towers", "tow", "towns")]
    assert [one and bool(one.example) for one in found] == [True, False, None]
    assert Asking(Run(strategy="towers-direct", pack=Pack(benchmark="tow"))).example(Cell()) is None


def test_a_run_asks_each_question_in_every_wording_of_the_file(tmp_path, visitor):
    plain = TEXT.replace('choice_names = ["A:", "B:"]\nstills = true\n', "").replace("rotated = 1\n", "")
    asking = plain.replace("{question} It", "{question} Yes or no? It")
    say("import_benchmark", write_towers(tmp_path / "towers", asking))
    ensure_heuristics()
    words = ("--model=always-yes", "--benchmark=towers", "--wait")
    run = told("start_run", "--strategy=towers-direct-wordings", *words)
    assert (run["state"], run["answered"]) == ("finished", 6), "three questions in two wordings"
    texts = [turn["text"] for reply in ModelResponse.objects.all() for turn in reply.turns]
    asked = {text.partition(" It lasts")[0] for text in texts if "It lasts" in text}
    assert asked == {"Will it stand? Yes or no?", "Will it stand? No or yes?"}
    assert told("start_run", "--strategy=towers-direct", *words)["answered"] == 3
    say("export_table", "board:towers", "--format", "text")
    assert "Always yes" in visitor.get("/leaderboard/towers/?level=1").content.decode()
    own = visitor.get("/benchmarks/towers/").content.decode()
    assert "61.5 ± 2.0" in own
    assert "Figure 4" not in own
    levels = [part.partition("</table>")[0] for part in own.split("<h2>")[1:] if "Level " in part[:40]]
    assert [level.count('scope="row"') for level in levels] == [2, 1], "stands on both levels, why on the first"
    for address in ("benchmarks/towers/items/", "leaderboard/towers/?level=2", "api/v1/benchmarks/towers/"):
        assert visitor.get(f"/{address}").status_code == 200, address


@pytest.mark.parametrize(
    ("protocol", "sheets", "largest"), [("one-by-one", 2, 6), ("one-of-each", 6, 2), ("parts", 10, 2)]
)
def test_people_get_questions_by_the_design_that_the_file_names(tmp_path, protocol, sheets, largest):
    """Six questions about two scenes, two answers each."""
    root = write_towers(tmp_path / "towers", TEXT.replace('protocol = "one-of-each"', f'protocol = "{protocol}"'))
    preview = say("check_benchmark", root)
    assert f"{sheets} sessions" in preview
    assert "prompt towers-direct: 3 questions, chance 50.0 %; parser one-option" in preview
    say("import_benchmark", root)
    made = told("create_trial", "stand", "--protocol=towers-people", "--open")
    assert (made["slots"], made["sheets"]) == (12, sheets)
    for sheet in Trial.objects.get(slug="stand").sheets.all():
        scenes = [slot.item.facets.get(name="scene").value for slot in sheet.slots.all()]
        assert len(scenes) <= largest
        assert protocol != "one-of-each" or len(scenes) == len({*scenes})
    *invariants, _ = say("verify_trial", "stand").splitlines()
    assert [line for line in invariants if not line.startswith("pass ")] == []


@pytest.mark.parametrize("frame", ["first", "last"])
def test_thumbnails_are_of_the_frame_that_the_file_names(tmp_path, frame):
    say("import_benchmark", write_towers(tmp_path / "a"))
    other = TEXT.replace('slug = "towers"', 'slug = "towers2"').replace("towers-", "towers2-")
    text = other.replace("released", f'thumbnails = "{frame}"\nreleased')
    say("import_benchmark", write_towers(tmp_path / "b", text))
    usual, wanted = (pictures_of(slug) for slug in ("towers", "towers2"))
    assert usual.keys() == wanted.keys()
    assert all(usual[key] != wanted[key] for key in usual)


def pictures_of(slug):
    """The pixels of each clip's poster."""
    clips = Clip.objects.filter(pack__benchmark=slug)
    posters = {clip.key: path_of(clip.renditions.get(kind=RenditionKind.POSTER)) for clip in clips}
    return {key: Image.open(path).tobytes() for key, path in posters.items()}


LIKE_PACS = """\
schema = 1
slug = "my-pairs"
title = "My pairs"
question = "Which of two things?"
version = "1.0"
licence = "CC0"
splits = ["test", "val", "train", "all"]
parsers = ["pacs-object"]
clusters = "dyad"
facets = [{ name = "test", title = "Subset", values = ["pacs", "pacs-material"] }]
kinds = [
  { name = "pair", answer = "label" },
  { name = "material", answer = "label" },
]
prompts = [{ name = "my-pairs-direct", clip_names = ["First thing:", "Second thing:"], text = "{question}" }]
items = { layout = "pacs" }
"""


def test_the_layout_of_pacs_serves_another_benchmark_and_gives_the_same_rows(tmp_path):
    small(tmp_path)
    (tmp_path / "benchmark.toml").write_text(LIKE_PACS)
    say("import_benchmark", "pacs", tmp_path)
    say("import_benchmark", tmp_path)
    asked = (Item.objects.filter(pack__benchmark=slug) for slug in ("pacs", "my-pairs"))
    first, second = (
        {*with_expected(items, to=SCORER).values_list("key", "kind", "text", "expected")} for items in asked
    )
    assert first == second
    assert len(first) == 3


OF_MATERIAL = '  { name = "material", answer = "label" },\n'


@pytest.mark.parametrize(
    ("write", "text", "said"),
    [
        (small, LIKE_PACS.replace(OF_MATERIAL, ""), "questions of kind 'material'; my-pairs has: pair"),
        (write_towers, TEXT.replace('["low", "70"', '["deep", "70"'), "has a column 'deep'"),
    ],
    ids=["a layout with other kinds of question", "a published figure of no column"],
)
def test_what_the_folder_contradicts_is_refused_at_import_not_at_the_next_start(tmp_path, write, text, said):
    write(tmp_path)
    (tmp_path / "benchmark.toml").write_text(text)
    with pytest.raises(CommandError, match=said):
        say("import_benchmark", tmp_path)
    assert not BenchmarkFile.objects.exists()
    assert not Pack.objects.exists()


def test_the_official_annotations_of_pacs_give_the_rows_of_before(tmp_path):
    rows = BUILT_IN["pacs"].read_release(official(tmp_path)).rows
    digest = hashlib.sha256(repr(rows).encode()).hexdigest()
    assert (len(rows), digest) == (3245, "e0a12db633c24b79723bbbebc379b579f45ba9f4a84eecb6b83770d3cf64d502")
