"""Questions in the shares that Table 1 of the paper implies."""

import json
from collections import Counter

import numpy as np
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from scenes.craft.places import VideoPlace
from scenes.craft.questions.shares import BOOLEANS, PAPER, TYPES, TooFewQuestions, in_shares_of_paper
from scenes.craft.questions.templates import templates
from scenes.craft.release import write_release

MADE = {"seed": 0, "profile": "corrected"}
ANSWERS = ("Boolean", "Count", "Shape", "Color")


def asked(each=400):
    """Many questions, equally many of each question and answer type."""
    kinds = [(name, answer) for name in TYPES for answer in ANSWERS]
    return [(*kind, number) for number, kind in enumerate(kinds * each)]


def test_the_shares_are_those_of_table_1():
    """The models' overall accuracies are the types' accuracies weighted by these shares, except for rounding."""
    (table,) = BENCHMARKS["craft"].tables
    titles = [column.title for column in table.columns]
    for row in table.rows:
        cells = dict(zip(titles, row.cells, strict=True))
        if all(cells.values()) and row.kind != "human":
            shown = {"C": "Cause", "CF": "Counterfactual", "D": "Descriptive", "E": "Enable", "P": "Prevent"}
            told = sum(TYPES[name] * float(cells[f"Easy {short}"]) for short, name in shown.items())
            assert told == pytest.approx(float(cells["Easy All"]), abs=0.1), row.name
        if row.name == "MFA":
            booleans = sum(TYPES[name] * BOOLEANS[name] for name in TYPES)
            assert booleans == pytest.approx(2 * float(cells["Easy All"]) / 100, abs=0.002)


def test_the_set_has_the_papers_shares_and_leaves_out_no_more_than_it_must():
    every = {key: (name, answer == "Boolean") for name, answer, key in asked()}
    kept = in_shares_of_paper(asked(), seed=3)
    counts = Counter(every[key] for key in kept)
    assert all(counts[cell] / len(kept) == pytest.approx(share, abs=0.003) for cell, share in PAPER.items())
    available = Counter(every.values())
    assert any(counts[cell] == available[cell] for cell in PAPER)
    assert kept == in_shares_of_paper(asked(), seed=3) != in_shares_of_paper(asked(), seed=4)


def test_a_missing_kind_is_named():
    lacking = [one for one in asked() if one[:2] != ("Prevent", "Boolean")]
    with pytest.raises(TooFewQuestions, match=r"no true-or-false question of type Prevent, 2\.4% in the paper"):
        in_shares_of_paper(lacking, seed=0)


def write_questions(out, videos, rng):
    """Write finished videos without clips, each with every kind of question and random answers."""
    answers = {"Boolean": [True, False], "Count": [0, 1, 2], "Shape": ["cube", "circle"], "Color": ["red", "blue"]}
    kinds = [template for template in templates().values() if template.is_asked]
    for number in range(videos):
        place = VideoPlace.of(1, number)
        told = []
        for nth, one in enumerate(kinds):
            known, values = answers[one.answer_type], {step.slot: "" for step in one.program if step.slot}
            answer = known[int(rng.integers(len(known)))]
            told.append({"number": nth, "template": one.name, "values": values, "question": "?", "answer": answer})
        files = ((place.video(out), {}), (place.record(out), {}), (place.questions(out), MADE | {"questions": told}))
        for path, content in files:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(content))


def test_a_release_is_written_in_the_papers_shares_and_whole_again_without_them(tmp_path):
    write_questions(tmp_path, 40, np.random.default_rng(0))
    whole = write_release(tmp_path, MADE)
    some = write_release(tmp_path, MADE, shares="paper")
    records = json.loads((tmp_path / "dataset_minimal.json").read_text())
    assert some == len(records) < whole
    assert sum(one["answer_type"] == "Boolean" for one in records) / some == pytest.approx(0.615, abs=0.01)
    assert json.loads((tmp_path / "made_here.json").read_text()) == MADE | {"shares": "paper"}
    assert write_release(tmp_path, MADE) == whole
    assert json.loads((tmp_path / "made_here.json").read_text()) == MADE
