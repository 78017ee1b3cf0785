"""Writes logs by inspect itself: python by_inspect.py FOLDER ITEM…; two epochs of each item, in both formats."""

import sys

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match

folder, *items = sys.argv[1:]
for form in ("eval", "json"):
    replies = [ModelOutput.from_content("mockllm/model", "Yes.") for _ in range(2 * len(items))]
    for reply in replies:
        reply.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)  # counting them needs the net
    task = Task(dataset=[Sample(id=item, input="Is it red?", target="yes") for item in items], scorer=match())
    model = get_model("mockllm/model", custom_outputs=replies)
    eval(task, model=model, epochs=2, log_dir=folder, log_format=form, display="none")
