"""Runs exported tasks by inspect itself: python by_inspect.py REPLIES OUT FOLDER…

REPLIES has the reply to each item of each task. Writes a log a task, and `seen.json` with the messages of each item.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from inspect_ai import eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver._task_state import sample_state

replies, out, *folders = map(Path, sys.argv[1:])
known = json.loads(replies.read_text())
seen: dict[str, dict] = defaultdict(dict)


def answer(messages, _tools, _choice, _config):
    state = sample_state()
    task = CURRENT[0]
    is_last = sum(message.role == "user" for message in messages) > len(state.metadata["later_turns"])
    seen[task][state.sample_id] = [[one.role, [part_of(part) for part in parts_of(one)]] for one in messages]
    reply = ModelOutput.from_content("mockllm/model", known[task][state.sample_id] if is_last else "I see.")
    reply.usage = ModelUsage(input_tokens=5, output_tokens=1, total_tokens=6)  # counting them needs the net
    return reply


def parts_of(message):
    return message.content if isinstance(message.content, list) else [message.content]


def part_of(part):
    return ["text", part] if isinstance(part, str) else [part.type, part.text if part.type == "text" else ""]


CURRENT = [""]
scores = {}
for folder in folders:
    for task in json.loads((folder / "tasks.json").read_text()):
        CURRENT[0] = task
        model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
        (log,) = eval(
            f"{folder}/tasks.py@{task}",
            model=model,
            log_dir=str(out),
            log_images=False,
            display="none",
            log_format="json" if task.endswith("cot") else "eval",
        )
        assert log.status == "success", log.error
        scorer = log.results.scores[0] if log.results and log.results.scores else None
        (out / f"{task}.file").write_text(log.location)
        scores[task] = scorer.metrics["accuracy"].value if scorer else None
(out / "seen.json").write_text(json.dumps({"seen": seen, "scores": scores}))
