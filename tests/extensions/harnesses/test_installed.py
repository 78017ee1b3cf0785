"""Exported tasks, run by the tools themselves: what they asked, their own score, and the site's after the upload.

`make soak PART=tasks` installs lmms-eval and inspect in an environment of their own.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evaluation.models import Score
from evaluation.runs.lifecycle import start_run
from evaluation.submissions.lint.check import lint
from evaluation.submissions.store.submit import submit
from evaluation.workers.loop import work_on
from tests.evaluation.submissions.uploads import upload
from tests.extensions.harnesses.packs import ALL, asked_by, export, replies_to, small_pack_of
from tests.factories import make_model
from tests.programs import ROOT

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        os.environ.get("TOOLS") != "installed", reason="the tools must be installed: make soak PART=tasks"
    ),
]
PACKAGES = {"inspect": ["inspect-ai==0.3.285"], "lmms-eval": ["lmms-eval==0.7.3", "filelock<4"]}


def python_with(tool, folder):
    """The interpreter of a new environment with the tool, which has torch and transformers from this one."""
    if ready := os.environ.get("TOOLS_PYTHON"):
        return ready
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "zz_site.pth").write_text(next(path for path in sys.path if path.endswith("site-packages")))
    subprocess.run([folder / "bin" / "pip", "install", "-q", *PACKAGES[tool]], check=True)
    return folder / "bin" / "python"


def tool_ran(tool, python, folder, replies):
    """What the tool saw and wrote: (seen, scores, files) by task."""
    out = folder / "out"
    out.mkdir()
    (folder / "replies.json").write_text(json.dumps(replies))
    script = Path(__file__).parent / "tools" / f"by_{tool.replace('-', '_')}.py"
    shim = ROOT / "evaluation" / "adapters" / "torchvision_shim.py"
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "SHIM": str(shim), "HF_HUB_OFFLINE": "1"}
    exports = sorted((folder / tool).iterdir()) if tool == "inspect" else [folder / tool]
    command = [python, script, folder / "replies.json", out, *exports]
    subprocess.run(list(map(str, command)), check=True, cwd=folder, env=environment)
    seen = json.loads((out / "seen.json").read_text())
    if tool == "inspect":
        return seen["seen"], seen["scores"], {task: Path((out / f"{task}.file").read_text()) for task in replies}
    files = {task: next(out.rglob(f"*_samples_{task}.jsonl")) for task in replies}
    results = json.loads(next(out.rglob("*_results.json")).read_text())["results"]
    return seen, {task: results[task].get("accuracy,none") for task in replies}, files


@pytest.mark.parametrize("tool", PACKAGES)
def test_a_tool_asks_what_the_site_asks_and_its_file_comes_back_with_the_same_score(tool, tmp_path, django_user_model):
    packs, replies, facts = {}, {}, {}
    for slug in ALL:
        packs[slug] = pack = small_pack_of(slug, tmp_path)
        for task, about in export(pack, tmp_path / tool / slug, tool).items():
            facts[task], replies[task] = about, replies_to(pack, about)
    seen, scores, files = tool_ran(tool, python_with(tool, tmp_path / "environment"), tmp_path, replies)
    user = django_user_model.objects.create_superuser("sender")
    for task, about in facts.items():
        pack, how = packs[about["benchmark"]], {name: about[name] for name in ("strategy", "condition", "split")}
        model = make_model(kind="scripted", options={"replies": replies[task]})
        run = start_run(model=model, pack=pack, **how)
        work_on(run.pk)
        texts = {
            item: [(role, [text for kind, text in parts if kind == "text"]) for role, parts in messages]
            for item, messages in seen[task].items()
        }
        assert texts == asked_by(run)
        header = {"benchmark": about["benchmark"], "pack": pack.name, "model": f"By {task}", **how}
        sent = submit(file=upload(files[task].read_bytes(), files[task].name), user=user, header=header)
        own, back = (
            sorted(Score.objects.of_run(one).values_list("reading__response__cell__item", "value"))
            for one in (run, sent)
        )
        assert back == own
        mean = sum(value for _, value in own) / len(own) if own else None
        report = lint(upload(files[task].read_bytes(), files[task].name), header)
        print(
            f"{tool} {task}: {len(replies[task])} replies, {mean} here, {report.score} sent, {scores[task]} by the tool"
        )
        assert mean == pytest.approx(report.score) == pytest.approx(scores[task]) if own else scores[task] is None
