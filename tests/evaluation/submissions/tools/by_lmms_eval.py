"""Writes samples by lmms-eval itself: python by_lmms_eval.py FOLDER ITEM…; two repeats of each item.

It leaves the questions out of its file; as in its own tasks what the metric gets names the item.
"""

import json
import sys
import tempfile
from pathlib import Path

from lmms_eval.api.task import ConfigurableMessagesTask
from lmms_eval.evaluator import simple_evaluate
from lmms_eval.loggers import EvaluationTracker
from lmms_eval.models.simple.dummy import Dummy

folder, *items = sys.argv[1:]
made = Path(tempfile.mkdtemp())
(made / "items.jsonl").write_text("".join(json.dumps({"id": item, "target": "yes"}) + "\n" for item in items))
TASK = {
    "task": "red",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": str(made / "items.jsonl")}},
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_visual": lambda doc: [],
    "doc_to_text": lambda doc: "Is it red?",
    "doc_to_target": "target",
    "repeats": 2,
    "generation_kwargs": {"until": ["\n\n"]},
    "process_results": lambda doc, results: {"red": {"id": doc["id"], "score": float(results[0] == "Yes.")}},
    "metric_list": [{"metric": "red", "aggregation": lambda each: len(each), "higher_is_better": True}],
}
found = simple_evaluate(
    model=Dummy(response="Yes."), tasks=[ConfigurableMessagesTask(config=TASK)], repeats=2, bootstrap_iters=0
)
tracker = EvaluationTracker(output_path=folder)
tracker.date_id = "today"
tracker.general_config_tracker.model_name_sanitized = "dummy"
tracker.save_results_samples("red", found["samples"]["red"])
