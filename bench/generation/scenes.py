"""Speed of clip generation. `python -m bench.generation.scenes [SIZE] [FPS]` prints a JSON line for each scene and one
for all.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from scenes.clip import ClipReport, make_clip
from scenes.registry import SCENES


def measure(scene: str, out: Path, size: tuple[int, int], fps: int) -> tuple[ClipReport, dict[str, object]]:
    started = time.perf_counter()
    report = make_clip(scene, 0, 0, out, size=size, fps=fps)
    seconds = time.perf_counter() - started
    frames = report.rendered + report.reused
    return report, {
        "bench": "scenes",
        "scene": scene,
        "size": "x".join(map(str, size)),
        "fps": fps,
        "seconds": round(seconds, 3),
        "frames_per_second": round(frames / seconds, 1),
        "share_reused": round(report.reused / frames, 3),
    }


def main(size: tuple[int, int] = (320, 240), fps: int = 25) -> None:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        measure("ShapeBall", out / "warm", size, fps)  # the first clip also opens OpenGL and creates the textures
        started, rendered, reused = time.perf_counter(), 0, 0
        for scene in SCENES:
            report, line = measure(scene, out, size, fps)
            rendered, reused = rendered + report.rendered, reused + report.reused
            print(json.dumps(line), flush=True)
        seconds = time.perf_counter() - started
    line = {"bench": "scenes", "scene": "all", "clips": len(SCENES), "seconds": round(seconds, 2)}
    line |= {"drawn_per_second": round(rendered / seconds, 1), "share_reused": round(reused / (rendered + reused), 3)}
    print(json.dumps(line), flush=True)


if __name__ == "__main__":
    arguments = sys.argv[1:]
    width, height = (int(edge) for edge in (arguments[0] if arguments else "320x240").split("x"))
    main((width, height), int(arguments[1]) if len(arguments) > 1 else 25)
