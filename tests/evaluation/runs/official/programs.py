"""`OFFICIAL=DIR make soak PART=official`: the benchmarks' own scorers and prompts beside ours, on made-up replies.

DIR holds copies of their repositories; nothing of them lies here, and what is not there is skipped. Printed are cells
and differences. PACS has no scorer of its own: its scripts count while they predict.
"""

import csv
import json
import os
import random
import shutil
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pandas
import pytest
import yaml

from benchmarks.definitions.papers.craft import item_key
from benchmarks.models import Item
from evaluation.models import Run, Score
from evaluation.runs.official import write_official
from evaluation.runs.results import computed
from tests.benchmarks.definitions.files.test_neighbours import (  # noqa: F401  # fixtures
    causalvqa,
    conversation,
    intphys2,
    messages_sent,
    mvp,
    say,
    table,
)
from tests.evaluation.runs.official.test_official import CRAFT_ROWS, answered, craft_pack, craft_run
from tests.factories import answer_to, expects, make_clip, make_item, make_pack

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_else_works")]
FOLDER = Path(os.environ.get("OFFICIAL", "var/official"))
ROUNDS = 40
REPLIES = (
    *("yes", "No", "Yes.", "NO!", "yes, it is", "No: it is not", "yes/no", "maybe", "It is yes", "Not sure", "a", "B."),
    *("(A)", "(b) The blue one", "Answer: B", "Assistant: a", "The answer is A, not B", "a cube", "The ball, red"),
    *("blue ball", "box", "left to right", "right", "It rolls to the left", "up", "upwards!", "N/A", "", "C", "E)"),
    *("Your Answer Letter: B END", "your answer letter: (A) END", "Possible", "1", "0", "**A**", "A or B", "None"),
)


def program(name: str) -> Path:
    """The file with this end of its path in the folder of official programs."""
    found = (path for path in sorted(FOLDER.rglob(Path(name).name)) if path.as_posix().endswith(f"/{name}"))
    path = next(found, None)
    if path is None:
        pytest.skip(f"no {name} below {FOLDER}")
    return path


def loaded(path: Path, monkeypatch: pytest.MonkeyPatch, **instead: object) -> ModuleType:
    """The program as a module, with these in place of packages that only print, log or fetch."""
    for name, stand_in in instead.items():
        monkeypatch.setitem(sys.modules, name, stand_in)
    loader = SourceFileLoader("official", str(path))
    module = ModuleType("official")
    loader.exec_module(module)
    return module


def compared(name: str, cells: dict[str, tuple[float, float]]) -> None:
    """Print how many cells were compared, and fail with those that differ."""
    differ = {cell: both for cell, both in cells.items() if abs(both[0] - both[1]) > 1e-9}
    print(f"{name}: {len(cells)} cells, {len(differ)} differ")
    assert cells
    assert differ == {}


def run_over(items: list[Item], number: int, **values) -> Run:
    drawn = random.Random(number)
    return answered(items[0].pack, {item: drawn.choice(REPLIES) for item in items}, **values)


def said_in(run: Run) -> dict[Item, str]:
    cells = run.cells.select_related("item", "response")
    return {cell.item: cell.response.raw for cell in cells}


LABELS = {
    "Shape": ("ball", "cube"),
    "Color": ("red", "green", "blue", "black"),
    "Direction": ("left", "right", "forward", "backward"),
    "RelationalPosition": ("left", "right"),
}


def grasp_items(strategy: str, name: str) -> list[Item]:
    pack = make_pack(name=name)
    for number in range(48):
        test = list(LABELS)[number % len(LABELS)]
        labels = LABELS[test] if strategy == "open" else ("yes", "no")
        clip = make_clip(pack, key=f"{'level2/P_' if strategy == 'plausibility' else 'level1/'}{test}/{number:03}")
        facts = {"kind": strategy, "variant": "", "options": list(labels)}
        expected = labels[number // 4 % len(labels)]
        make_item(pack, clip=clip, key=clip.key, expected=expected, facets={"test": (test,)}, **facts)
    return list(pack.items.all())


@pytest.mark.parametrize("strategy", ["binary", "open", "plausibility"])
def test_grasp(strategy, tmp_path, monkeypatch):
    tables: list[pandas.DataFrame] = []
    printed = SimpleNamespace(tabulate=lambda frame, **options: tables.append(frame) or "")
    official = loaded(program("tools/compute_accuracy.py"), monkeypatch, tabulate=printed)
    count = official.accuracy_open if strategy == "open" else official.accuracy_binary
    items, cells = grasp_items(strategy, strategy), {}
    for number in range(ROUNDS):
        run, out = run_over(items, number, strategy=strategy), tmp_path / str(number)
        out.mkdir()
        write_official(run, out)
        count(pandas.read_csv(out / "results.csv"), str(out / "accuracy.txt"))
        theirs = {}
        for row in tables.pop().to_dict("records"):
            scene, _, side = row["Scene"].partition(" ")
            label = row.get("Label") or {"(pos.)": "yes", "(neg.)": "no"}[side]
            theirs[scene, label] = row["Correct"] if strategy == "open" else row[label.capitalize()]
        for (test, label), right in theirs.items():
            own = Score.objects.of_run(run).filter(expects(label, "reading__response__cell__item"))
            own = own.filter(reading__response__cell__item__facets__value=test)
            cells[f"{number} {test} {label}"] = (sum(own.values_list("value", flat=True)), right)
    compared(f"GRASP, {strategy}", cells)


def test_craft(tmp_path):
    path, pack, cells = program("models/bin/accuracy"), craft_pack(), {}
    asked = [row for row in CRAFT_ROWS if "easy-test" in row[5]]
    answers = tmp_path / "questions.tsv"
    lines = [("video_index", "question_index", "question_type", "answer"), *((*row[:3], row[4]) for row in asked)]
    answers.write_text("".join("\t".join(map(str, line)) + "\n" for line in lines))
    for number in range(ROUNDS):
        drawn, out = random.Random(number), tmp_path / str(number)
        out.mkdir()
        said = {
            item_key(row[0], row[1]): drawn.choice(("true", "no", "2", "two", "triangle", "green.", ""))
            for row in asked
        }
        run = craft_run(pack, said)
        write_official(run, out)
        words = [sys.executable, str(path), str(answers), str(out / "predictions-random.tsv")]
        printed = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        theirs, found = dict(line.rstrip("%").split("=") for line in printed.splitlines()), computed(run, whole=True)
        own = {"overall": found.overall, **found.tests}
        assert own.keys() == theirs.keys()
        cells |= {f"{number} {name}": (round(100 * own[name].accuracy, 2), float(theirs[name])) for name in own}
    compared("CRAFT", cells)


@pytest.mark.parametrize(
    ("parser", "label"), [("intphys2-official", "label_pred_yes_no"), ("intphys2-digits", "label_pred_1_0")]
)
def test_intphys2(intphys2, parser, label):  # noqa: F811
    notebook = json.loads(program("ComputeScoreIntPhys2.ipynb").read_text())
    code = next(text for cell in notebook["cells"] if "def label_pred_yes_no" in (text := "".join(cell["source"])))
    official: dict = {"pd": pandas}
    exec(code, official)
    say("import_benchmark", "intphys2", intphys2)
    items, cells = list(Item.objects.filter(group__startswith="main/")), {}
    for number in range(ROUNDS):
        run = run_over(items, number, strategy="intphys2-direct", parser=parser, split="main")
        rows = [
            {"pred": official[label]({"response": reply}), "target": official["label_target"]({"type": item.key})}
            for item, reply in said_in(run).items()
        ]
        frame = pandas.DataFrame(rows)
        accuracy, *_ = official["calculate_accuracy"](frame, frame, "pred", "target")
        cells[f"{number} overall"] = (computed(run, whole=True).overall.accuracy, accuracy)
    compared(f"IntPhys 2, {label}", cells)


def test_mvp(mvp, monkeypatch):  # noqa: F811
    files = SimpleNamespace(generate_submission_file=None)
    packages = ("lmms_eval", "lmms_eval.tasks", "lmms_eval.tasks._task_utils", "lmms_eval.tasks._task_utils.file_utils")
    official = loaded(program("tasks/mvp/utils.py"), monkeypatch, **dict.fromkeys(packages, files))
    say("import_benchmark", "mvp", mvp)
    whole = [
        item
        for item in Item.objects.order_by("group", "place")
        if item.pack.items.filter(group=item.group).count() == 2
    ]
    cells = {}
    for number in range(ROUNDS):
        run = run_over(whole, number, strategy="mvp-direct", parser="mvp-official", split="mini")
        results = []
        for item, reply in said_in(run).items():
            names = ["The red one", "The blue one"]
            doc = {
                "video_id": f"{item.group}_{item.place}",
                "candidates": names,
                "answer": names["ab".index(answer_to(item))],
            }
            results.append(official.mvp_process_results(doc, [reply])["single_accuracy"])
        single, pair = official.compute_metrics(results)
        found = computed(run, whole=True)
        cells[f"{number} single"] = (100 * found.overall.accuracy, single)
        cells[f"{number} pair"] = (100 * found.groups.accuracy, pair)
    compared("MVP", cells)


def test_causalvqa(causalvqa, monkeypatch):  # noqa: F811
    official = loaded(program("tasks/utils.py"), monkeypatch, loguru=SimpleNamespace(logger=None))
    say("import_benchmark", "causalvqa", causalvqa)
    items, cells = list(Item.objects.filter(group__startswith="debug/")), {}
    for number in range(ROUNDS):
        run = run_over(items, number, strategy="causalvqa-direct", parser="causalvqa-official", split="debug")
        results = []
        for item, reply in said_in(run).items():
            doc = {"answer": answer_to(item).upper(), "id": item.group}
            results.append(official.causalvqa_process_results(doc, [reply])["single_accuracy"])
        single, pair = official.causalvqa_aggregate_results(results)
        found = computed(run, whole=True)
        cells[f"{number} single"] = (100 * found.overall.accuracy, single)
        cells[f"{number} pair"] = (100 * found.groups.accuracy, pair)
    compared("CausalVQA", cells)


# --- Prompts ---


def imported(slug: str, root: Path, names: tuple[str, ...]) -> None:
    """The benchmark, from a folder with these files of its repository beside the data."""
    for name in names:
        path = program(name)
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / name)
    say("import_benchmark", slug, root)


def same_prompts(name: str, pairs: list[tuple[object, object]]) -> None:
    differ = [(ours, theirs) for ours, theirs in pairs if ours != theirs]
    print(f"{name}: {len(pairs)} prompts, {len(differ)} differ")
    assert pairs
    assert not differ, differ[0]


class Videos:
    """In place of OpenCV: each video has one frame."""

    CAP_PROP_FRAME_COUNT, CAP_PROP_FPS, CAP_PROP_POS_FRAMES = 2, 1, 0

    def __init__(self, path: str = "") -> None:
        self.set = self.release = lambda *words: None

    def get(self, number: int) -> int:
        return number

    def read(self) -> tuple[bool, bytes]:
        return True, b"picture"

    @staticmethod
    def imencode(ending: str, frame: bytes) -> tuple[bool, bytes]:
        return True, frame


Videos.VideoCapture = Videos  # type: ignore[attr-defined]


def test_prompts_of_intphys2(intphys2, tmp_path, monkeypatch):  # noqa: F811
    imported("intphys2", intphys2, ("IntPhys2_transformers.py",))
    for split in ("Debug", "Test"):  # the splits of the program; one row of each type
        lines = (intphys2 / "Main" / "metadata.csv").read_text().splitlines()[:5]
        table(tmp_path / split / "metadata.csv", list(csv.DictReader(lines)))
    (tmp_path / "Results").mkdir()
    monkeypatch.chdir(tmp_path)
    sent: list[object] = []
    reply = SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content="Yes"))])

    def create(messages: list[dict], **rest: object) -> SimpleNamespace:
        sent.append(conversation(messages))
        return reply

    client = SimpleNamespace(chat=SimpleNamespace(completions=SimpleNamespace(create=create)))
    instead = {
        "openai": SimpleNamespace(AzureOpenAI=lambda **options: client),
        "cv2": Videos,
        "moviepy": ModuleType("moviepy"),
    }
    loaded(program("IntPhys2_openai.py"), monkeypatch, **instead)
    theirs = [one for place, one in enumerate(sent) if one not in sent[:place]]
    ours = [messages_sent("intphys2", f"intphys2-prompt{number}", "main") for number in (1, 2, 3)]
    same_prompts(
        "IntPhys 2", [(one, official) for run, official in zip(ours, theirs, strict=True) for one in run.values()]
    )


def post_prompt(root: Path, name: str) -> dict[str, str]:
    """The task's words as PyYAML reads them without its functions."""
    text = "\n".join(line for line in (root / name).read_text().splitlines() if "!function" not in line)
    found: dict[str, str] = yaml.safe_load(text)["lmms_eval_specific_kwargs"]["default"]
    return found


def test_prompts_of_mvp(mvp, monkeypatch):  # noqa: F811
    imported("mvp", mvp, ("tasks/mvp/_default_template_yaml",))
    packages = ("lmms_eval", "lmms_eval.tasks", "lmms_eval.tasks._task_utils", "lmms_eval.tasks._task_utils.file_utils")
    files = SimpleNamespace(generate_submission_file=None)
    official = loaded(program("tasks/mvp/utils.py"), monkeypatch, **dict.fromkeys(packages, files))
    words, docs = post_prompt(mvp, "tasks/mvp/_default_template_yaml"), {}
    for path in mvp.glob("*.jsonl"):
        for line in path.read_text().splitlines():
            doc = json.loads(line)
            docs[f"mini/{path.stem.removeprefix('mvp_mini_')}/{doc['video_id']}"] = official.mvp_doc_to_text(doc, words)
    sent = messages_sent("mvp", "mvp-prompt", "mini")
    same_prompts("MVP", [(one, [("user", ["image_url", docs[item.key]])]) for item, one in sent.items()])


def test_prompts_of_causalvqa(causalvqa, monkeypatch):  # noqa: F811
    imported("causalvqa", causalvqa, ("tasks/_default_template_yaml",))
    official = loaded(program("tasks/utils.py"), monkeypatch, loguru=SimpleNamespace(logger=None))
    nothing = SimpleNamespace(Fire=None, Dataset=None, DatasetDict=None)
    prepared = loaded(program("scripts/prep_mllm_eval.py"), monkeypatch, fire=nothing, datasets=nothing)
    words, docs = post_prompt(causalvqa, "tasks/_default_template_yaml"), {}
    for row in pandas.read_csv(causalvqa / "data/debug/annotations.csv").to_dict("records"):
        for version in (1, 2):
            choices, _ = prepared.format_choices(row, f"choices{version}", f"correct{version}")
            doc = {"question": row["question"], "choices": choices}
            docs[f"debug/{row['qid']}/{version}"] = official.causalvqa_doc_to_text(doc, words)
    sent = messages_sent("causalvqa", "causalvqa-prompt", "debug")
    same_prompts("CausalVQA", [(one, [("user", ["image_url", docs[item.key]])]) for item, one in sent.items()])
