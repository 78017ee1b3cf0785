"""Numbers and moments as answers of a benchmark defined in a file, with questions in a Parquet table."""

import json
from io import StringIO

import pyarrow as pa
import pytest
from django.core.management.base import CommandError
from pyarrow import parquet

from accounts.models import User
from benchmarks.disclosure import PUBLIC, Fact, open_facts
from benchmarks.models import Item
from evaluation.models import Listing, Run
from evaluation.parsing import PARSERS
from evaluation.runs.add_model import ensure_heuristics
from leaderboard.audits.blind import groups_of
from leaderboard.standings.refresh import refresh
from measures.scores.parsed_answers import ParserContext
from measures.scores.scoring import exact_match
from tests.benchmarks.grasp_release import write_clip
from tests.commands import say, told
from tests.factories import answer_to

TOML = """\
schema = 1
slug = "counting"
title = "Counting"
question = "How many, and when?"
version = "1.0"
licence = "CC0"
splits = ["all", "held-out"]
hidden = ["held-out"]
kinds = [
  { name = "how-many", answer = "number" },
  { name = "when", answer = "moment", level = "2" },
]
levels = [
  { number = "1", title = "How many" },
  { number = "2", title = "When" },
]
prompts = [
  { name = "counting-direct", text = "{question} Answer with a number." },
  { name = "counting-when", kinds = ["when"], text = "{question} Answer with seconds, or nothing." },
]
items = { file = "items.parquet" }
"""
ANSWERS = {
    "n0": ("how-many", "3", ""),
    "n1": ("how-many", " 2.5 .. 3.50", ""),
    "n2": ("how-many", "-4", "held-out"),
    "w0": ("when", "0.2..0.6", ""),
    "w1": ("when", "Nothing", ""),
}


def write_folder(root, answers=ANSWERS):
    rows = [
        {"id": name, "kind": kind, "answer": answer, "split": split, "clip": f"{name}.mp4", "question": "Well?"}
        for name, (kind, answer, split) in answers.items()
    ]
    for seed, name in enumerate(answers):
        write_clip(root / "clips" / f"{name}.mp4", seed=seed)
    parquet.write_table(pa.Table.from_pylist(rows), root / "items.parquet")
    (root / "benchmark.toml").write_text(TOML)
    return root


def submit(strategy, answers, tmp_path, **options):
    User.objects.get_or_create(username="ada")
    ids = dict(Item.objects.values_list("key", "public_id"))
    lines = [json.dumps({"item": ids[key], "answer": answer}) for key, answer in answers.items()]
    (path := tmp_path / "answers.jsonl").write_text("\n".join(lines))
    where = ("--benchmark=counting", "--pack=official", f"--strategy={strategy}", "--split=all", "--condition=video")
    return told("submit", path, "--as=ada", "--model=Mine", *where, **options)


@pytest.fixture
def folder(tmp_path, db):
    return write_folder(tmp_path / "counting")


@pytest.mark.usefixtures("nobody_else_works")
def test_numbers_and_moments_are_scored_within_their_range(folder, tmp_path, visitor):
    said = say("check_benchmark", folder)
    assert "parser number" in said
    assert "parser moment" in said
    say("import_benchmark", folder)
    read = {item.key: answer_to(item) for item in Item.objects.all()}
    assert read == {"n0": "3", "n1": "2.5..3.5", "n2": "-4", "w0": "0.2..0.6", "w1": "nothing"}
    assert submit("counting-direct", {"n0": "3.0", "n1": "3.6", "n2": "-4"}, tmp_path)["score"] == pytest.approx(2 / 3)
    done = submit("counting-when", {"w0": "0.45", "w1": "nothing"}, tmp_path)
    assert done["score"] == 1.0
    ensure_heuristics()
    run = told("start_run", "--model=random", "--benchmark=counting", "--strategy=counting-direct", "--wait")
    assert (run["answered"], run["accuracy"]) == (3, 0.0)
    Run.objects.filter(pk=done["run"]).update(listing=Listing.LISTED)
    refresh()
    row = visitor.get("/leaderboard/counting/?level=2&format=json").json()["rows"][-1]
    assert row["overall"]["score"] == 1.0
    item = Item.objects.get(key="w0")
    assert visitor.get(item.get_absolute_url()).status_code == 200
    assert visitor.get("/api/v1/items/?benchmark=counting").json()["results"][0]["answer_kind"] in ("number", "moment")
    assert "are needed" in groups_of(item.pack)[1][0]["why"]


@pytest.mark.parametrize(
    ("strategy", "answers", "said"),
    [
        ("counting-direct", {"n0": "three", "n1": "3", "n2": "-4"}, "'three' is no number"),
        ("counting-when", {"w0": "soon", "w1": "1"}, "'soon' is neither a number of seconds nor `nothing`"),
        ("counting-when", {"w0": "900", "w1": "1"}, "900 s lies outside the clip"),
    ],
)
def test_other_answers_are_named(folder, tmp_path, strategy, answers, said):
    say("import_benchmark", folder)
    with pytest.raises(CommandError, match="nothing was stored"):
        submit(strategy, answers, tmp_path, stdout=(out := StringIO()), stderr=out)
    assert said in out.getvalue()


def test_a_withheld_number_is_loaded_later(folder, tmp_path):
    write_folder(folder, {**ANSWERS, "n2": ("how-many", None, "held-out")})
    say("import_benchmark", folder)
    item = Item.objects.get(key="n2")
    assert open_facts(item, to=PUBLIC) == {Fact.EXISTENCE}
    (tmp_path / "a.csv").write_text("item,answer\nn2,many\n")
    with pytest.raises(CommandError, match="'many' is no answer; there is: a number, or a range"):
        say("import_benchmark", "--answers", "counting", tmp_path / "a.csv")
    (tmp_path / "a.csv").write_text("item,answer\nn2,7..9\n")
    say("import_benchmark", "--answers", "counting", tmp_path / "a.csv")
    item.refresh_from_db()
    assert (answer_to(item), open_facts(item, to=PUBLIC)) == ("7..9", {Fact.EXISTENCE})


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("how-many", "many", ""), "items.parquet, line 1: answer: 'many' is no answer; there is: a number"),
        (("how-many", "5..3", ""), "'5..3' is no answer"),
        (("when", "-1", ""), "'-1' is no answer; there is: seconds of the clip, a range of them"),
    ],
)
def test_another_answer_in_the_table_is_named(folder, row, said):
    with pytest.raises(CommandError) as mistake:
        say("import_benchmark", write_folder(folder, {"n0": row}))
    assert said in str(mistake.value)


def test_a_broken_parquet_file_is_one_sentence(folder):
    (folder / "items.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(CommandError, match=r"items\.parquet: is no Parquet file"):
        say("import_benchmark", folder)


READ: dict[str, str | None] = {"3": "3", "Answer: 3.": "3", "The answer is 12 balls": "12", "-0.0": "0"}
READ |= {"$\\boxed{7}$": "7", "I count.\n**Answer:** -2.50 cm": "-2.5"}
READ |= dict.fromkeys(["three", "3 or 4", "1,000", "", "I can't tell.", "It is 3 because 2 fell"])


def test_the_parser_takes_one_number_alone():
    assert {reply: PARSERS["number"].read(reply, ParserContext("how-many")).answer for reply in READ} == READ


SCORED: dict[tuple[str | None, str], int] = {("3", "3"): 1, ("3", "2.5..3.5"): 1, ("2.5", "2.5..3.5"): 1}
SCORED |= {("-3", "-4..-2"): 1, ("1..2", "1..2"): 1, ("yes", "yes"): 1}
SCORED |= {(None, "1..2"): 0, ("3.6", "2.5..3.5"): 0, ("nothing", "1..2"): 0}


def test_a_number_is_right_within_the_range():
    assert {(answer, expected): exact_match(answer, expected) for answer, expected in SCORED} == SCORED
