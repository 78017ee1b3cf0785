"""Result files of the benchmarks' own tools: their scorers read our files, and our files re-import unchanged."""

import dataclasses
import gzip
import io
import itertools
import json
import os
import random
from pathlib import Path

import pandas
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from accounts.models import User, new_token
from benchmarks.commands import CallerMistake
from benchmarks.definitions.definition import ItemRow, Release
from benchmarks.definitions.papers import craft, pacs
from benchmarks.definitions.papers.craft import OPTIONS as CRAFT_OPTIONS
from benchmarks.definitions.papers.pacs import OPTIONS as OBJECTS
from benchmarks.definitions.registry import BUILT_IN
from benchmarks.disclosure import SCORER, with_expected
from benchmarks.models.answers import ItemSeal
from benchmarks.packs.import_release import import_release
from evaluation.models import Cell, Reading, Run, Score
from evaluation.parsing import PARSERS
from evaluation.runs.official import EMPTY, MISSING, SEPARATOR, joined, last_reply, write_official
from evaluation.submissions.command_arguments import packed
from evaluation.submissions.lint.check import lint
from evaluation.submissions.store.submit import submit
from evaluation.workers.recording import CellReply, record
from tests.benchmarks.pacs_releases import official
from tests.evaluation.submissions import official_scorers
from tests.evaluation.submissions.official_scorers import craft_accuracies, grasp_accuracies, pacs_accuracy
from tests.evaluation.submissions.uploads import zipped
from tests.factories import answer_to, make_clip, make_item, make_pack, make_run
from tests.markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture
def user(db):
    return User.objects.create_user("ada")


@pytest.fixture
def out(tmp_path):
    """An empty output folder."""
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


# --- packs and runs ---


def statements(pack, count=4):
    """Clips of Level 1, each with a true and a false statement."""
    for number in range(count):
        clip = make_clip(pack, key=f"level1/Color{('Red', 'Blue')[number % 2]}/{number:03}")
        for variant, expected, color in (("true", "yes", "red"), ("false", "no", "green")):
            make_item(
                pack, clip=clip, key=clip.key, variant=variant, expected=expected, text=f"Is it {color}?\nSay so."
            )


def answered(pack, replies, **values) -> Run:
    """A run with these replies: item -> text, or the texts of its turns."""
    parser = PARSERS[values.pop("parser", "grasp-official")]
    run = make_run(pack, parser=parser.name, parser_version=parser.version, **values)
    heard = []
    for seed, (item, said) in itertools.product(run.seeds, replies.items()):
        said = said if isinstance(said, tuple) else (said,)
        turns = []
        for number, text in enumerate(said):
            asked = item.text if number == len(said) - 1 else item.lead_in
            shown = int(number == 0) if run.condition == "video" else 0
            turns += [{"role": "user", "text": asked, "frames": shown}, {"role": "model", "text": text}]
        heard.append(CellReply(Cell.objects.create(run=run, item=item, seed=seed), said[-1], turns))
    record(heard)
    return run


def header_of(run: Run, **changes: str) -> dict[str, str]:
    how = {"strategy": run.strategy, "condition": run.condition, "split": run.split}
    return {"benchmark": run.pack.benchmark, "pack": run.pack.name, "model": "A model"} | how | changes


def fields_of(header: dict[str, str], content: bytes, **changes: str) -> dict:
    """What the form of the page sends for this header and file."""
    fields = header | {"pack": f"{header['benchmark']}/{header['pack']}", "file": SimpleUploadedFile("r.csv", content)}
    del fields["benchmark"]
    return fields | changes


def readings(run: Run) -> dict:
    """(item, seed) -> the counted reading of its reply, and its score."""
    found = Reading.objects.filter(response__cell__run=run, parser=run.parser, version=run.parser_version)
    scores = dict(Score.objects.of_run(run).values_list("reading_id", "value"))
    rows = found.values_list("response__cell__item__public_id", "response__cell__seed", "answer", "problem", "pk")
    return {(item, seed): (answer, problem, scores.get(key)) for item, seed, answer, problem, key in rows}


def sent_back(run: Run, folder, user) -> Run:
    """Export the run and upload the written file."""
    write_official(run, folder)
    return submit(file=packed(folder), user=user, header=header_of(run))


def small(slug, kind, rows):
    """A pack of questions without clips, as an importer makes it; a row is key, options, answer, facets, splits."""
    made = tuple(
        ItemRow(
            *(key, kind, "Which?"),
            answer_kind="label",
            options=options,
            expected=expected,
            facets=facets,
            splits=splits,
        )
        for key, options, expected, facets, splits in rows
    )
    benchmark = dataclasses.replace(BUILT_IN[slug], read_release=lambda root: Release(clips=(), rows=made))
    return import_release(benchmark, Path.cwd(), pack_name="small").pack


CRAFT_ROWS = (  # video, question, type, answer type, answer, split in both settings
    (6512, 3, "Cause", "Boolean", "true", ("easy-test", "hard-train", "all")),
    (6512, 9, "Descriptive", "Count", "2", ("easy-test", "hard-train", "all")),
    (6512, 11, "Descriptive", "Shape", "triangle", ("easy-test", "hard-train", "all")),
    (8, 0, "Descriptive", "Color", "green", ("easy-test", "hard-train", "all")),
    (9, 0, "Prevent", "Boolean", "false", ("easy-validation", "hard-test", "all")),
)


def craft_pack():
    return small(
        "craft",
        "question",
        (
            (craft.item_key(*place), CRAFT_OPTIONS[answers], expected, {"level": ("1",), "test": (kind,)}, splits)
            for *place, kind, answers, expected, splits in CRAFT_ROWS
        ),
    )


PACS_ROWS = (  # split, pair, question, label
    ("test", "object0118_object0119", "question0301", 0),
    ("test", "object0118_object0119", "question0302", 1),
    ("test", "object0200_object0007", "question0301", 1),
    ("val", "object0300_object0301", "question0001", 0),
)


def pacs_pack(withheld=False):
    def expected(split, label):
        return None if withheld and split == "test" else OBJECTS[label]

    rows = (
        (pacs.item_key(pair, question), OBJECTS, expected(split, label), {"level": ("1",)}, (split, "all"))
        for split, pair, question, label in PACS_ROWS
    )
    return small("pacs", "pair", rows)


def craft_run(pack, said, **values) -> Run:
    """`said` by official key."""
    replies = {item: said[item.key] for item in pack.items.all() if item.key in said}
    return answered(pack, replies, **{"strategy": "craft", "split": "easy-test", "parser": "craft-vocabulary"} | values)


def pacs_run(pack, said, **values) -> Run:
    return craft_run(pack, said, **{"strategy": "pair", "split": "test", "parser": "pacs-object"} | values)


CRAFT_SAID = {"006512/3": "Yes.", "006512/9": "two", "006512/11": "a circle", "000008/0": "red or green"}
PACS_SAID = {
    "object0118_object0119/question0301": "Object 1",
    "object0118_object0119/question0302": "Object 1.",
    "object0200_object0007/question0301": "Hm.",
}


# --- the official scorers read what we write ---


REPLIES = (
    *("Yes", "yes, it is", "**No**", "No.\nYes", "Answer: yes", "", "  ", "None", "nan", "n/a", "yes<SEP>no"),
    *('"Yes", it said', "Hm,\r\nno", "=1+1", "Ja"),
)


def test_the_scorer_of_grasp_makes_of_our_file_what_we_make_of_the_reply(tmp_path):
    pack = make_pack()
    statements(pack, 1)
    for number, reply in enumerate(REPLIES):
        run, out = answered(pack, dict.fromkeys(pack.items.all(), reply)), tmp_path / str(number)
        out.mkdir()
        write_official(run, out)
        judged = {gt: words for (_, gt), (words,) in grasp_accuracies(out).items()}
        for reading in Reading.objects.filter(response__cell__run=run):
            gt = answer_to(reading.response.cell.item)
            assert judged[gt] == ("invalid" if reading.problem else "correct" if reading.answer == gt else "false")


NUMBERS = ("7", "-1", "+2.5", "1e5", " 3 ", ".5", "5.", "inf", "-Infinity", "007", "99999999999999999999", "1E-3")


@pytest.mark.parametrize("replies", [NUMBERS, ("True", "FALSE", "true"), ("1", "2"), ("True",), ("0", "nan", "")])
def test_replies_that_look_like_numbers_or_truths_stay_words_for_pandas(out, replies):
    pack = make_pack()
    statements(pack, 12)
    run = answered(pack, dict(zip(pack.items.all(), itertools.cycle(replies), strict=False)))
    write_official(run, out)
    table = pandas.read_csv(out / "results.csv")
    judged = [said.split(SEPARATOR)[-1].split()[0].strip() for said in table["response"]]
    assert len(judged) == 24
    assert not {"yes", "no"} & set(judged)
    assert {last_reply(said) for said in table["response"]} == {said if said.strip() else "" for said in replies}


def test_the_scorer_of_grasp_would_crash_on_what_is_written_as_it_is(out):
    (out / "test_config.yaml").write_text("test_name: level1-binary\n")
    for reply in ("", "None"):
        (out / "results.csv").write_text(f"scene,prompt,video_file,gt,response\nColor,?,a.mp4,yes,{reply}\n")
        with pytest.raises(official_scorers.ScorerCrashed):
            grasp_accuracies(out)


@pytest.mark.parametrize("strategy", ["binary", "binary-cot", "open", "plausibility", "text"])
def test_the_numbers_of_grasps_scorer_are_ours(out, strategy):
    pack = make_pack()
    said = {"binary": ("Yes.", "No", "<answer>Yes</answer>", "yes"), "open": ("a ball", "box", "ball, cube", "")}
    labels = ["ball", "cube"] if strategy == "open" else ["yes", "no"]
    values = {"kind": strategy.split("-")[0], "variant": "", "options": labels, "facets": {"test": ("Shape",)}}
    for number in range(4):
        folder = "level2/P_Shape" if strategy == "plausibility" else "level1/Shape"
        clip = None if strategy == "text" else make_clip(pack, key=f"{folder}/{number:03}")
        key = clip.key if clip else f"{('P', 'IP')[number % 2]}_Test{number}"
        make_item(pack, clip=clip, key=key, expected=labels[number % 2], **values)
    replies = dict(zip(pack.items.all(), said.get(strategy, said["binary"]), strict=True))
    if strategy == "binary-cot":
        replies = {item: ("I see.", reply) for item, reply in replies.items()}
    run = answered(pack, replies, strategy=strategy)
    write_official(run, out)
    scenes = {"text": {"P_Test0", "IP_Test1", "P_Test2", "IP_Test3"}, "plausibility": {"P_Shape"}}
    assert set(pandas.read_csv(out / "results.csv")["scene"]) == scenes.get(strategy, {"Shape"})
    theirs = [word == "correct" for words in grasp_accuracies(out).values() for word in words]
    ours = list(Score.objects.of_run(run).values_list("value", flat=True))
    assert (len(theirs), sum(theirs)) == (len(ours), sum(ours))
    assert 0 < sum(theirs) < len(theirs)


def test_the_numbers_of_crafts_scorer_are_ours(out):
    run = craft_run(craft_pack(), CRAFT_SAID)
    write_official(run, out)
    questions = [
        {"video_index": video, "question_index": question, "question_type": kind, "answer": answer.capitalize()}
        for video, question, kind, _, answer, splits in CRAFT_ROWS
        if "easy-test" in splits
    ]
    wanted = {"Cause": 100.0, "Descriptive": 33.33, "overall": 50.0}
    assert craft_accuracies(out / "predictions-random.tsv", questions) == wanted
    assert sum(Score.objects.of_run(run).values_list("value", flat=True)) == 2
    assert (out / "predictions-random.tsv").read_text().splitlines()[1] == "8\t0\ttest\tambiguous"


def test_the_numbers_of_pacs_own_comparison_are_ours(out):
    run = pacs_run(pacs_pack(), PACS_SAID)
    write_official(run, out)
    data: dict = {}
    for split, pair, question, label in PACS_ROWS:
        if split == "test":
            data.setdefault(pair, {})[question] = {"label": label}
    scores = list(Score.objects.of_run(run).values_list("value", flat=True))
    assert pacs_accuracy(out / "preds_test_data.json", data) == sum(scores) / len(scores) == 1 / 3


# --- there and back ---


@pytest.mark.parametrize(
    ("strategy", "condition"),
    [("binary", "video"), ("binary-cot", "video"), ("binary", "question-only"), ("binary-cot", "question-only")],
)
def test_a_run_of_grasp_comes_back_with_the_same_readings_and_scores(out, user, strategy, condition):
    pack = make_pack()
    statements(pack)
    said = ("Yes.", "no", "", "None", "Well", "Yes<SEP>no", "  ", 'No, "green", not\nred')
    replies = dict(zip(pack.items.all(), said, strict=True))
    if strategy == "binary-cot":
        replies = {item: ("A table,\nand a ball.", text) for item, text in replies.items()}
    run = answered(pack, replies, strategy=strategy, condition=condition, parser="grasp-paper")
    back = sent_back(run, out, user)
    mode = "cot" if strategy == "binary-cot" else "standard"
    assert (out / "test_config.yaml").read_text() == f"test_name: level1-binary\nmode: {mode}\n"
    assert (back.parser, back.seeds, back.card["given"]) == ("grasp-paper", [0], "reply")
    assert readings(back) == readings(run)
    assert len(readings(back)) == 8
    raws = {cell.item_id: cell.response.raw for cell in back.cells.all()}
    assert raws == {cell.item_id: cell.response.raw if cell.response.raw.strip() else "" for cell in run.cells.all()}


def test_seeds_come_back_by_the_folders_that_name_them(grasp, out, user):
    run = answered(grasp, dict.fromkeys(grasp.items.all(), "yes"), seeds=[3, 7], parser="grasp-paper")
    back = sent_back(run, out, user)
    assert sorted(path.name for path in out.iterdir()) == ["seed-3", "seed-7"]
    assert back.seeds == [3, 7]
    assert readings(back) == readings(run)
    assert submit(file=packed(out), user=user, header=header_of(run)) == back


@pytest.mark.parametrize("split", ["easy-test", "all"])
def test_a_run_of_craft_comes_back_with_the_same_readings_and_scores(out, user, split):
    said = CRAFT_SAID | ({"000009/0": "I cannot answer that."} if split == "all" else {})
    run = craft_run(craft_pack(), said, split=split)
    back = sent_back(run, out, user)
    assert (back.parser, back.card["given"]) == ("as-predicted", "prediction")
    assert readings(back) == readings(run)
    assert {problem for _, problem, _ in readings(back).values()} >= {"", "ambiguous"}
    assert (split == "all") == ("validation" in (out / "predictions-random.tsv").read_text())


def test_the_hard_setting_has_a_file_of_its_own(out, user):
    run = craft_run(craft_pack(), {"000009/0": "no"}, split="hard-test")
    back = sent_back(run, out, user)
    assert (out / "predictions-hard.tsv").read_text().splitlines()[1:] == ["9\t0\ttest\tfalse"]
    assert readings(back) == readings(run)


@pytest.mark.parametrize("withheld", [False, True])
def test_a_run_of_pacs_comes_back_with_the_same_answers_and_scores(out, user, withheld):
    run = pacs_run(pacs_pack(withheld), PACS_SAID, seeds=[0] if withheld else [0, 1])
    back = sent_back(run, out, user)
    assert {key: (answer, score) for key, (answer, _, score) in readings(back).items()} == {
        key: (answer, score) for key, (answer, _, score) in readings(run).items()
    }
    assert {score is None for _, _, score in readings(back).values()} == {withheld}
    assert {problem for _, problem, _ in readings(back).values()} == {"", "unread"}


def test_several_splits_of_pacs_are_several_files(out, user):
    said = PACS_SAID | {"object0300_object0301/question0001": "the second"}
    run = pacs_run(pacs_pack(), said, split="all")
    back = sent_back(run, out, user)
    assert sorted(path.name for path in out.iterdir()) == ["preds_test_data.json", "preds_val_data.json"]
    assert [answer for answer, _, _ in readings(back).values()].count("object 2") == 1
    assert len(readings(back)) == 4


# --- the other layouts of PACS ---


def pacs_file(kind: str) -> bytes:
    """The same three answers (object 2, 1, 2) in every layout."""
    rows = [(pair, question, answer) for (_, pair, question, _), answer in zip(PACS_ROWS[:3], (1, 0, 1), strict=True)]
    if kind == "uniter":
        return "".join(f"test_{number},{bool(answer)}\n" for number, (*_, answer) in enumerate(rows, 1)).encode()
    if kind == "merlot":
        lines = [f"{pair.replace('_', '__')}__{question},{answer},0,-0.2,-1.7\n" for pair, question, answer in rows]
        return ("id,prediction,prob1,prob2\n" + "".join(lines)).encode()
    found: dict = {}
    for pair, question, answer in rows:
        scores = (0.25, 0.3) if answer else (0.3, 0.25)
        # CLIP: the first object leads in the sum of the six crops; the centre decides for the second.
        crops = [[0.2] * 5 + [0.1], [0.1] * 5 + [0.35]] if answer else [[0.1] * 5 + [0.35], [0.2] * 5 + [0.1]]
        found.setdefault(pair, {})[question] = crops if kind == "clip" else scores
    return json.dumps(found).encode()


@pytest.mark.parametrize("kind", ["audioclip", "clip", "uniter", "merlot"])
def test_each_of_the_layouts_of_pacs_is_read(user, kind):
    header = header_of(make_run(pacs_pack(), strategy="pair", split="test"))
    run = submit(file=io.BytesIO(pacs_file(kind)), user=user, header=header)
    by_key = dict(Reading.objects.filter(response__cell__run=run).values_list("response__cell__item__key", "answer"))
    read = [by_key[pacs.item_key(pair, question)] for _, pair, question, _ in PACS_ROWS[:3]]
    assert read == ["object 2", "object 1", "object 2"]


def test_uniter_counts_the_datapoints_of_its_split():
    header = header_of(make_run(pacs_pack(), strategy="pair", split="all"))
    report = lint(io.BytesIO(b"test_1,False\ntest_2,False\ntest_3,False\nval_1,True\nval_2,True\n"), header)
    (problem,) = report.problems
    assert str(problem) == "line 5, item val_2: no such item in this pack, split and strategy"
    assert report.rows == 4


# --- what is wrong with a file ---


GRASP_FILE = "scene,prompt,video_file,gt,response\n"


def grasp_file(pack, **changes) -> str:
    items = with_expected(pack.items.all(), to=SCORER).order_by("key", "-expected")
    lines = [f'Color,"{item.text}",data/videos/{item.key}.mp4,{answer_to(item)},yes\n' for item in items]
    return GRASP_FILE + "".join(changes.get(f"line_{number}", line) for number, line in enumerate(lines, 1))


@pytest.fixture
def grasp():
    """A pack with one clip and two statements about it."""
    pack = make_pack()
    statements(pack, 1)
    return pack


def complaints(content: str | bytes, header) -> list[tuple[int | None, str, str, str]]:
    content = content.encode() if isinstance(content, str) else content
    return [(each.line, each.item, each.code, each.what) for each in lint(io.BytesIO(content), header).problems]


RED = "level1/ColorRed/000"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        (
            f'Color,"Is it mauve?",data/videos/{RED}.mp4,yes,no\n',
            (2, RED, "unknown-item", "ask no such question about it: 'Is it mauve?'"),
        ),
        (
            'Color,"Is it red?\nSay so.",data/videos/level1/ColorRed/099.mp4,yes,no\n',
            (2, "level1/ColorRed/099", "unknown-item", "ask no such question"),
        ),
        (
            f'Color,"Is it red?\nSay so.",data/videos/{RED}.mp4,no,no\n',
            (2, f"{RED} (true)", "value", "`gt` is 'no', which is not the answer"),
        ),
        ("Color,yes\n", (2, "", "cells", "2 cells, but 5 columns")),
        (
            f'Color,"Is it green?\nSay so.",./data/videos/{RED}.mp4,no,no\n',
            (4, f"{RED} (false)", "duplicate", "answered before with seed 0"),
        ),
        ("", (None, f"{RED} (true)", "missing", "no answer with seed 0")),
    ],
)
def test_a_wrong_row_of_grasp_is_named_by_line_and_item(grasp, line, wanted):
    found, *_ = complaints(grasp_file(grasp, line_1=line), header_of(make_run(grasp)))
    assert found[:3] == wanted[:3]
    assert wanted[3] in found[3]


def test_a_whole_file_of_grasp_has_nothing_wrong_but_official_names_while_a_study_asks_the_pack(grasp):
    header = header_of(make_run(grasp))
    report = lint(io.BytesIO(grasp_file(grasp).encode()), header)
    assert (report.ok, report.rows, report.score, report.kind) == (True, 2, 0.5, "reply")
    ItemSeal.objects.create(item=grasp.items.first(), by="trial")
    (found,) = complaints(grasp_file(grasp), header)
    assert found[2] == "header"
    assert "upload answers by item id instead" in found[3]


CRAFT_FILE = (
    "video_index\tquestion_index\tsplit\tprediction\n6512\t3\ttest\tTrue\n6512\t9\ttest\t2\n6512\t11\ttest\tCube\n"
)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("8\t0\ttest\tgreen\n", None),
        ("8\t0\ttest\ttrue\n", None),  # another kind of answer: wrong, as their scorer has it
        ("8\t0\ttest\tcut off\n", None),
        ("8\t0\tvalidation\tgreen\n", (5, "000008/0", "value", "`split` is 'validation'; the header's easy-test is")),
        ("8\t1\ttest\tgreen\n", (5, "000008/1", "unknown-item", "no such item")),
        ("x\t1\ttest\tgreen\n", (5, "", "value", "the indices 'x' and '1' must be whole numbers")),
        ("8\t0\ttest\tmauve\n", (5, "000008/0", "not-an-option", "'mauve' answers no question of CRAFT; write unread")),
        ("8\t0\tgreen\n", (5, "", "cells", "3 cells, but 4 columns")),
        ("", (None, "000008/0", "missing", "no answer with seed 0")),
    ],
)
def test_a_wrong_row_of_craft_is_named_by_line_and_item(line, wanted):
    header = header_of(make_run(craft_pack(), strategy="craft", split="easy-test"))
    found = complaints(CRAFT_FILE + line, header)
    assert bool(found) == bool(wanted)
    if wanted:
        assert found[0][:3] == wanted[:3]
        assert wanted[3] in found[0][3]


PACS_OPEN = '{"object0118_object0119": {\n"question0301": [1, 0],\n'


@pytest.mark.parametrize(("content", "wanted"), [
    (PACS_OPEN + '"question0302": [1, "a"]}}', (3, "object0118_object0119/question0302", "value", "two numbers")),
    (PACS_OPEN + '"question0302": [1, 1' + "0" * 400 + "]}}",
     (3, "object0118_object0119/question0302", "value", "two numbers")),
    (PACS_OPEN + '"question0302": [true, 1]}}', (3, "object0118_object0119/question0302", "value", "two numbers")),
    (PACS_OPEN + '"question\\ud800": [1, 2]}}', (2, "", "encoding", "a name holds a character that can't be stored")),
    (PACS_OPEN + '"question0302": [[1, 2], [3, 4]]}}', (3, "object0118_object0119/question0302", "value", "CLIP's")),
    (PACS_OPEN + '"question0399": [1, 2]}}', (3, "object0118_object0119/question0399", "unknown-item", "no such")),
    (PACS_OPEN + '"question0302": [1, 2]},\n"object1_object2": 4}', (4, "object1_object2", "value", "its questions")),
    (PACS_OPEN + '"question0302": [1, 2', (None, "", "not-json", "not a JSON document: ")),
    (PACS_OPEN + '"question0302": [1, NaN]}}',
     (3, "object0118_object0119/question0302", "value", "two numbers")),
    (PACS_OPEN + '"question0301": [1, 2]}}', (None, "", "not-json", "a name stands twice")),
    ("id,prediction,prob1,prob2\nobject0118__object0119__question0301,2,0.1,0.9\n",
     (2, "object0118__object0119__question0301", "value", "`prediction` is '2': 0 is object 1")),
    ("id,prediction,prob1,prob2\nobject0118__object0119,1,0.1,0.9\n",
     (2, "object0118__object0119", "unknown-item", "no such")),
    ("test_1,True\ntest_2,yes\n", (2, "test_2", "value", "'yes' is neither True")),
])  # fmt: skip
def test_a_wrong_datapoint_of_pacs_is_named_by_line_and_item(content, wanted):
    header = header_of(make_run(pacs_pack(), strategy="pair", split="test"))
    found = complaints(content, header)[0]
    assert found[:3] == wanted[:3]
    assert wanted[3] in found[3]


@pytest.mark.parametrize("kind", ["craft", "grasp", "audioclip", "clip", "uniter", "merlot"])
def test_no_damage_to_a_result_file_raises(kind, grasp):
    """Bytes changed, removed or doubled anywhere give a report that pages can show, never a traceback."""
    if kind == "grasp":
        content, header = grasp_file(grasp).encode(), header_of(make_run(grasp))
    elif kind == "craft":
        content = f"{CRAFT_FILE}8\t0\ttest\tgreen\n".encode()
        header = header_of(make_run(craft_pack(), strategy="craft", split="easy-test"))
    else:
        content, header = pacs_file(kind), header_of(make_run(pacs_pack(), strategy="pair", split="test"))
    assert lint(io.BytesIO(content), header).ok
    draw = random.Random(kind)
    odd = (b"", b'"', b",", b"\n", b"\t", b"\xff", b"\x00", b"{", b"[]", b"\\ud800", b"-1e999")
    for _ in range(int(os.environ.get("EXAMPLES", "12"))):  # `make soak PART=properties` takes more
        start = draw.randrange(len(content))
        end = start + draw.choice((0, 1, 2, 30))
        put = draw.choice((*odd, content[start:end] * 2))
        report = lint(io.BytesIO(content[:start] + put + content[end:]), header)
        json.dumps(report.facts, ensure_ascii=False).encode()


def test_a_folder_of_another_test_is_told_from_its_configuration(grasp):
    config = "test_name: level1-open\nmode: null\n"
    members = {"results.csv": grasp_file(grasp), "test_config.yaml": config, "accuracy.txt": "╒═══╕"}
    content = zipped({f"run/{name}": text.encode() for name, text in members.items()})
    (found,) = complaints(content, header_of(make_run(grasp)))
    assert found[3] == (
        "test_config.yaml beside the results says test_name level1-open; the header's strategy binary is"
        " test_name level1-binary"
    )


def test_folders_without_a_seed_in_their_name_are_counted(grasp, user):
    config = b"test_name: level1-binary\nprompt_file: ./data/prompts/level1.json\nmode: standard\n"
    members = {}
    for name in ("20240613_101500_vtimellm_level1_binary", "20240613_111500_vtimellm_level1_binary"):
        members |= {f"{name}/results.csv": grasp_file(grasp).encode(), f"{name}/test_config.yaml": config}
    run = submit(file=io.BytesIO(zipped(members)), user=user, header=header_of(make_run(grasp)))
    assert run.seeds == [0, 1]


def test_an_archive_that_can_not_be_understood_is_one_sentence(grasp):
    header, whole = header_of(make_run(grasp)), grasp_file(grasp)
    for names, sentence in (
        (("seed-0/results.csv", "other/results.csv"), "some folders of the archive are called seed-N and other/"),
        (("a/seed-1/results.csv", "b/seed-1/results.csv"), "two folders of the archive are of the same seed"),
        (("seed-0/results.csv", "seed-0/predictions.tsv"), "results of several kinds"),
        (("a.txt", "b.txt"), "the archive holds 2 files: pack exactly one"),
    ):
        contents = {"csv": whole.encode(), "tsv": CRAFT_FILE.encode(), "txt": b"one"}
        (found,) = complaints(zipped({name: contents[name[-3:]] for name in names}), header)
        assert found[2] == "archive-members"
        assert sentence in found[3]


def test_of_several_files_a_complaint_says_which_one(grasp):
    files = (grasp_file(grasp), grasp_file(grasp, line_2="Color,yes\n"))
    members = {f"seed-{seed}/results.csv": file.encode() for seed, file in enumerate(files)}
    first, second = complaints(zipped(members), header_of(make_run(grasp)))
    assert first == (4, "", "cells", "seed-1/results.csv: 2 cells, but 5 columns")
    assert second[3] == "no answer with seed 1"


def test_the_header_must_be_of_the_files_benchmark_and_there(grasp, out):
    assert "the header names grasp" in complaints(CRAFT_FILE, header_of(make_run(grasp)))[0][3]
    assert complaints(CRAFT_FILE, None)[0][3] == (
        "the file is CRAFT's table of predictions: name benchmark, pack, model, strategy, condition, split in the"
        " fields beside it"
    )
    there = "giraffe has no result file of its own; there is one for: grasp, craft, pacs"
    with pytest.raises(CallerMistake, match=there):
        call_command("export_run", str(make_run(make_pack(benchmark="giraffe")).pk), layout="official", out=out)


# --- every entry point ---


def test_page_api_and_commands_take_the_same_file(client, submitter, user, out, capsys):
    run = craft_run(craft_pack(), CRAFT_SAID)
    call_command("export_run", str(run.pk), layout="official", out=out)
    header = header_of(run)
    options = [part for name, value in header.items() for part in (f"--{name}", value)]
    call_command("submit", "--check", str(out), *options, "--json")
    capsys.readouterr()
    call_command("submit", str(out), *options, "--as", "ada", "--json")
    stored = [Run.objects.get(pk=json.loads(capsys.readouterr().out)["run"])]
    content = (out / "predictions-random.tsv").read_bytes()
    page = submitter.post("/submit/", fields_of(header, gzip.compress(content), model="By page"), follow=True)
    assert "predictions of an official result file" in page.content.decode()
    sent = header | {"model": "By API", "file": SimpleUploadedFile("p.tsv", content)}
    key = new_token(user=user, name="script")
    assert client.post("/api/v1/submissions/", sent, headers={"Authorization": f"Token {key}"}).status_code == 201
    stored += [Run.objects.get(model__name=name) for name in ("By page", "By API")]
    assert [readings(each) for each in stored] == [readings(run)] * 3


def test_the_sender_chooses_the_parser_at_every_door_and_reads_it(grasp, client, submitter, user, out, capsys):
    run = answered(grasp, dict.fromkeys(grasp.items.all(), "- yes, it is"), parser="grasp-official")
    write_official(run, out)
    header = header_of(run)
    options = [part for name, value in header.items() for part in (f"--{name}", value)]
    for parser, score in (("grasp-official", 0.0), ("grasp-paper", 0.5)):
        call_command("submit", "--check", str(out), *options, "--parser", parser, "--json")
        told = json.loads(capsys.readouterr().out)
        assert (told["parser"].split()[0], told["score"]) == (parser, score)
    call_command("submit", str(out), *options, "--parser", "grasp-official", "--as", "ada")
    assert "parsed by grasp-official 3" in capsys.readouterr().out
    assert readings(Run.objects.latest("pk")) == readings(run)
    content, official = (out / "results.csv").read_bytes(), {"parser": "grasp-official"}
    page = submitter.post("/submit/", fields_of(header, content, model="By page", **official), follow=True)
    assert "parsed by grasp-official 3" in page.content.decode()
    sent = header | official | {"model": "By API", "file": SimpleUploadedFile("r.csv", content)}
    key = new_token(user=user, name="script")
    answer = client.post("/api/v1/submissions/", sent, headers={"Authorization": f"Token {key}"})
    assert (answer.status_code, answer.json()["parser"]) == (201, "grasp-official 3")


def test_a_parser_that_is_not_there_or_has_nothing_to_read_is_a_problem_of_the_header(grasp, submitter):
    header = header_of(make_run(grasp))
    (found,) = complaints(grasp_file(grasp), header | {"parser": "pacs-object"})
    there = "the header's `parser` is 'pacs-object'; there are: grasp-paper, grasp-official, last-answer-line"
    assert found[2:] == ("header", there)
    rows = "item,answer\n" + "".join(f"{item.public_id},yes\n" for item in grasp.items.all())
    (found,) = complaints(rows, header | {"parser": "grasp-paper"})
    assert found[3] == "the header's `parser` reads replies, and this file holds answers: leave it out"
    wrong = grasp_file(grasp).replace("ColorRed/000", "ColorRed/099") + grasp_file(grasp).split("\n", 1)[1]
    page = submitter.post("/submit/", fields_of(header, wrong.encode(), parser="grasp-official"), follow=True)
    assert "<dt>Parsed by</dt><dd><code>grasp-official 3</code></dd>" in compact(page.content.decode())


def test_what_the_scorer_can_not_read_is_written_so_that_it_comes_back():
    assert last_reply("None") == "None"
    for said in ("yes", "", " ", "yes ", *MISSING, "a<SEP>b", "None "):
        assert last_reply(joined(["I see.<SEP>", said])) == (said if said.strip() else "")
        assert joined([said]) not in official_scorers.MISSING
    assert joined(["", ""]) == f"<SEP>{EMPTY}"


# --- on the release's own questions ---


def cut_short(path: Path, pairs: int = 12) -> list[tuple[str, str, int]]:
    """Keep only the first pairs of a release's file; returns (pair, question, label) of each remaining datapoint."""
    data = dict(list(json.loads(path.read_text()).items())[:pairs])
    path.write_text(json.dumps(data))
    return [(pair, question, point["label"]) for pair, all_of in data.items() for question, point in all_of.items()]


def test_the_release_of_pacs_is_counted_as_uniter_counts_it_and_comes_back(out, user, tmp_path):
    json_folder = official(tmp_path / "pacs") / "json"
    points = {
        "pair": cut_short(json_folder / "val_data.json"),
        "material": cut_short(json_folder / "val_data_mat.json"),
    }
    pack = import_release(BUILT_IN["pacs"], json_folder.parent, pack_name="val", split="val").pack
    for strategy, of_kind in points.items():
        told = "".join(f"val_{number},{bool(label)}\n" for number, (*_, label) in enumerate(of_kind, 1))
        report = lint(io.BytesIO(told.encode()), header_of(make_run(pack, strategy=strategy, split="val")))
        assert (report.ok, report.rows, report.score) == (True, len(of_kind), 1.0)
        assert len(of_kind) > 20
    draw, keys = random.Random(1), [pacs.item_key(pair, question) for pair, question, _ in points["pair"]]
    run = pacs_run(pack, {key: draw.choice(("Object 1", "the second", "both")) for key in keys}, split="val")
    back = sent_back(run, out, user)
    data: dict = {}
    for pair, question, label in points["pair"]:
        data.setdefault(pair, {})[question] = {"label": label}
    for each in (run, back):
        scores = list(Score.objects.of_run(each).values_list("value", flat=True))
        assert pacs_accuracy(out / "preds_val_data.json", data) == sum(scores) / len(scores)
