"""GPU utilisation with a 7B-class model of random weights. Used by tools/bench/evaluation/overhead.py.

The model is as fast as a real one; its replies are noise.
"""

import os
import platform
import subprocess
import threading
from pathlib import Path
from typing import Any

from tools.bench.measure import say

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

    words, hf = tiny.tokenizer({"image_token": "<image>", "video_token": "<video>"}), tiny.hf
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
    model.save_pretrained(folder)
    _processor(words).save_pretrained(folder)
    del model
    torch.cuda.empty_cache()


def _processor(words: Any) -> Any:
    from tests.evaluation import tiny_families as tiny

    hf, look = tiny.hf, {"size": {"height": 384, "width": 384}}
    return hf.LlavaOnevisionProcessor(
        image_processor=hf.LlavaOnevisionImageProcessor(image_grid_pinpoints=[[384, 384]], **look),
        tokenizer=words,
        video_processor=hf.LlavaOnevisionVideoProcessor(**look),
        num_image_tokens=729,
        vision_feature_select_strategy="full",
        chat_template=tiny.template("<image>", "<video>"),
    )


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


def on_a_gpu(folder: Path, ask, plainly, make_pack) -> bool:
    """Measure utilisation and items a minute with 8 and 32 frames, beside the plain loop; return whether all targets
    hold.
    """
    from tests.factories import make_model

    make_large(folder)
    model = make_model(kind="transformers", options={"path": str(folder)})
    pack = make_pack(CLIPS, "gpu")
    results = [_busy(frames, model, pack, ask, plainly) for frames in (8, 32)]
    return all(results)


def _busy(frames: int, model: Any, pack: Any, ask, plainly) -> bool:
    import torch

    from evaluation.workers.loop import _warm

    ask(model, pack, "binary", sampler=f"uniform-{frames}", limit=8)
    with Watch() as watch:
        wall, adapter, run = ask(model, pack, "binary", sampler=f"uniform-{frames}")
    generating, batch = adapter.seconds["generate"] / wall, adapter.description["batch"]
    del adapter
    _warm.clear()
    torch.cuda.empty_cache()
    return say(
        (watch.share or generating) >= BUSY,
        measure="a 7B-class model on a GPU",
        target=BUSY,
        machine=machine(),
        frames=frames,
        generating=round(generating, 3),
        device_busy=watch.share and round(watch.share, 3),
        items_a_minute=round(60 * CLIPS / wall, 1),
        plain_items_a_minute=round(60 * PLAIN / plainly(model, run, PLAIN), 1),
        batch=batch,
    )


def machine() -> str:
    """The class of this machine and the versions of what computes on it."""
    import torch
    import transformers

    versions = f"Python {platform.python_version()}, torch {torch.__version__}, transformers {transformers.__version__}"
    return f"one {torch.cuda.get_device_name(0)} with {os.cpu_count()} processor cores ({versions})"
