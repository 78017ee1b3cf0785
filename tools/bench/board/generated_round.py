"""A round of generated clips at size: 250 prompts × 8 generators × PhyGround's 16 dimensions, from folders to board.

`python -m tools.bench.board.generated_round [PROMPTS]` makes small clips in a temporary folder and prints JSON lines:
seconds of the lint of all 2,000 clips, of import and round, of a study's plan and its simulated people over HTTP, and
the board's time cold and warm. Exit 1 if the lint takes more than 300 s, plan and people more than 120, or the warm
board more than 60 ms of processor time. Seconds scale with the machine: the first line says how long ten million
additions take on it (0.5 s where these limits were set).
"""

import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.bench.board.page_million import cold_and_warm, queries_of, site_under_way
from tools.bench.measure import AS_SERVED, say, set_up

PROMPTS, GENERATORS, PEOPLE = 250, 8, 459
LINT_S, PEOPLE_S = 300, 120
ADDITIONS, THEIR_S = 10_000_000, 0.5
LAWS = ("gravity", "collision", "inertia")
PACK = """slug = "size"
title = "A round at size"
version = "1"
licence = "CC0"
preset = "phyground"
"""
CARD = """prompts = "size"
generator = "Generator {number}"
version = "1"
input = "t2v"
access = "open"
fps = 12
seconds = 1
width = 64
height = 48
date = "2026-06"
best_of = 1
right_to_show = true
"""


def addition_seconds() -> float:
    began, total = time.perf_counter(), 0
    for number in range(ADDITIONS):
        total += number
    return time.perf_counter() - began


def write_folders(root: Path, prompts: int) -> list[Path]:
    """The prompt pack, then a folder for each generator, whose clips are a square that moves."""
    lines = [f"p{number},A square moves in way {number}.,{LAWS[number % len(LAWS)]}" for number in range(prompts)]
    folders = [root / "prompts", *(root / f"set-{number}" for number in range(GENERATORS))]
    for folder in folders:
        (folder / "clips").mkdir(parents=True)
    (root / "prompts" / "benchmark.toml").write_text(PACK)
    (root / "prompts" / "prompts.csv").write_text("\n".join(["id,prompt,laws", *lines, ""]))
    (root / "prompts" / "clips").rmdir()
    for number, folder in enumerate(folders[1:]):
        (folder / "card.toml").write_text(CARD.format(number=number))
        rows = [f"p{prompt},clips/{prompt}.mp4,{number}" for prompt in range(prompts)]
        (folder / "manifest.csv").write_text("\n".join(["prompt,file,seed", *rows, ""]))
        for prompt in range(prompts):
            write_clip(folder / "clips" / f"{prompt}.mp4", 1 + prompt % 40, 1 + number, prompt // 40)
    return folders


def write_clip(path: Path, left: int, top: int, grey: int) -> None:
    import av
    import numpy as np

    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=12, options={"preset": "ultrafast"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(12):
            picture = np.full((48, 64, 3), 120, np.uint8)
            picture[::4] = 90 + 10 * grey
            picture[4 * top : 4 * top + 12, left + number : left + number + 12] = (240, 220, 60)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())


def lint(folders: Sequence[Path]) -> float:
    from benchmarks.packs.folder_check import check_other

    began = time.perf_counter()
    for folder in folders:
        report = check_other(folder, lambda done, total: None)
        assert report is not None
        assert not report.errors, report.errors[:3]
    return time.perf_counter() - began


def make_round(folders: Sequence[Path]) -> tuple[Any, float]:
    from benchmarks.packs.folder_check import import_other
    from extensions.generated.clipsets.moderation import list_set
    from extensions.generated.models import ClipSet, PromptPack
    from extensions.generated.question_kinds import CLIP
    from extensions.generated.rounds import make_round as making

    began = time.perf_counter()
    for folder in folders:
        import_other(folder, lambda done, total: None)
    for clip_set in ClipSet.objects.all():
        list_set(clip_set=clip_set, by_id=None)
    made = making.make_round(PromptPack.objects.get(), list(ClipSet.objects.all()), "Autumn", [CLIP])
    return made, time.perf_counter() - began


def study_seconds(questions: Any) -> tuple[float, float, int]:
    """Seconds of the plan and of the people, and the answers that count."""
    from django.core.management import call_command

    from humantrials.running.lifecycle import close_trial, create_trial

    began = time.perf_counter()
    trial = create_trial(slug="autumn", protocol="size-rate", pack=questions, settings={"replicates": 3})
    planned = time.perf_counter() - began
    with site_under_way() as (port, _):
        began = time.perf_counter()
        how: dict[str, Any] = {"participants": PEOPLE, "concurrency": 8, "verbosity": 0}
        call_command("simulate_trial", "autumn", base_url=f"http://localhost:{port}", **how)
        walked = time.perf_counter() - began
    trial.refresh_from_db()
    close_trial(trial=trial)
    return planned, walked, trial.judgments.filter(counts=True).count()


def main(arguments: Sequence[str]) -> int:
    prompts = int(arguments[0]) if arguments else PROMPTS
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= AS_SERVED
        set_up(folder)
        from django.core.management import call_command

        from benchmarks.packs.folder_check import import_other

        call_command("collectstatic", interactive=False, verbosity=0)
        pace = addition_seconds() / THEIR_S
        say(measure="pace", ten_million_additions_s=round(pace * THEIR_S, 2))
        folders = write_folders(Path(folder) / "folders", prompts)
        import_other(folders[0], lambda done, total: None)
        linted = lint(folders[1:])
        results = [say(linted <= pace * LINT_S, measure="lint", clips=prompts * GENERATORS, seconds=round(linted, 1))]
        made, spent = make_round(folders[1:])
        say(measure="import and round", seconds=round(spent, 1), questions=made.questions.items.count())
        planned, walked, answers = study_seconds(made.questions)
        seconds = {"plan_s": round(planned, 1), "people_s": round(walked, 1)}
        is_full = answers == 3 * made.questions.items.count()
        is_good = is_full and planned + walked <= pace * PEOPLE_S
        results.append(say(is_good, measure="study", answers=answers, is_full=is_full, **seconds))
        address = made.pack.get_absolute_url()
        figures, is_fast = cold_and_warm(address)
        results.append(say(is_fast, measure="board", **figures, warm_queries=queries_of(address)))
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
