"""Makes the site's own clips: the home page's and the practice clip of studies of GRASP.

`python -m tools.bench.pages.site_clips [NAME ...]` draws them in look `cinema` (`make cinema`) into static/clips/grasp/
and writes each clip's origin to clips.json there. No pack has this seed.
"""

import hashlib
import json
import sys
import tempfile
from pathlib import Path

import av

from scenes.clip import make_clip

OUT = Path(__file__).resolve().parents[3] / "static" / "clips" / "grasp"
SEED, SIZE, FPS = 20260, (640, 480), 25
POSTER = 0.9  # of the clip: what the violation looks like
SHOWN = {"home": ("IP_GravityInertia", 0), "practice": ("IP_GravitySupport", 1)}  # name -> folder and number


def made(name: str, out: Path) -> dict[str, object]:
    """Draw one clip and its poster; return their origin."""
    folder, index = SHOWN[name]
    with tempfile.TemporaryDirectory() as place:
        report = make_clip(folder, SEED, index, Path(place), size=SIZE, fps=FPS, look="cinema")
        [facts] = [json.loads(path.read_text()) for path in Path(place).rglob("*.json")]
        film = report.path.read_bytes()
        with av.open(str(report.path)) as video:
            pictures = [frame.to_image() for frame in video.decode(video=0)]
    (out / f"{name}.mp4").write_bytes(film)
    pictures[round(POSTER * len(pictures))].save(out / f"{name}.webp", quality=80, method=6)
    names = ("scene", "seed", "index", "profile", "look", "size", "fps", "label", "digest")
    more = {"sha256": hashlib.sha256(film).hexdigest(), "violation": facts["first_violation"]}
    return {fact: facts[fact] for fact in names} | more


def main(names: list[str], out: Path = OUT) -> int:
    if unknown := sorted(set(names) - set(SHOWN)):
        print(f"no clip is called {', '.join(unknown)}: there are {', '.join(SHOWN)}", file=sys.stderr)
        return 2
    out.mkdir(parents=True, exist_ok=True)
    sources = out / "clips.json"
    known = json.loads(sources.read_text()) if sources.is_file() else {}
    for name in names or SHOWN:
        known[name] = made(name, out)
        sources.write_text(json.dumps(known, indent=1) + "\n")
        print(f"{name} {(out / f'{name}.mp4').stat().st_size} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
