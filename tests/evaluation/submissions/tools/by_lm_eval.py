"""Writes samples by lm-eval itself: python by_lm_eval.py FOLDER ITEM…; two repeats of each item, by two filters."""

import json
import sys
import tempfile
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.api.model import LM
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

folder, *items = sys.argv[1:]
made = Path(tempfile.mkdtemp())
(made / "items.jsonl").write_text("".join(json.dumps({"id": item, "target": "yes"}) + "\n" for item in items))
TASK = {
    "task": "red",
    "dataset_path": "json",
    "dataset_kwargs": {"data_files": {"test": str(made / "items.jsonl")}},
    "test_split": "test",
    "output_type": "generate_until",
    "doc_to_text": "Is it red?",
    "doc_to_target": "{{target}}",
    "repeats": 2,
    "generation_kwargs": {"until": ["\n\n"], "do_sample": True},
    "filter_list": [
        {"name": "first", "filter": [{"function": "take_first"}]},
        {"name": "lower", "filter": [{"function": "lowercase"}, {"function": "take_first"}]},
    ],
    "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
}


class SaysYes(LM):
    """Answers "Yes." to everything."""

    def generate_until(self, requests, **options):
        return ["Yes." for _ in requests]

    def loglikelihood(self, requests, **options):
        return [(-0.5, True) for _ in requests]

    loglikelihood_rolling = loglikelihood


found = simple_evaluate(model=SaysYes(), tasks=[TASK], task_manager=TaskManager(), log_samples=True)
tracker = EvaluationTracker(output_path=str(Path(folder) / "out.json"))
tracker.date_id = "today"
tracker.save_results_samples("red", found["samples"]["red"])
