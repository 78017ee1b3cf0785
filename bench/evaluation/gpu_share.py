"""GPU utilisation with a 7B-class model of random weights. Used by bench/evaluation/overhead.py.

The model is as fast as a real one; its replies are noise. The result is written to docs/benchmarks-gpu.md.
"""

import os
import platform
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks-gpu.md"
CLIPS, PLAIN, BUSY = 128, 24, 0.90

VISION: dict[str, Any] = {
    "hidden_size": 1152,
    "intermediate_size": 4304,
    "num_hidden_layers": 26,
    "num_attention_heads": 16,
    "image_size": 384,
    "patch_size": 14,
    "vision_use_head": False,
}
LANGUAGE: dict[str, Any] = {
    "vocab_size": 152_000,
    "hidden_size": 3584,
    "intermediate_size": 18944,
    "num_hidden_layers": 28,
    "num_attention_heads": 28,
    "num_key_value_heads": 4,
    "max_position_embeddings": 32768,
}


def make_large(folder: Path) -> None:
    """Save a random LLaVA-OneVision with the sizes of its 7B release: SigLIP so400m at 384 pixels, Qwen2 7B."""
    import torch
    from transformers import LlavaOnevisionForConditionalGeneration, Qwen2Config, SiglipVisionConfig

    from tests.evaluation import tiny_families as tiny

    words = tiny.tokenizer({"image_token": "<image>", "video_token": "<video>"})
    hf, look = tiny.hf, {"size": {"height": 384, "width": 384}}
    processor = hf.LlavaOnevisionProcessor(
        image_processor=hf.LlavaOnevisionImageProcessor(image_grid_pinpoints=[[384, 384]], **look),
        tokenizer=words,
        video_processor=hf.LlavaOnevisionVideoProcessor(**look),
        num_image_tokens=729,
        vision_feature_select_strategy="full",
        chat_template=tiny.template("<image>", "<video>"),
    )
    config = hf.LlavaOnevisionConfig(
        vision_config=SiglipVisionConfig(**VISION).to_dict(),
        text_config=Qwen2Config(**LANGUAGE).to_dict(),
        image_token_index=words.vocab["<image>"],
        video_token_index=words.vocab["<video>"],
        vision_feature_layer=-1,
        image_grid_pinpoints=[[384, 384]],
    )
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device("cuda"):
            model = LlavaOnevisionForConditionalGeneration(config)
    finally:
        torch.set_default_dtype(torch.float32)
    model.generation_config = hf.GenerationConfig(eos_token_id=words.eos_token_id, pad_token_id=words.pad_token_id)
    processor.save_pretrained(folder)
    model.save_pretrained(folder)
    del model
    torch.cuda.empty_cache()


class Watch:
    """Samples the GPU utilisation that nvidia-smi reports, every 0.2 s."""

    def __enter__(self) -> "Watch":
        self.read: list[float] = []
        self.over = threading.Event()
        self.thread = threading.Thread(target=self._look, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.over.set()
        self.thread.join()

    def _look(self) -> None:
        command = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits", "-i", "0"]
        while not self.over.wait(0.2):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.stdout.strip().isdigit():
                self.read.append(int(done.stdout) / 100)

    @property
    def share(self) -> float | None:
        return sum(self.read) / len(self.read) if self.read else None


def on_a_gpu(folder: Path, say, ask, plainly, make_pack) -> bool:
    """Measure utilisation and items a minute with 8 and 32 frames, beside the plain loop; return whether all targets
    hold.
    """
    import torch

    from evaluation.workers.loop import _warm
    from tests.factories import make_model

    make_large(folder)
    model, pack, rows, all_ok = (
        make_model(kind="transformers", options={"path": str(folder)}),
        make_pack(CLIPS, "gpu"),
        [],
        True,
    )
    for frames in (8, 32):
        ask(model, pack, "binary", sampler=f"uniform-{frames}", limit=8)
        with Watch() as watch:
            wall, adapter, run = ask(model, pack, "binary", sampler=f"uniform-{frames}")
        generating, batch = adapter.seconds["generate"] / wall, adapter.description["batch"]
        del adapter
        _warm.clear()
        torch.cuda.empty_cache()
        plain = 60 * PLAIN / plainly(model, run, PLAIN)
        row = {
            "frames": frames,
            "generating": round(generating, 3),
            "device_busy": watch.share and round(watch.share, 3),
            "items_a_minute": round(60 * CLIPS / wall, 1),
            "plain_items_a_minute": round(plain, 1),
            "batch": batch,
        }
        all_ok &= say((watch.share or generating) >= BUSY, measure="a 7B-class model on a GPU", target=BUSY, **row)
        rows.append(row)
    served = through_vllm(folder, say, ask, pack)
    write(rows, served, machine())
    return all_ok


def machine() -> str:
    """The class of this machine and the versions of what computes on it."""
    import torch
    import transformers

    versions = f"Python {platform.python_version()}, torch {torch.__version__}, transformers {transformers.__version__}"
    return f"one {torch.cuda.get_device_name(0)} with {os.cpu_count()} processor cores ({versions})"


def through_vllm(folder: Path, say, ask, pack) -> list[dict[str, Any]]:
    """The same model and clips through a separate vLLM over all GPUs; [] if its command is not installed."""
    import torch

    from evaluation.workers.loop import _warm
    from tests.factories import make_model

    if not shutil.which("vllm"):
        say(True, measure="the same through vLLM", result="not measured: no command vllm on the PATH")
        return []
    options = {"path": str(folder), "tensor_parallel": torch.cuda.device_count()}
    model, rows = make_model(kind="vllm", options=options), []
    for frames in (8, 32):
        ask(model, pack, "binary", sampler=f"uniform-{frames}", limit=8)
        with Watch() as watch:
            wall, _adapter, _run = ask(model, pack, "binary", sampler=f"uniform-{frames}")
        row = {
            "frames": frames,
            "device_busy": watch.share and round(watch.share, 3),
            "items_a_minute": round(60 * CLIPS / wall, 1),
            "tensor_parallel": options["tensor_parallel"],
        }
        say(True, measure="the same through vLLM", **row)
        rows.append(row)
    _warm.clear()
    return rows


def write(rows: list[dict], served: list[dict], where: str) -> None:
    lines = [
        "# On a GPU",
        "",
        f"Measured {time.strftime('%Y-%m-%d', time.gmtime())} on {where}",
        "by `python -m bench.evaluation.overhead`: LLaVA-OneVision of the 7B class with random weights (as fast as",
        f"real ones, but the replies mean nothing), bfloat16, replies of 16 tokens, {CLIPS} clips, of which 8 are in",
        "the cache at the start of each row. Generating is the share of a run's time in the model. Wanted: a device",
        f"that is busy {100 * BUSY:.0f} % of the time, as nvidia-smi counts it.",
        "",
        "| frames | device busy | generating | items a minute | plain loop | batch |",
        "|---|---|---|---|---|---|",
        *(
            f"| {row['frames']} | {percent(row['device_busy'])} | {percent(row['generating'])} |"
            f" {row['items_a_minute']} | {row['plain_items_a_minute']} | {row['batch']} |"
            for row in rows
        ),
        "",
        *(
            f"Through vLLM over {row['tensor_parallel']} GPUs, {row['frames']} frames: {row['items_a_minute']} items a"
            f" minute, device busy {percent(row['device_busy'])}."
            for row in served
        ),
        *([] if served else ["Through vLLM: not measured, its command was not on the PATH."]),
    ]
    _, mark, others = PAGE.read_text().partition("\n## ")
    PAGE.write_text("\n".join(lines) + "\n" + mark + others)


def percent(share: float | None) -> str:
    return "not measured" if share is None else f"{100 * share:.0f} %"


if __name__ == "__main__":
    sys.exit("run bench/evaluation/overhead.py, which uses this where there is a GPU")
