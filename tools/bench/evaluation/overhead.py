"""Cost of evaluation in addition to the model: overhead of a run, gain from the frame cache.

`python -m tools.bench.evaluation.overhead [CELLS] [CLIPS]`, by default 500 and 250, prints JSON lines;
exit 1 if a target is missed. With a GPU it also measures a 7B-class model with random weights on 8 and 32 frames.
"""

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tools.bench.measure import AS_SERVED, say, set_up

FRAMES, FPS, SIZE = 500, 50, (640, 360)
STRATEGIES = ("binary", "binary-cot", "binary-oneshot")
OVERHEAD, TIMES_PLAIN = 0.10, 3.0
ROUNDS = 3
SPEAK = {"max_new_tokens": 16}


def be_the_worker() -> None:
    """Let nobody be told of a new run: this process answers it."""
    from celery import current_app

    current_app.send_task = lambda *args, **options: None


def film(path: Path) -> bytes:
    """Write a video of ten seconds in which everything moves, with a keyframe every half second; return its bytes."""
    import av
    import numpy as np

    scene = np.random.default_rng(0).integers(0, 255, (SIZE[1] // 20, SIZE[0] // 20, 3), np.uint8)
    scene = scene.repeat(20, 0).repeat(20, 1)
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=FPS, options={"preset": "veryfast", "g": str(FPS // 2)})
        stream.width, stream.height, stream.pix_fmt = *SIZE, "yuv420p"
        for number in range(FRAMES):
            frame = av.VideoFrame.from_ndarray(np.roll(scene, 2 * number, 1), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path.read_bytes()


def make_pack(clips: int, name: str):
    """A pack of so many clips with one question each; the files are equal, but their keys in the frame cache differ."""
    from django.conf import settings

    from tests.factories import make_clip, make_item
    from tests.factories import make_pack as new_pack

    pack = new_pack(name=name)
    folder = settings.MEDIA_ROOT / "clips"
    folder.mkdir(parents=True, exist_ok=True)
    content = film(folder / "film.mp4")
    facts = {"width": SIZE[0], "height": SIZE[1], "fps": FPS, "frames": FRAMES, "seconds": FRAMES / FPS}
    for number in range(clips):
        clip = make_clip(pack, key=f"level1/ColorRed/{number:04}", **facts)
        (folder / clip.renditions.get().name).write_bytes(content)
        make_item(pack, clip=clip, key=clip.key)
    return pack


def make_model(folder: Path):
    """A model with the site's small architecture and random weights."""
    from evaluation.adapters.transformers.loading import show_no_bars
    from extensions.training.video_language.architecture import model_for, processor_for, tokenizer_for
    from extensions.training.video_language.recipes import RECIPES
    from tests.factories import make_model as new_model

    show_no_bars()
    recipe, words = RECIPES["small"], tokenizer_for(["Is this true? Answer only with yes or no.", "What?"])
    processor_for(recipe, words).save_pretrained(folder)
    model_for(recipe, words, 0).save_pretrained(folder)
    return new_model(kind="transformers", options={"path": str(folder)})


def ask(model, pack, strategy: str, **choice):
    """Run the worker on a new run; return its wall seconds, the adapter and the run."""
    from evaluation.runs.lifecycle import start_run
    from evaluation.workers.loop import warm_model, work_on

    run = start_run(model=model, pack=pack, strategy=strategy, sampling=SPEAK, **choice)
    adapter: Any = warm_model(model)[0]
    getattr(adapter, "seconds", {}).update(prepare=0.0, generate=0.0)
    began = time.monotonic()
    while run.state not in ("finished", "failed"):
        work_on(run.pk)
        run.refresh_from_db()
    assert run.state == "finished", run.reason
    return time.monotonic() - began, adapter, run


def plainly(model, run, count: int) -> float:
    """Seconds for `count` items of the run in a plain loop (decode, process, generate) without cache or prefetch."""
    from unittest.mock import patch

    from evaluation.adapters.transformers.adapter import TransformersModel
    from evaluation.inputs import frame_cache
    from evaluation.prompting.requests import Asking, cells_of

    adapter = TransformersModel(**model.options, batch_size=1)
    asking, cells = Asking(run), [cell for shard in run.shards.all() for cell in cells_of(shard.pk, run)][:count]
    with (
        patch.object(frame_cache, "cached_frames", lambda place: None),
        patch.object(frame_cache, "cache_frames", lambda *_: None),
    ):
        began = time.monotonic()
        for cell in cells:
            list(adapter.answer([asking.question(cell).request]))
        return time.monotonic() - began


def overhead(model, pack, cells: int, clips: int) -> bool:
    """Measure the share of the time in which nobody waits for the processor or the model."""
    seeds = tuple(range(max(1, cells // clips)))
    ask(model, pack, "binary", limit=8)  # opens the model
    ask(model, pack, "binary", seeds=seeds)  # fills the cache
    wall, adapter, run = ask(model, pack, "binary", seeds=seeds)
    share = 1 - sum(adapter.seconds.values()) / wall
    return say(
        share < OVERHEAD,
        measure="overhead, warm cache",
        share=round(share, 4),
        target=OVERHEAD,
        cells=run.cells.count(),
        wall_s=round(wall, 1),
        **{f"{name}_s": round(spent, 1) for name, spent in adapter.seconds.items()},
    )


def three_strategies(model, clips: int) -> bool:
    """Rounds of an empty cache, a warm one and the plain loop, so that the machine's pace affects them alike."""
    rounds = [_round(model, clips // ROUNDS, f"three {number}") for number in range(ROUNDS)]
    times = {state: [pace[state] / pace["plain"] for pace in rounds] for state in ("empty", "warm")}
    middle = {state: statistics.median(found) for state, found in times.items()}
    return say(
        middle["empty"] >= TIMES_PLAIN,
        measure="three strategies on the same clips",
        clips=clips,
        times_plain=round(middle["empty"], 2),
        target=TIMES_PLAIN,
        rounds=[round(found, 2) for found in times["empty"]],
        times_plain_warm=round(middle["warm"], 2),
        **{f"{name}_items_a_minute": round(statistics.median(one[name] for one in rounds), 1) for name in rounds[0]},
    )


def _round(model, clips: int, name: str) -> dict[str, float]:
    """Items a minute: with an empty cache, with a warm one, plainly."""
    pack, pace = make_pack(clips, name), {}
    for state in ("empty", "warm"):
        done = [ask(model, pack, strategy) for strategy in STRATEGIES]
        pace[state] = 60 * len(STRATEGIES) * clips / sum(wall for wall, _, _ in done)
    some = min(clips, 60 // ROUNDS)  # enough for the plain loop, whose pace is constant
    plain = sum(plainly(model, run, some) for _, _, run in done)
    return pace | {"plain": 60 * len(STRATEGIES) * some / plain}


def main(cells: int = 500, clips: int = 250) -> int:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= AS_SERVED
        set_up(folder)
        be_the_worker()
        import torch

        pack, model = make_pack(max(8, min(cells, 250)), "bench"), make_model(Path(folder) / "model")
        results = [overhead(model, pack, cells, pack.clips.count()), three_strategies(model, clips)]
        if torch.cuda.is_available():
            from tools.bench.evaluation.gpu_share import on_a_gpu

            results.append(on_a_gpu(Path(folder) / "large", ask, plainly, make_pack))
        else:
            say(True, measure="a 7B-class model on a GPU", result="not measured: no CUDA device here")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
