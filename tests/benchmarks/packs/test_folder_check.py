"""The check of a folder before its import finds what tells the answer, in tables of any length."""

import json
import time
from collections import Counter, defaultdict
from contextlib import suppress
from io import StringIO
from unicodedata import normalize

import pytest
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.definitions.files.items_table import MISTAKES
from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.errors import BadRelease
from benchmarks.packs.benchmark_files import read_file, release_in
from benchmarks.packs.folder_check import left_out
from tests.benchmarks.definitions.files.folders import TOML

FAST = 20.0  # seconds of a processor for 100,000 questions, which take three


def counted_one_by_one(marks, answers):
    counts = defaultdict(Counter)
    for mark, answer in zip(marks, answers, strict=True):
        counts[mark][answer] += 1
    others = [(answer, counts[mark] - Counter([answer])) for mark, answer in zip(marks, answers, strict=True)]
    return sum(bool(left) and left.most_common(1)[0][0] == answer for answer, left in others)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("xyz")), min_size=1, max_size=14))
def test_an_answer_is_predicted_by_the_others_with_its_mark(rows):
    marks, answers = zip(*rows, strict=True)
    assert left_out(marks, answers)[0] == counted_one_by_one(marks, answers)


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda path: None, "there is no such file"),
        (lambda path: path.write_bytes(b"a\xff"), r"is no UTF-8 text \(byte 1\)"),
        (lambda path: path.mkdir(), r"can't be read \(Is a directory\)"),
    ],
)
def test_a_definition_that_can_not_be_read_is_one_sentence(tmp_path, write, said):
    write(path := tmp_path / "benchmark.toml")
    with pytest.raises(BadRelease, match=said):
        read_file(path)


def write_table(root, n, *, kind="plausible", tells=False):
    """Questions without clips; yes and no are as frequent, and so are options that no other question has."""
    lines = ["id,kind,question,options,answer,scene,test"]
    for number in range(n):
        answer = ("yes", "no")[number % 2] if kind == "plausible" else f"o{number}"
        options = "" if kind == "plausible" else "|".join((f"o{number}", f"p{number}")[:: 1 - number % 2 * 2])
        test = ("drop", "roll")[number % 2 if tells else number // 2 % 2]
        lines.append(f"q{number},{kind},Which?,{options},{answer},scene-{number % 7},{test}")
    (root / "items.csv").write_text("\n".join(lines) + "\n")
    (root / "benchmark.toml").write_text(TOML)
    return root


@pytest.mark.parametrize("n", [1030, 5000, 100_000])
@pytest.mark.parametrize("kind", ["plausible", "what"])
def test_a_long_table_is_checked(tmp_path, n, kind):
    began = time.process_time()
    call_command("check_benchmark", str(write_table(tmp_path, n, kind=kind)), stdout=(out := StringIO()))
    assert out.getvalue().endswith("0 findings\n")
    assert time.process_time() - began < FAST


@pytest.mark.parametrize(("of_file", "of_table"), [("NFD", "NFC"), ("NFC", "NFD")])
def test_umlauts_are_found_in_either_spelling_and_nan_is_an_empty_cell(tmp_path, of_file, of_table):
    (tmp_path / "clips").mkdir()
    (tmp_path / "clips" / normalize(of_file, "käse.mp4")).write_bytes(b"x")
    row = {"kind": "plausible", "question": "Which?", "answer": "yes", "test": "drop", "group": float("nan")}
    rows = [row | {"id": str(number), "clip": normalize(of_table, "käse.mp4")} for number in range(2)]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))
    (tmp_path / "benchmark.toml").write_text(TOML.replace("items.csv", "items.jsonl"))
    release = release_in(read_file(tmp_path / "benchmark.toml"), tmp_path)
    assert ([one.group for one in release.rows], release.gaps, len(release.clips)) == (["", ""], (), 1)


@pytest.mark.parametrize("table", ["rows", "columns"])
def test_reading_stops_after_a_thousand_mistakes(tmp_path, table):
    names = "".join(f",column{number}" for number in range(5000))
    wide = f"id,kind,question,answer{names}\n"
    text = wide if table == "columns" else "id,kind,question,answer\n" + ",,,\n" * 5000
    (tmp_path / "items.csv").write_text(text)
    (tmp_path / "benchmark.toml").write_text(TOML)
    with pytest.raises(BadDefinition) as refused:
        release_in(read_file(tmp_path / "benchmark.toml"), tmp_path)
    assert len(refused.value.mistakes) <= MISTAKES + 10


@pytest.mark.parametrize(("n", "is_found"), [(19, False), (20, True), (5000, True)])
def test_a_facet_that_tells_is_found_if_there_are_twenty_questions(tmp_path, n, is_found):
    with suppress(SystemExit):
        call_command("check_benchmark", str(write_table(tmp_path, n, tells=True)), stdout=(out := StringIO()))
    assert ("facet test" in out.getvalue()) == is_found
