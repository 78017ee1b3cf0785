"""Items a minute of three loops on one tiny family: a plain loop, lmms-eval's, and this site's worker.

`python -m bench.evaluation.throughput [CLIPS]` prints JSON lines; exit 1 if a target is missed. The default is 60 clips
of ten seconds with two questions each, eight evenly spaced frames, sixteen tokens, float32 and two threads on the CPU.
Each loop runs in its own process, three times in alternation. The medians count: of its figures, and of its ratio to
the others in the same round. pip installs lmms-eval in a temporary environment; if it can't, the output says so and the
figures are "not measured". LMMS_PYTHON names an environment with lmms-eval.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.evaluation.overhead import ROOT, ask, make_model, make_pack, plainly, say, set_up

LMMS = "lmms-eval==0.7.3"
ROUNDS, FRAMES, TOKENS, SOME = 3, 8, 16, 24  # SOME: questions of the plain loop, whose pace is constant
TIMES_PLAIN, TIMES_LMMS = 3.0, 1.5
QUESTIONS = ("The ball on the table is red. Is this true? Answer only with yes or no.", "Is the ball round?")


def prepare(folder: str, clips: int) -> None:
    """A pack of clips with two questions each, the model, and descriptions of both for the other harness."""
    from django.conf import settings

    from tests.factories import make_item

    pack, model = make_pack(clips, "loops"), make_model(Path(folder) / "model")
    for item in pack.items.all():
        make_item(pack, clip=item.clip, key=item.key, variant="false", text=QUESTIONS[1])
    files = [str(settings.MEDIA_ROOT / "clips" / clip.renditions.get().name) for clip in pack.clips.all()]
    docs = [{"clip": file, "question": question} for file in files for question in QUESTIONS]
    task = {"model": model.options["path"], "asked": docs, "frames": FRAMES, "tokens": TOKENS}
    (Path(folder) / "asked.json").write_text(json.dumps(task))


def by_the_site(*, is_plain: bool) -> dict[str, Any]:
    """One of our loops over the prepared pack: the worker with an empty cache, or a plain loop over some questions."""
    from benchmarks.models import Pack
    from evaluation.models import Model
    from evaluation.runs.lifecycle import start_run
    from evaluation.workers.loop import warm_model

    pack, model = Pack.objects.get(name="loops"), Model.objects.get(kind="transformers")
    if is_plain:
        run = start_run(model=model, pack=pack, strategy="binary", sampling={"max_new_tokens": TOKENS}, limit=SOME)
        spent: dict[str, float] = {}
        began = time.process_time()
        wall = plainly(model, run, SOME, spent)
        return figures(SOME, wall, time.process_time() - began, spent["generate"])
    warm_model(model)
    began = time.process_time()
    wall, adapter, run = ask(model, pack, "binary")
    return figures(run.cells.count(), wall, time.process_time() - began, adapter.seconds["generate"])


def figures(count: int, wall: float, processor: float, generating: float) -> dict[str, Any]:
    return {
        "items": count,
        "items_a_minute": round(60 * count / wall, 1),
        "items_a_processor_minute": round(60 * count / processor, 1),
        "in_the_model": round(generating / wall, 3),
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def environment_with_lmms(folder: Path) -> Path | str:
    """The Python of an environment with lmms-eval and this one's packages; an error sentence if there is none."""
    if known := os.environ.get("LMMS_PYTHON"):
        return Path(known)
    place = folder / "lmms"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    own = next(path for path in sys.path if path.endswith("site-packages"))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    (place / "lib" / version / "site-packages" / "outer.pth").write_text(own + "\n")
    python = place / "bin" / "python"
    done = subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", LMMS], capture_output=True, text=True, timeout=900
    )
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return python if not done.returncode else f"pip can't install {LMMS}: {lines[-1] if lines else 'no reason given'}"


def one_round(loop: str, folder: str, python: str = sys.executable) -> dict[str, Any]:
    """Run one loop in its own process; raises with the end of its output if it fails."""
    module = "bench.evaluation.lmms_loop" if loop == "lmms-eval" else "bench.evaluation.throughput"
    arguments = [folder] if loop == "lmms-eval" else ["--loop", loop, folder]
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "DATA_DIR": folder, "TQDM_DISABLE": "1"}
    done = subprocess.run(
        [python, "-m", module, *arguments], cwd=ROOT, env=variables, capture_output=True, text=True, timeout=1800
    )
    if done.returncode:
        raise RuntimeError(f"{loop} failed: {' / '.join(done.stderr.strip().splitlines()[-3:])}")
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def measure(folder: str, python: Path | None) -> dict[str, list[dict[str, Any]]]:
    """The rounds of each loop; loops alternate, so that other load affects all equally."""
    loops = ["plain", *(["lmms-eval"] if python else []), "site"]
    rounds: dict[str, list[dict[str, Any]]] = {loop: [] for loop in loops}
    for _ in range(ROUNDS):
        for loop in loops:
            rounds[loop].append(one_round(loop, folder, str(python) if loop == "lmms-eval" else sys.executable))
    return rounds


def ratio(rounds: dict[str, list[dict[str, Any]]], other: str, pace: str) -> float:
    """The median over rounds of the site's speed relative to the other loop."""
    pairs = zip(rounds["site"], rounds[other], strict=True)
    return round(statistics.median(own[pace] / theirs[pace] for own, theirs in pairs), 2)


def report(rounds: dict[str, list[dict[str, Any]]]) -> bool:
    for loop, found in rounds.items():
        say(True, measure="throughput", loop=loop, **sorted(found, key=lambda one: one["items_a_minute"])[ROUNDS // 2])
    results = []
    for other, target in (("plain", TIMES_PLAIN), ("lmms-eval", TIMES_LMMS)):
        if other in rounds:
            times, processor = (ratio(rounds, other, pace) for pace in ("items_a_minute", "items_a_processor_minute"))
            facts = {"times": times, "times_by_processor": processor, "target": target}
            results.append(say(times >= target, measure=f"site against {other}", **facts))
    return all(results)


def main(clips: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        set_up(folder)
        prepare(folder, clips)
        found = environment_with_lmms(Path(folder))
        if isinstance(found, str):
            print(f"SKIPPED: lmms-eval. {found}", file=sys.stderr, flush=True)
            say(True, measure="throughput", loop="lmms-eval", result=f"not measured: {found}")
        return 0 if report(measure(folder, None if isinstance(found, str) else found)) else 1


def as_loop(loop: str, folder: str) -> None:
    os.environ |= {"DATA_DIR": folder, "DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    import django

    django.setup()
    from celery import current_app

    current_app.send_task = lambda *args, **options: None  # this process is the worker
    from django.conf import settings

    shutil.rmtree(Path(settings.VAR_DIR) / "frames", ignore_errors=True)  # cold, like the others
    print(json.dumps(by_the_site(is_plain=loop == "plain")))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--loop"]:
        as_loop(*sys.argv[2:4])
    else:
        sys.exit(main(int(sys.argv[1]) if sys.argv[1:] else 60))
