"""Runs measuring jobs in several processes; results are stored and not measured again."""

import multiprocessing
import sys
import time
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from bench.shortcuts.cells import CONTROL, LOOKS
from bench.shortcuts.studies import Study

STAGES = ("cells", "control")


@dataclass(frozen=True)
class Job:
    study: Study
    stage: str
    out: Path

    @property
    def is_done(self) -> bool:
        wanted = list(LOOKS) if self.stage == "cells" else [CONTROL]
        return all(self.study.has(self.out, what) for what in wanted)

    def run(self) -> None:
        from bench.shortcuts.measuring import measure_control, measure_frames

        (measure_frames if self.stage == "cells" else measure_control)(self.study, self.out)

    def __str__(self) -> str:
        return f"{self.study.profile} {self.study.test} {self.stage}"


def measured(jobs: list[Job], processes: int, after_each: Callable[[], object]) -> bool:
    """Run the unfinished jobs in parallel, printing the time left after each; return whether all succeeded."""
    todo = [job for job in jobs if not job.is_done]
    print(f"{len(jobs) - len(todo)} of {len(jobs)} measurements are there, {len(todo)} to go", flush=True)
    began, all_well = time.monotonic(), True
    # Spawned, not forked: torch's and OpenGL's threads do not survive a fork.
    with ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn")) as pool:
        running: dict[Future, Job] = {pool.submit(job.run): job for job in todo}
        left = set(running)
        try:
            while left:
                done, left = wait(left, return_when="FIRST_COMPLETED")
                for future in done:
                    problem = future.exception()
                    all_well = all_well and problem is None
                    _say(running[future], problem, len(todo) - len(left), len(todo), time.monotonic() - began)
                after_each()
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            print("stopped; what was measured is kept", file=sys.stderr)
            return False
    return all_well


def _say(job: Job, problem: BaseException | None, done: int, of: int, seconds: float) -> None:
    left = seconds / done * (of - done) / 60
    print(f"[{done}/{of}, {left:.0f} min left] {job}", flush=True)
    if problem is not None:
        print(f"{job} failed: {type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
