"""One long table, the scripts that run the registered analysis on it in R and Python, and the table of all events."""

import inspect
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from importlib import import_module
from operator import itemgetter
from pathlib import Path
from typing import Any

from django.db.models import QuerySet

from benchmarks.disclosure import with_expected
from benchmarks.packs.clusters import are_dependent, are_dyads, labels_by_item
from humantrials.assignment.item_pool import groups_of
from humantrials.judging.exclusion_rules import people_out
from humantrials.models import ClipFetch, Judgment, SheetEvent, Trial
from humantrials.models.participants import TAKING_PART
from humantrials.permissions import results_reader
from humantrials.planning.preregistration import formulas_of, link_of
from humantrials.planning.second_round import answer_weights, has_second_round, replicates_of
from humantrials.protocols import find_protocol
from humantrials.results.judgments import is_mean, rated_confidence
from measures.scores.scoring import exact_match

LONG = {
    "participant": "number of the person",
    "item": "public id of the item",
    "test": "the test that the item belongs to",
    "condition": "what was shown",
    "sheet": "number of the sheet, from 0",
    "trial_number": "place of the item on the sheet, from 1",
    "answer": "what the person answered",
    "expected": "the right answer; empty = not known here",
    "correct": "1 = right, 0 = wrong, empty = the right answer is not known",
    "says_yes": "1 = the answer is yes, 0 = it is another one",
    "is_yes": "1 = the right answer is yes, 0 = it is another one, empty = it is not known",
    "seconds": "time to the answer, as the page measured it",
    "in_primary": "1 = the primary exclusion leaves the person in",
    "chance": "how often a guess is right, from 0 to 1",
}
LABELS = {
    "label": "number of the item's first clip, or of its group; items with the same number depend on each other",
    "other_label": "the same of its last clip",
}
ROUNDS = {
    "round": "1 or 2; the second asked more often where people disagreed in the first",
    "weight": "weight of the answer in the share of right answers, with every item counted alike; 1 an item",
}
CONFIDENCE = {"confidence": "how sure the person was, in steps from 1; empty = did not say"}
COLUMNS = ("participant", "item_id", "item__public_id", "slot__condition", "slot__sheet__order", "slot__position")
ANSWERED = ("answer", "expected", "seconds", "item__options")


def long_columns(trial: Trial) -> dict[str, str]:
    """The columns of this trial's table and their meanings."""
    rounds = ROUNDS if has_second_round(trial) else {}
    labels = LABELS if are_dependent(trial.pack.benchmark) else {}
    return LONG | labels | rounds | (CONFIDENCE if trial.settings.get("confidence") else {})


def long_rows(trial: Trial, names: Mapping[int, str]) -> Iterator[tuple[Any, ...]]:
    """Yield the header, then one row for each counted answer but abstentions. `names` by participant."""
    yield tuple(long_columns(trial))
    rated = ("confidence",) if trial.settings.get("confidence") else ()
    protocol, out = find_protocol(trial.protocol), people_out(trial)
    counted = trial.judgments.filter(counts=True)
    if protocol.analysis.abstain:
        counted = counted.exclude(answer=protocol.analysis.abstain)
    items = set(counted.values_list("item_id", flat=True))
    groups, labels = groups_of(protocol, items), _labels(trial, items)
    rounds = _rounds(trial, counted, out) if has_second_round(trial) else {}
    known = with_expected(counted.annotate(confidence=rated_confidence()), to=results_reader(trial), item="item")
    rows = known.order_by("slot__sheet__order", "slot__position").values_list(*COLUMNS, *ANSWERED, *rated)
    for person, item, public_id, condition, sheet, position, *own in rows.iterator(2000):
        answer, expected, seconds, options, *confidence = own
        yield (
            names[person],
            public_id,
            groups.get(item, ""),
            condition,
            sheet,
            position + 1,
            *_scored(answer, expected),
            seconds,
            int(person not in out),
            1 / len(options) if options else 0,
            *labels.get(item, ()),
            *rounds.get((item, sheet), ()),
            *confidence,
        )


def _scored(answer: str, expected: str | None) -> tuple[Any, ...]:
    """The columns from `answer` to `is_yes`."""
    says_yes = int(answer == "yes")
    if expected is None:
        return answer, None, None, says_yes, None
    return answer, expected, int(exact_match(answer, expected)), says_yes, int(expected == "yes")


def _labels(trial: Trial, items: Collection[int]) -> dict[int, tuple[int, ...]]:
    """The labels of each item, numbered from 1; {} where items depend on no other."""
    if not are_dependent(trial.pack.benchmark):
        return {}
    found = labels_by_item(items, benchmark=trial.pack.benchmark)
    numbers = {
        label: number for number, label in enumerate(sorted({one for both in found.values() for one in both}), 1)
    }
    return {item: tuple(numbers[label] for label in both) for item, both in found.items()}


def _rounds(trial: Trial, counted: QuerySet[Judgment], out: set[int]) -> dict[tuple[int, int], tuple[int, float]]:
    """Round and weight of each counted answer, by item and sheet; answers of excluded people weigh nothing."""
    columns = ("item_id", "slot__sheet__order", "slot__replicate", "participant")
    rows = list(counted.order_by("pk").values_list(*columns))
    included = [(item, sheet, replicate) for item, sheet, replicate, person in rows if person not in out]
    found = answer_weights(trial, [(item, replicate) for item, _, replicate in included])
    weights = {(item, sheet): weight for (item, sheet, _), weight in zip(included, found, strict=True)}
    first = replicates_of(trial)
    return {
        (item, sheet): (1 + (replicate >= first), round(weights.get((item, sheet), 0.0), 6))
        for item, sheet, replicate, _ in rows
    }


def note_of(trial: Trial) -> str:
    """A comment on what the models leave out; "" if nothing."""
    if not are_dyads(trial.pack.benchmark):
        return ""
    return "# Items here are pairs that share objects; an effect of the item alone makes intervals too narrow.\n"


IN_R = Path(__file__).parents[1] / "assets/human_row.R"
COPIES = (  # of the site's own modules, which the Python script needs beside it
    "humantrials.results.human_row",
    "measures.figures",
    "measures.estimate.people",
    "measures.scores.number_answers",
    "measures.scores.scoring",
    "measures.shares.crossed",
    "measures.shares.intervals",
    "measures.shares.majorities",
)
DOOR = """from measures.estimate.people import figure_of_answers, figure_of_votes
from measures.shares.majorities import VotedItem, voters_of
"""


def modules() -> dict[str, str]:
    """What the scripts need beside them, by path: the site's modules, as they are, and their counterpart in R."""
    copies = {name.removeprefix("humantrials.results."): inspect.getsource(import_module(name)) for name in COPIES}
    found = {f"{name.replace('.', '/')}.py": text for name, text in copies.items()}
    return found | {"measures/estimate/__init__.py": DOOR, "human_row.R": IN_R.read_text()}


def in_r(trial: Trial, path: str) -> str:
    """A script that prints the study's row and fits the models with lme4."""
    fits = [
        f'{outcome} <- glmer({outcome} ~ {right}, data = d, family = binomial("{link_of(outcome)}"))\n'
        f"print(summary({outcome}))"
        for outcome, right in formulas_of(find_protocol(trial.protocol)).items()
    ]
    head = f"""# Rscript registered.R, in this folder; needs lme4
library(lme4)
source("human_row.R")

print_rows("../{path}", is_mean = {str(is_mean(trial)).upper()})

d <- subset(read_table("../{path}"), in_primary == 1 & !is.na(correct))
d$condition <- factor(d$condition)
"""
    return f"{note_of(trial)}{head}{_about(trial)}" + "\n".join(fits) + "\n"


def in_python(trial: Trial, path: str) -> str:
    """A script that prints the study's row and fits the models with bambi."""
    fits = [
        f'{outcome} = bmb.Model("{outcome} ~ {right.replace(" | ", "|")}", d, family="bernoulli",'
        f' link="{link_of(outcome)}").fit(random_seed=1, cores=1)\n'
        f'print(az.summary({outcome}, kind="stats").to_string())'
        for outcome, right in formulas_of(find_protocol(trial.protocol)).items()
    ]
    head = f"""# python registered.py; pip install bambi "matplotlib<3.11" (which bambi 0.17 and arviz 0.23 need)
from pathlib import Path

from human_row import lines_of

TABLE = Path(__file__).parent / "../{path}"
print(*lines_of(TABLE, is_mean={is_mean(trial)}), sep="\\n", flush=True)

try:
    import arviz as az
    import bambi as bmb
    import pandas as pd
except ImportError as error:
    raise SystemExit(f"The mixed models need bambi: {{error}}") from None

d = pd.read_csv(TABLE, keep_default_na=False, na_values=[""])
d = d[d.in_primary == 1].dropna(subset=["correct"])
"""
    return f"{note_of(trial)}{head}{_about(trial)}" + "\n".join(fits) + "\n"


def _about(trial: Trial) -> str:
    lines = ["correct: the logit of being right, with people and items as samples."]
    if "says_yes" in formulas_of(find_protocol(trial.protocol)):
        lines.append("says_yes: signal detection; the slope of is_yes is d', minus the mid-point is the criterion.")
    return "".join(f"# {line}\n" for line in lines)


EVENTS = {
    "seconds": "time since the first event of the study",
    "what": "study, sheet, person, or clip requested for the first time",
    "event": "what happened",
    "participant": "number of the person, where it concerns one",
    "sheet": "number of the sheet, from 0, where it concerns one",
    "epoch": "how often the sheet had changed hands",
    "item": "public id of the item of a requested clip",
}
MILESTONES = {"created_at": "arrived", "consented_at": "agreed", "repair_at": "to repair", "finished_at": "finished"}


def event_rows(trial: Trial, names: Mapping[int, str]) -> Iterator[tuple[Any, ...]]:
    """Yield the header, then the events by time; notes of authors, which may name people, are left out."""
    yield tuple(EVENTS)
    found = sorted((*_of_study(trial), *_of_sheets(trial), *_of_people(trial, names)), key=itemgetter(0))
    for at, *rest in found:
        yield (round((at - found[0][0]).total_seconds(), 3), *rest)


Happening = tuple[datetime, str, str, str, int | None, int | None, str]


def _of_study(trial: Trial) -> Iterator[Happening]:
    for at, kind in trial.events.values_list("at", "kind"):
        yield at, "study", kind, "", None, None, ""


def _of_sheets(trial: Trial) -> Iterator[Happening]:
    rows = SheetEvent.objects.filter(sheet__trial=trial).values_list("at", "kind", "sheet__order", "epoch")
    for at, kind, sheet, epoch in rows:
        yield at, "sheet", kind, "", sheet, epoch, ""


def _of_people(trial: Trial, names: Mapping[int, str]) -> Iterator[Happening]:
    people = trial.participants.filter(kind__in=TAKING_PART)
    for pk, *times in people.values_list("pk", *MILESTONES):
        for event, at in zip(MILESTONES.values(), times, strict=True):
            if at:
                yield at, "person", event, names[pk], None, None, ""
    fetches = ClipFetch.objects.filter(participant__in=people)
    for at, pk, item in fetches.values_list("at", "participant", "item__public_id"):
        yield at, "clip", "requested", names[pk], None, None, item
