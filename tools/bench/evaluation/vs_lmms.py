"""`python -m tools.bench.evaluation.vs_lmms [CLIPS]`: the pace of questions here, in a plain loop, in lmms-eval.

The same small saved model, clips (each with two questions), eight frames, sixteen tokens, float32. lmms-eval is
installed in `var/lmms` and runs its own evaluator with its model class `huggingface` and its reader of videos, by one
and by eight; the faster counts, and only its seconds in the model class. The three take turns; ratios are medians of
those within a round. Exit 1 if a target is missed.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from evaluation.adapters import THREADS, torchvision_shim
from tools.bench.measure import AS_SERVED, ROOT, say, set_up

LMMS, VERSION = ROOT / "var" / "lmms", "lmms-eval==0.7.3"
ROUNDS, FRAMES, TOKENS, PLAIN = 3, 8, 16, 24
TARGETS = {"plain": 3.0, "lmms": 4.0}  # times as fast, by the wall of a quiet machine
Pace = tuple[float, float]  # seconds a question, by the wall and of the processor
SECOND = "Is the ball round? Answer only with yes or no."


def main(clips: int) -> int:
    install()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= AS_SERVED
        set_up(folder)
        rounds = [one_round(folder, *prepared(folder, clips, number)) for number in range(ROUNDS)]
    figures: dict[str, float] = {}
    for place, clock in enumerate(("wall", "processor")):
        for name in rounds[0]:
            middle = statistics.median(each[name][place] for each in rounds)
            figures[f"{name}_ms_a_question_{clock}"] = round(1000 * middle, 1)
        for name in TARGETS:
            times = statistics.median(each[name][place] / each["site"][place] for each in rounds)
            figures[f"times_{name}_{clock}"] = round(times, 2)
    is_ok = all(figures[f"times_{name}_wall"] >= target for name, target in TARGETS.items())
    return 0 if say(is_ok, measure=f"beside {VERSION} and a plain loop", clips=clips, targets=TARGETS, **figures) else 1


def install() -> None:
    """Install lmms-eval into an environment of its own, once, with this one's versions of the model's libraries."""
    from importlib.metadata import version

    if not (LMMS / "bin" / "python").is_file():
        subprocess.run([sys.executable, "-m", "venv", str(LMMS)], check=True)
        names = ("torch", "torchvision", "transformers", "av")
        pinned = [f"{name}=={version(name).partition('+')[0]}" for name in names]
        for arguments in ([VERSION, "filelock<4"], ["--no-deps", *pinned]):
            subprocess.run([str(LMMS / "bin" / "pip"), "install", "--quiet", *arguments], check=True)


def prepared(folder: str, clips: int, number: int) -> tuple[Any, Any]:
    """The model and a new pack of clips with two questions each, described for lmms-eval in `questions.jsonl`."""
    from django.conf import settings

    from evaluation.models import Model
    from tests.factories import make_item
    from tools.bench.evaluation.overhead import be_the_worker, make_model, make_pack

    be_the_worker()
    model = Model.objects.filter(kind="transformers").first() or make_model(Path(folder) / "model")
    pack = make_pack(clips, f"loops-{number}")
    for item in list(pack.items.all()):
        make_item(pack, clip=item.clip, key=item.key, variant="false", text=SECOND)
    lines = []
    for item in pack.items.all():
        file = settings.MEDIA_ROOT / "clips" / item.clip.renditions.get().name
        lines.append(json.dumps({"clip": str(file), "question": item.text, "answer": "yes"}))
    (Path(folder) / "questions.jsonl").write_text("\n".join(lines) + "\n")
    return model, pack


def one_round(folder: str, model: Any, pack: Any) -> dict[str, Pace]:
    """The pace of each loop."""
    from django.conf import settings

    from evaluation.runs.lifecycle import start_run
    from evaluation.workers.loop import warm_model
    from tools.bench.evaluation.overhead import SPEAK, ask, plainly

    warm_model(model)
    paces = {"site": pace_of(lambda: ask(model, pack, "binary"), pack.items.count())}
    some = start_run(model=model, pack=pack, strategy="binary", sampling=SPEAK, limit=PLAIN)
    paces["plain"] = pace_of(lambda: plainly(model, some, PLAIN), some.cells.count())
    shutil.rmtree(Path(settings.VAR_DIR) / "frames", ignore_errors=True)
    command = [str(LMMS / "bin" / "python"), "-m", "tools.bench.evaluation.vs_lmms", "--peer", folder]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HOME": folder, "HF_HUB_OFFLINE": "1", "TQDM_DISABLE": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    wall, processor = json.loads(done.stdout.splitlines()[-1])
    return paces | {"lmms": (wall, processor)}


def pace_of(work: Callable[[], object], count: int) -> Pace:
    began, spent = time.monotonic(), time.process_time()
    work()
    return (time.monotonic() - began) / count, (time.process_time() - spent) / count


def as_peer(folder: str) -> None:
    """Print lmms-eval's pace; runs in its own environment."""
    torchvision_shim.declared()
    import torch
    import transformers
    from lmms_eval.api.task import ConfigurableMessagesTask
    from lmms_eval.evaluator import simple_evaluate
    from lmms_eval.models.chat import huggingface

    torch.set_num_threads(THREADS)
    huggingface.AutoModel = transformers.AutoModelForImageTextToText  # what it opens otherwise can't generate
    paces: list[Pace] = []
    for batch in (1, 8):
        path = str(Path(folder) / "model")
        model = huggingface.Huggingface(pretrained=path, device="cpu", device_map="cpu", batch_size=batch)
        model._model, model.processor = model._model.float(), WithoutEmpty(model.processor)
        model.processor.tokenizer.padding_side = model.tokenizer.padding_side = "left"
        model.generate_until = timed(model.generate_until, paces)
        task = ConfigurableMessagesTask(config=task_in(folder))
        simple_evaluate(model=model, tasks=[task], bootstrap_iters=0, log_samples=False)
    print(json.dumps(min(paces)))


def timed(generate: Callable[[list[Any]], list[Any]], paces: list[Pace]) -> Callable[[list[Any]], list[Any]]:
    """The function, which appends its pace to `paces`."""

    def measured(requests: list[Any]) -> list[Any]:
        replies: list[Any] = []
        paces.append(pace_of(lambda: replies.extend(generate(requests)), len(requests)))
        return replies

    return measured


class WithoutEmpty:
    """The processor, called without the kinds of media of which a question has none: transformers 5 refuses them."""

    def __init__(self, processor: Any) -> None:
        self._processor = processor

    def __call__(self, **given: Any) -> Any:
        return self._processor(**{name: value for name, value in given.items() if value is not None and value != []})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._processor, name)


def task_in(folder: str) -> dict[str, Any]:
    """The questions as a task of lmms-eval."""
    return {
        "task": "clips",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(Path(folder) / "questions.jsonl")}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_visual": lambda doc: [doc["clip"]],
        "doc_to_text": lambda doc: doc["question"],
        "doc_to_messages": conversation,
        "doc_to_target": "answer",
        "generation_kwargs": {"max_new_tokens": TOKENS, "temperature": 0.0},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    }


def conversation(doc: dict[str, str]) -> list[dict[str, Any]]:
    from lmms_eval.models.model_utils.load_video import read_video

    frames = read_video(doc["clip"], num_frm=FRAMES)
    parts = [{"type": "video", "url": frames}, {"type": "text", "text": doc["question"]}]
    return [{"role": "user", "content": parts}]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        as_peer(sys.argv[2])
    else:
        sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 30))
