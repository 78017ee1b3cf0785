"""lmms-eval's own loop over the prepared questions; bench/evaluation/throughput.py runs it where it is installed.

It has its own model for any family of transformers (`huggingface`), its own video reader (PyAV) and its own collator.
Frames and tokens are the same as in the other loops, in float32; of batches of one and of eight, the faster counts.
"""

import json
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from bench.evaluation.throughput import figures
from evaluation.adapters import THREADS, torchvision_shim

WARM = 2


class NonEmptyMedia:
    """The processor, called without absent kinds of media: transformers 5 refuses empty ones."""

    def __init__(self, processor: Any) -> None:
        self._processor = processor

    def __call__(self, **arguments: Any) -> Any:
        empty = [name for name in ("images", "videos", "audios") if not arguments.get(name)]
        return self._processor(**{name: value for name, value in arguments.items() if name not in empty})

    def __getattr__(self, name: str) -> Any:
        return getattr(self._processor, name)


def loop(task: dict[str, Any], model: Any, batch: int, docs: list[dict[str, str]]) -> tuple[float, float, float]:
    """Seconds, processor seconds and seconds in generate() for these questions."""
    from lmms_eval.models.model_utils.load_video import read_video

    def messages(doc: dict[str, str]) -> list[dict[str, Any]]:
        frames = read_video(doc["clip"], num_frm=task["frames"])
        content = [{"type": "video", "url": frames}, {"type": "text", "text": doc["question"]}]
        return [{"role": "user", "content": content}]

    spent, generate = [0.0], type(model.model).generate

    def timed(self: Any, *arguments: Any, **options: Any) -> Any:
        began = time.monotonic()
        try:
            return generate(self, *arguments, **options)
        finally:
            spent[0] += time.monotonic() - began

    model.task_dict = {"task": {"test": docs}}
    model.batch_size_per_gpu = batch
    how = {"max_new_tokens": task["tokens"], "temperature": 0.0}
    requests = [SimpleNamespace(args=("", messages, how, place, "task", "test")) for place in range(len(docs))]
    began, processor = time.monotonic(), time.process_time()
    type(model.model).generate = timed
    try:
        model.generate_until(requests)
    finally:
        type(model.model).generate = generate
    return time.monotonic() - began, time.process_time() - processor, spent[0]


def main(folder: str) -> None:
    torchvision_shim.declared()
    import torch
    import transformers
    from lmms_eval.models.chat import huggingface

    torch.set_num_threads(THREADS)
    task = json.loads((Path(folder) / "asked.json").read_text())
    huggingface.log_metrics = lambda **_: None  # it prints, nothing else
    huggingface.AutoModel = transformers.AutoModelForMultimodalLM  # of this version's automatic classes the one for it
    model = huggingface.Huggingface(pretrained=task["model"], device="cpu", device_map="cpu", batch_size=1)
    model._model = model._model.float()
    model.processor = NonEmptyMedia(model.processor)
    model.processor.tokenizer.padding_side = model.tokenizer.padding_side = "left"
    found = []
    for batch in (1, 8):
        loop(task, model, batch, task["asked"][:WARM])
        wall, processor, generating = loop(task, model, batch, task["asked"])
        found.append(figures(len(task["asked"]), wall, processor, generating) | {"batch": batch})
    print(json.dumps(max(found, key=lambda one: one["items_a_minute"])))


if __name__ == "__main__":
    main(sys.argv[1])
