"""Cost of the full official set (4,096 Level-2 and 2,176 Level-1 clips), extrapolated from a few clips of every folder.

`python -m bench.generation.grasp_release [CLIPS] [WIDTHxHEIGHT] [FPS] [PROCESSES]`, by default 200 clips at 640x480, 50
frames a second, on 2 processes, in look `classic`. One process makes all answers of a test in sequence, like
`generate_benchmark`, since they share pictures. Prints one JSON line: hours and gigabytes of the set, memory,
core-seconds a clip by test, frames a second, the share of frames that were not rendered, the share of a process's time
spent on segmentation, and whether a GPU rendered.
"""

import json
import resource
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from scenes import opengl
from scenes.clip import ClipReport, make_clip
from scenes.registry import SCENES, TESTS

OFFICIAL = {1: 17 * 128, 2: 32 * 128}  # clips by level
SEED = 41
Job = tuple[str, int, Path, tuple[int, int], int]
Made = tuple[ClipReport, float]


def make_group(jobs: list[Job]) -> tuple[list[Made], float]:
    """Generate the clips of a test; return each clip's cost and the process's peak memory in gigabytes."""
    made = [make(job) for job in jobs]
    return made, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def make(job: Job) -> Made:
    """Generate a clip; return its report and the core-seconds of all threads."""
    name, index, out, size, fps = job
    began = time.process_time()
    report = make_clip(name, SEED, index, out, size=size, fps=fps)
    return report, time.process_time() - began


def measure(clips: int, size: tuple[int, int], fps: int, processes: int) -> dict[str, object]:
    """Generate at least so many clips, equally many of each folder, and scale up each level to its official number."""
    rounds = -(-clips // len(SCENES))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        groups = [[(name, index, out, size, fps) for name in test.folders] for index in range(rounds) for test in TESTS]
        jobs = [job for group in groups for job in group]
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            list(pool.map(make, [("ShapeBall", 9_000 + n, out / "warm", size, fps) for n in range(processes)]))
            began = time.perf_counter()
            made: list[Made] = []
            held = 0.0
            for of_test, most in pool.map(make_group, groups):
                made, held = made + of_test, max(held, most)
                print(f"[{len(made)}/{len(jobs)}]", end="\r", file=sys.stderr, flush=True)
            seconds = time.perf_counter() - began
        sizes = [_bytes(out, job) for job in jobs]
    line = _line(jobs, made, sizes, seconds, processes)
    return line | {"size": "x".join(map(str, size)), "fps": fps, "gigabytes_of_memory": round(held * processes, 2)}


def _bytes(out: Path, job: Job) -> int:
    """Size in bytes of a clip's video, trajectory and facts."""
    name, index = job[:2]
    level = f"level{SCENES[name].level}"
    found = [*(out / "videos" / level / name).glob(f"{index:03}.*")]
    return sum(path.stat().st_size for path in [*found, *(out / "trajectories" / level / name).glob(f"{index:03}.*")])


def _line(jobs: list[Job], made: list[Made], sizes: list[int], seconds: float, processes: int) -> dict[str, object]:
    busy, cores = dict.fromkeys(OFFICIAL, 0.0), dict.fromkeys(OFFICIAL, 0.0)
    held, count = dict.fromkeys(OFFICIAL, 0), dict.fromkeys(OFFICIAL, 0)
    for job, (report, core_seconds), size in zip(jobs, made, sizes, strict=True):
        level = SCENES[job[0]].level
        busy[level], held[level], count[level] = busy[level] + report.seconds, held[level] + size, count[level] + 1
        cores[level] += core_seconds
    reports = [report for report, _ in made]
    total = sum(busy.values())
    # Processes overlap, and waits between clips count: the ratio of wall time to busy time corrects for both.
    hours = {level: busy[level] / count[level] * OFFICIAL[level] * seconds / total / 3600 for level in OFFICIAL}
    rendered, reused = sum(report.rendered for report in reports), sum(report.reused for report in reports)
    is_gpu = opengl.os.environ["MUJOCO_GL"] == "egl"
    return {
        "bench": "generation",
        "clips": len(jobs),
        "folders": len(SCENES),
        "processes": processes,
        "full_set_clips": sum(OFFICIAL.values()),
        "full_set_hours": round(sum(hours.values()), 2),
        "full_set_core_hours": round(
            sum(cores[level] / count[level] * OFFICIAL[level] for level in OFFICIAL) / 3600, 2
        ),
        "core_seconds_a_clip": {f"level {level}": round(cores[level] / count[level], 2) for level in OFFICIAL},
        "core_seconds_by_test": _by_test(jobs, made),
        "core_seconds_a_frame_drawn": round(sum(cores.values()) / rendered, 4),
        "full_set_gigabytes": round(sum(held[level] / count[level] * OFFICIAL[level] for level in OFFICIAL) / 1e9, 2),
        "frames_a_second": round((rendered + reused) / seconds, 1),
        "share_not_drawn": round(reused / (rendered + reused), 3),
        "share_of_segmentation": round(sum(report.segmentation_seconds for report in reports) / total, 3),
        "redraws": sum(report.redraws for report in reports),
        "gpu": "drawn by EGL" if is_gpu else "not measured",
    }


def _by_test(jobs: list[Job], made: list[Made]) -> dict[str, float]:
    """Mean core-seconds of a clip of each test, the dearest test first."""
    found: dict[str, list[float]] = {}
    for job, (_, core_seconds) in zip(jobs, made, strict=True):
        found.setdefault(SCENES[job[0]].test, []).append(core_seconds)
    means = {test: round(sum(each) / len(each), 1) for test, each in found.items()}
    return dict(sorted(means.items(), key=lambda pair: -pair[1]))


def main(clips: str = "200", size: str = "640x480", fps: str = "50", processes: str = "2") -> None:
    width, height = (int(edge) for edge in size.split("x"))
    print(json.dumps(measure(int(clips), (width, height), int(fps), int(processes))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
