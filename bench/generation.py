"""What the full official set takes: 4,096 Level-2 and 2,176 Level-1 clips, extrapolated from a few of every folder.

`python bench/generation.py [CLIPS] [WIDTHxHEIGHT] [FPS] [PROCESSES]`, by default 200 clips at 640x480, 50 frames a
second, on 2 processes. One JSON line: hours and gigabytes of the whole, frames a second, the share of frames that were
not drawn, the share of a process's time spent on segmentation, and whether a GPU drew.
"""

import json
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent.parent)

from scenes import opengl  # noqa: E402  chooses how pictures are drawn
from scenes.clip import ClipReport, make_clip  # noqa: E402
from scenes.registry import SCENES  # noqa: E402

OFFICIAL = {1: 17 * 128, 2: 32 * 128}  # clips a level
SEED = 41
Job = tuple[str, int, Path, tuple[int, int], int]
Made = tuple[ClipReport, float]


def make(job: Job) -> Made:
    """The clip's report, and the core-seconds of all threads that it took."""
    name, index, out, size, fps = job
    began = time.process_time()
    report = make_clip(name, SEED, index, out, size=size, fps=fps)
    return report, time.process_time() - began


def measure(clips: int, size: tuple[int, int], fps: int, processes: int) -> dict[str, object]:
    """Make at least so many clips, as many of each folder, and scale up each level by its official number."""
    rounds = -(-clips // len(SCENES))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        jobs = [(name, index, out, size, fps) for index in range(rounds) for name in SCENES]
        with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
            list(pool.map(make, [("ShapeBall", 9_000 + n, out / "warm", size, fps) for n in range(processes)]))
            began = time.perf_counter()
            made = []
            for one in pool.map(make, jobs):
                made.append(one)
                print(f"[{len(made)}/{len(jobs)}]", end="\r", file=sys.stderr, flush=True)
            seconds = time.perf_counter() - began
        sizes = [_bytes(out, job) for job in jobs]
    return _line(jobs, made, sizes, seconds, processes) | {"size": "x".join(map(str, size)), "fps": fps}


def _bytes(out: Path, job: Job) -> int:
    """Video, trajectory and facts of one clip."""
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
    # What processes spend on clips overlaps, and waits between clips count: wall time over busy time tells by how much.
    hours = {level: busy[level] / count[level] * OFFICIAL[level] * seconds / total / 3600 for level in OFFICIAL}
    drawn, reused = sum(report.rendered for report in reports), sum(report.reused for report in reports)
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
        "core_seconds_a_frame_drawn": round(sum(cores.values()) / drawn, 4),
        "full_set_gigabytes": round(sum(held[level] / count[level] * OFFICIAL[level] for level in OFFICIAL) / 1e9, 2),
        "frames_a_second": round((drawn + reused) / seconds, 1),
        "share_not_drawn": round(reused / (drawn + reused), 3),
        "share_of_segmentation": round(sum(report.segmentation_seconds for report in reports) / total, 3),
        "redraws": sum(report.redraws for report in reports),
        "gpu": "drawn by EGL" if is_gpu else "not measured",
    }


def main(clips: str = "200", size: str = "640x480", fps: str = "50", processes: str = "2") -> None:
    width, height = (int(edge) for edge in size.split("x"))
    print(json.dumps(measure(int(clips), (width, height), int(fps), int(processes))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
