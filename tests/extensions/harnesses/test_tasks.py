"""Folders for lmms-eval and inspect: what they ask, what they hold back, and what comes back from them."""

import ast
import json
import subprocess
import sys
import wave

import pytest
import yaml
from django.core.management import CommandError

from benchmarks.disclosure import hide
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models.answers import ItemSeal
from evaluation.models import Score
from evaluation.runs.lifecycle import start_run
from evaluation.submissions.lint.check import lint
from evaluation.workers.loop import work_on
from tests.evaluation.submissions.uploads import json_lines, upload, zipped
from tests.extensions.harnesses.packs import ALL, asked_by, export, replies_to, rows_of, small_pack_of
from tests.factories import make_model

pytestmark = pytest.mark.django_db
# The rules of a folder, in a process without this site.
SCORE = """
import json, sys
from pathlib import Path
here = Path(sys.argv[1])
sys.path[:0] = [str(here), str(here / "scorer")]
from benchsite_rules import TaskRules
from evaluation.submissions.files.native.harness_samples import lm_eval
found = {}
for task, replies in json.loads((here / "replies.json").read_text()).items():
    rules = TaskRules(here, task)
    samples = {item: lm_eval({"doc_id": item, "resps": [text]}) for item, text in replies.items()}
    found[task] = {item: rules.score(item, sample)[1] for item, sample in samples.items()}
assert "django" not in sys.modules
print(json.dumps(found))
"""


def lmms_line(item, reply, **changes):
    """A line of lmms-eval's samples: it leaves out `doc`, and `resps` where the filter changed nothing."""
    return {"doc_id": 0, "input": "Is it?", "target": "", "filtered_resps": reply, "accuracy": {"item": item}} | changes


def inspect_sample(item, reply):
    choice = {"message": {"role": "assistant", "content": reply}, "stop_reason": "stop"}
    return {"id": item, "epoch": 1, "input": "Is it?", "output": {"model": "m", "choices": [choice]}}


def eval_file(replies):
    samples = {f"samples/{item}_epoch_1.json": inspect_sample(item, reply) for item, reply in replies.items()}
    head = {"version": 2, "status": "success", "eval": {"task": "a"}}
    return zipped({name: json.dumps(text).encode() for name, text in ({"header.json": head} | samples).items()})


def json_log(replies):
    samples = [inspect_sample(item, reply) for item, reply in replies.items()]
    return json.dumps({"version": 2, "status": "success", "eval": {"task": "a"}, "samples": samples}).encode()


FILES = {
    "samples_a.jsonl": lambda replies: json_lines(*(lmms_line(*one) for one in replies.items())),
    "log.eval": eval_file,
    "2026-01-01T00-00-00_a.json": json_log,
}


def header_of(about):
    how = {name: about[name] for name in ("benchmark", "pack", "strategy", "condition", "split")}
    return how | {"model": "Sent"}


def scored_in(folder, replies):
    (folder / "replies.json").write_text(json.dumps(replies))
    command = [sys.executable, "-I", "-c", SCORE, str(folder)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def messages_of(row):
    """The texts of a task's question, as a run tells them."""
    said = [("system", [row["system"]])] if row["system"] else []
    for number, turn in enumerate(json.loads(row["turns"])):
        said += [("assistant", ["I see."])] if number else []
        said.append(("user", [part["text"] for part in turn if "text" in part]))
    return said


@pytest.mark.parametrize("slug", ALL)
def test_a_folder_asks_what_a_run_asks_and_every_file_comes_back_with_its_score(slug, tmp_path):
    pack = small_pack_of(slug, tmp_path)
    folders = {tool: tmp_path / tool for tool in ("inspect", "lmms-eval")}
    tasks, fewer = (export(pack, folder, tool) for tool, folder in folders.items())
    replies = {task: replies_to(pack, about) for task, about in tasks.items()}
    local = scored_in(folders["inspect"], replies)
    assert set(fewer) == {
        task for task, about in tasks.items() if about["strategy"][-3:] not in TURNS or slug != "grasp"
    }
    for task, about in tasks.items():
        how = {name: about[name] for name in ("strategy", "condition", "split")}
        run = start_run(model=make_model(kind="scripted", options={"replies": replies[task]}), pack=pack, **how)
        work_on(run.pk)
        rows = rows_of(folders["inspect"], task)
        assert {item: messages_of(row) for item, row in rows.items()} == asked_by(run)
        assert all(set(row) == {"task", "system", "turns"} for row in rows.values())
        own = dict(Score.objects.of_run(run).values_list("reading__response__cell__item__public_id", "value"))
        assert local[task] == {item: own.get(item) for item in rows}
        mean = sum(own.values()) / len(own) if own else None
        for name, made in FILES.items():
            report = lint(upload(made(replies[task]), name), header_of(about))
            assert (report.problems, report.score) == ([], mean)
    check_lmms_eval(folders["lmms-eval"], fewer)


TURNS = ("cot", "hot")  # the ends of GRASP's two-stage and one-shot strategies


def check_lmms_eval(folder, tasks):
    """Its YAML names functions and files that are there, and so do its questions."""
    loader = type("Loader", (yaml.SafeLoader,), {})
    loader.add_constructor("!function", lambda _loader, node: node.value)
    defined = {node.name for node in ast.parse((folder / "utils.py").read_text()).body if hasattr(node, "name")}
    for task, about in tasks.items():
        config = yaml.load((folder / f"{task}.yaml").read_text(), loader)
        named = {value.removeprefix("utils.") for value in config.values() if str(value).startswith("utils.")}
        assert named | {config["metric_list"][0]["aggregation"].removeprefix("utils.")} <= defined
        assert config["metric_list"][0]["metric"] == ("accuracy" if about["labels"] else "replies")
        assert (folder / config["dataset_kwargs"]["data_files"]["test"]).is_file()
        for row in rows_of(folder, task).values():
            parts = [part for turn in json.loads(row["turns"]) for part in turn]
            assert all((folder / path).is_file() for part in parts for kind, path in part.items() if kind != "text")


@pytest.fixture
def grasp(tmp_path):
    return small_pack_of("grasp", tmp_path)


def test_a_bad_file_gets_an_error_with_its_line_or_item(grasp, tmp_path):
    about = export(grasp, tmp_path / "out", "inspect", strategy="binary")["grasp_small_binary"]
    replies = replies_to(grasp, about)
    first, *others = replies
    elsewhere = {f"other{number}": text for number, text in enumerate(replies.values())}
    lines = [lmms_line(*one) for one in replies.items()]
    nothing = {name: value for name, value in lines[0].items() if name != "filtered_resps"}
    log = json.loads(json_log(replies))
    del log["samples"][0]["output"]
    results = json.dumps({"results": {"grasp_small_binary": {"accuracy,none": 0.5}}, "configs": {}}, indent=2).encode()
    cases = {
        "log.eval": (eval_file(replies)[:-40], "broken-archive", None, ""),
        "samples_wrong.jsonl": (json_lines(lmms_line("nobody", "Yes."), *lines[1:]), "unknown-item", 1, "nobody"),
        "samples_lacks.jsonl": (json_lines(nothing, *lines[1:]), "value", 1, first),
        "samples_few.jsonl": (json_lines(*lines[:-1]), "missing", None, others[-1]),
        "2026-01-01T00-00-00_a.json": (json.dumps(log).encode(), "value", 1, first),
        "elsewhere.eval": (eval_file(elsewhere), "unknown-item", 1, "other0"),
        "results.json": (results, "empty", None, ""),
    }
    for name, (content, *wanted) in cases.items():
        problem = lint(upload(content, name), header_of(about)).problems[0]
        assert [problem.code, problem.line, problem.item] == wanted, name


def texts_in(folder):
    return "".join(path.read_text() for path in folder.rglob("*") if path.suffix in (".json", ".jsonl", ".yaml", ".md"))


def test_withheld_labels_and_what_a_study_hides_leave_in_no_file(grasp, tmp_path):
    withheld, sealed = grasp.items.filter(kind="plausibility"), grasp.items.filter(key="level1/ColorRed/000")
    ItemSeal.objects.bulk_create(ItemSeal(item=item, by=WITHHELD) for item in withheld)
    hide(sealed.values_list("pk", flat=True), by="study")
    tasks = export(grasp, tmp_path / "out", "inspect")
    binary, plausibility = tasks["grasp_small_binary"], tasks["grasp_small_plausibility"]
    assert (binary["items"], binary["labels"], plausibility["items"], plausibility["labels"]) == (6, 6, 4, 0)
    found = texts_in(tmp_path / "out")
    names = set(sealed.values_list("public_id", flat=True))
    assert len(names) >= 2
    assert not [name for name in names if name in found]
    assert json.loads((tmp_path / "out/labels/grasp_small_plausibility.json").read_text()) == {}
    assert lint(upload(eval_file(replies_to(grasp, plausibility))), header_of(plausibility)).score is None
    with pytest.raises(CommandError, match="or their answers, are hidden"):  # the other red clip's example
        export(grasp, tmp_path / "example", "inspect", strategy="binary-oneshot")


def test_what_a_tool_cannot_ask_so_is_refused_by_its_reason(grasp, tmp_path):
    pacs = small_pack_of("pacs", tmp_path)
    cases = (
        (grasp, "lmms-eval", {"strategy": "binary-cot"}, "in two turns"),
        (grasp, "lmms-eval", {"strategy": "binary-oneshot"}, "in two turns"),
        (grasp, "inspect", {"strategy": "binary-likelihood"}, "probabilities"),
        (grasp, "inspect", {"strategy": "surprise"}, "each window"),
        (grasp, "inspect", {"strategy": "text-wordings"}, "5 wordings"),
        (grasp, "inspect", {"strategy": "binary", "condition": "audio"}, "no condition 'audio'"),
        (grasp, "inspect", {"strategy": "none"}, "no strategy 'none'"),
        (pacs, "lmms-eval", {"strategy": "pair", "sampler": "clip"}, "a box on a frame"),
        (pacs, "lmms-eval", {"strategy": "pair", "split": "test"}, "no question"),
    )
    for pack, tool, choice, why in cases:
        with pytest.raises(CommandError, match=why):
            export(pack, tmp_path / "out", tool, **choice)
        assert not (tmp_path / "out").exists()


def test_sound_and_single_frames_are_files_beside_the_question(grasp, tmp_path):
    pacs = small_pack_of("pacs", tmp_path)
    export(pacs, tmp_path / "sound", "inspect", strategy="pair", condition="audio")
    (row, *_) = rows_of(tmp_path / "sound", "pacs_small_pair_audio_val").values()
    sounds = [part["audio"] for part in json.loads(row["turns"])[0] if "audio" in part]
    lengths = []
    for sound in sounds:
        with wave.open(str(tmp_path / "sound" / sound)) as file:
            lengths.append(file.getnframes() / file.getframerate())
    assert lengths == pytest.approx([1.0, 1.0], abs=0.1)
    export(grasp, tmp_path / "frame", "lmms-eval", strategy="binary", condition="first-frame")
    (row, *_) = rows_of(tmp_path / "frame", "grasp_small_binary_first_frame").values()
    assert [list(part) for part in json.loads(row["turns"])[0]] == [["image"], ["text"]]
