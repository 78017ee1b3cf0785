"""Rubrics of referees as data: prompt, slots and dimensions. The prompts are stored verbatim beside this file.

Giraffe-Bench (arXiv 2310.13473) prints three evaluators: SGAE for items with one right answer, PPE for items with any
plausible continuation, MGAE for items of which one of several predictions must be right. PPE and MGAE have one wording
per data set.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PROMPTS = Path(__file__).parent / "prompts"
ANSWER = "answer"  # the slot for the judged model's reply


@dataclass(frozen=True)
class Dimension:
    """A scored dimension: integer or decimal points from 0 to `highest`, under the label that the prompt uses."""

    name: str
    label: str
    highest: int = 5


@dataclass(frozen=True)
class Rubric:
    """A way of scoring. `slots` maps each name in the prompt's braces to the fact that replaces it.

    `datasets` are the values of the facet `test` of the items that it scores by default. `ours` names the parts that no
    paper prints. Bump `version` whenever a score could move.
    """

    name: str
    title: str
    slots: Mapping[str, str]
    dimensions: tuple[Dimension, ...]
    source: str
    benchmark: str = ""
    datasets: tuple[str, ...] = ()
    version: str = "1"
    ending: str = ""
    ours: str = ""

    @cached_property
    def prompt(self) -> str:
        return (PROMPTS / f"{self.name}.txt").read_text(encoding="utf-8").rstrip("\n") + self.ending

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.prompt.encode()).hexdigest()

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts about an item that must be known, besides the reply."""
        return tuple(fact for fact in self.slots.values() if fact != ANSWER)

    def fill(self, facts: Mapping[str, str]) -> str:
        """The prompt with every slot filled in one pass, so that braces in a reply are left alone."""
        slot = re.compile("|".join(re.escape("{" + name + "}") for name in self.slots))
        return slot.sub(lambda found: facts[self.slots[found[0][1:-1]]], self.prompt)


ACCURACY = Dimension("accuracy", "Accuracy")
RIGHT_OR_WRONG = Dimension("accuracy", "Accuracy", highest=1)
LOGIC = Dimension("logical-consistency", "Logical Consistency")
SPECIFICITY = Dimension("specificity", "Specificity")
PLAUSIBILITY = Dimension("plausibility", "Plausibility")
DIVERSITY = Dimension("diversity", "Diversity")

MGAE_SLOTS = {"sentence_text": ANSWER, "ground_truth_text": "truth"}
NO_BRACES = "The paper prints the slots without braces."

RUBRICS = {
    rubric.name: rubric
    for rubric in (
        Rubric(
            "giraffe-sgae", "Single gold answer (SGAE)", {"pattern": "pattern", "pred": "pred", ANSWER: ANSWER},
            (LOGIC, ACCURACY, SPECIFICITY), "Zhu et al. 2023, abstract patterns", "giraffe",
            ("human-made", "automated"),
            ending="\n\n<P>: {pattern} {pred}\n\n<A>: {answer}\n",
            ours="Where <P> and <A> themselves stand is not printed: they follow the prompt.",
        ),
        Rubric(
            "giraffe-ppe-activitynet", "Probabilistic prediction (PPE), ActivityNet Captions",
            {"context image captions": "captions", "model answer": ANSWER}, (PLAUSIBILITY, SPECIFICITY, DIVERSITY),
            "Zhu et al. 2023, human activity", "giraffe", ("activitynet",), ours=NO_BRACES,
        ),
        Rubric(
            "giraffe-ppe-charades", "Probabilistic prediction (PPE), Charades",
            {"captions": "captions", ANSWER: ANSWER}, (PLAUSIBILITY, SPECIFICITY, DIVERSITY),
            "Zhu et al. 2023, human activity", "giraffe", ("charades",), ours=NO_BRACES,
        ),
        Rubric(
            "giraffe-mgae-clevrer", "Multiple gold answers (MGAE), CLEVRER",
            {**MGAE_SLOTS, "object_descriptions": "attributes"}, (SPECIFICITY, LOGIC, RIGHT_OR_WRONG),
            "Zhu et al. 2023, physical interaction", "giraffe", ("clevrer",),
            ours="The requested reply lines are garbled in print; their numbering is left out.",
        ),
        Rubric(
            "giraffe-mgae-roboset", "Multiple gold answers (MGAE), RoboSet (Teleoperation)",
            {**MGAE_SLOTS, "object_descriptions": "actions"}, (LOGIC, RIGHT_OR_WRONG),
            "Zhu et al. 2023, physical interaction", "giraffe", ("roboset",),
            ours="The braces around object_descriptions are not printed.",
        ),
        Rubric(
            "expected-match", "Same as the expected answer", {"question": "question", "expected": "expected",
            ANSWER: ANSWER}, (RIGHT_OR_WRONG,), "this site", ours="All of it: for free answers of any benchmark.",
        ),
    )
}  # fmt: skip
