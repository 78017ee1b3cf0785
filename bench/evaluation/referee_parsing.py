"""Speed of parsing referee replies: parses the tests' corpus repeatedly, 10,000 replies in all.

`python -m bench.evaluation.referee_parsing` prints one JSON object: replies, processor seconds, replies a second;
exit 1 below 10,000 a second.
"""

import json
import sys
import time
from itertools import cycle, islice
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests" / "evaluation" / "data" / "referee_replies.jsonl"
REPLIES, TARGET = 10_000, 10_000  # replies, replies a second


def main() -> int:
    from evaluation.referees.parse import verdict_of
    from evaluation.referees.rubrics import RUBRICS

    corpus = [json.loads(line) for line in CORPUS.open(encoding="utf-8")]
    replies = [(case["reply"], RUBRICS[f"giraffe-{case['rubric']}"]) for case in corpus]
    began, read = time.process_time(), 0
    for raw, rubric in islice(cycle(replies), REPLIES):
        read += bool(verdict_of(raw, rubric).scores)
    seconds = time.process_time() - began
    rate = REPLIES / seconds
    report = {"replies": REPLIES, "different": len(corpus), "read": read, "seconds": round(seconds, 3)}
    print(json.dumps(report | {"per_second": round(rate), "target": TARGET}))
    return 0 if rate >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
