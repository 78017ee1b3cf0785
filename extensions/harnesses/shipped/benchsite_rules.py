"""Reads and scores replies as the site does: `scorer/` beside this file holds its own modules."""

import json
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluation.parsing import PARSERS
from evaluation.replies import read, reply_of
from evaluation.submissions.files.native.harness_samples import HarnessSample
from measures.scores.parsed_answers import ParserContext
from measures.scores.scoring import exact_match


class TaskRules:
    """One exported task: its facts, questions and labels."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        self.facts: dict[str, Any] = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))[name]

    @cached_property
    def labels(self) -> dict[str, ParserContext]:
        """The labels that may be told, by item, with what the parser needs."""
        known = json.loads((self.folder / "labels" / f"{self.name}.json").read_text(encoding="utf-8"))
        return {item: ParserContext(**{**row, "options": tuple(row["options"])}) for item, row in known.items()}

    def items(self) -> list[dict[str, Any]]:
        """The questions: `item`, `system`, and `turns` with the paths of clips."""
        lines = (self.folder / "items" / f"{self.name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [{**row, "turns": json.loads(row["turns"])} for row in map(json.loads, lines)]

    def score(self, item: str, sample: HarnessSample) -> tuple[str | None, float | None]:
        """The answer in the sample's first reply, and its score; no score where the label is not here."""
        context = self.labels.get(item)
        if context is None or not sample.replies:
            return None, None
        answer = read(PARSERS[self.facts["parser"]], reply_of(sample.replies[0]), context).answer
        return answer, exact_match(answer, context.expected)
