"""One row a judgment, and a codebook beside it that says what each column means."""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import attrgetter as get
from pathlib import Path
from typing import Any

from humantrials.exclusion import people_out, rules_of
from humantrials.models import Judgment, ParticipantState, Trial
from humantrials.protocols import find_protocol
from measures.scoring import exact_match

UTC = "%Y-%m-%dT%H:%M:%S.%fZ"
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes such a text for a formula


@dataclass(frozen=True)
class Column:
    """One column of the export and its line in the codebook."""

    name: str
    meaning: str
    value: Callable[[Judgment], Any]


FIXED = (
    Column("trial", "the trial's name", get("trial.slug")),
    Column("simulated", "1 = a program took part; says nothing about people", get("trial.is_simulated")),
    Column("participant", "random code of the person", get("participant.code")),
    Column("language", "language of the person's pages", get("participant.language")),
    Column("consent", "version of the consent that was agreed to", get("participant.consent_version")),
    Column("buttons_swapped", "1 = the person saw the buttons the other way round", get("participant.answers_swapped")),
    Column("excluded", "1 = the person was excluded", lambda judgment: _is_excluded(judgment)),
    Column("sheet", "number of the sheet, from 0", get("slot.sheet.order")),
    Column("epoch", "how often the sheet had changed hands when this was answered", get("epoch")),
    Column("position", "place of the clip on the sheet, from 0", get("slot.position")),
    Column("item", "public id of the item", get("item.public_id")),
    Column("test", "the test that the item belongs to", lambda judgment: _facet(judgment, "test")),
    Column("polarity", "which half of the test it belongs to", lambda judgment: _facet(judgment, "polarity")),
    Column("condition", "what was shown", get("slot.condition")),
    Column("replicate", "which of the answers wanted to this item, from 0", get("slot.replicate")),
    Column("answer", "what the person answered", get("answer")),
    Column("expected", "the right answer", get("item.expected")),
    Column("abstained", "1 = no answer, but that the question is not clear", lambda judgment: _is_none(judgment)),
    Column("correct", "1 = right, 0 = wrong, empty = abstained", lambda judgment: _is_right(judgment)),
    Column("counts", "1 = counted: the sheet was finished by its holder", get("counts")),
    Column("surplus", "1 = kept but not counted: the sheet was somebody else's by then", get("is_surplus")),
    Column("answered_at", "when the answer arrived, UTC", lambda judgment: judgment.created_at.strftime(UTC)),
)  # fmt: skip
FLAGS = Column(
    "flags", "what is doubtful about the answer", lambda judgment: " ".join(judgment.playback.get("flags", ()))
)


def columns_of(trial: Trial) -> tuple[Column, ...]:
    """The fixed columns, whom the results leave out, then what the protocol's pages record."""
    records = find_protocol(trial.protocol).trial_type.records
    recorded = (_recorded(record.name, record.meaning, record.is_column) for record in records)
    return (*FIXED, *(_included(trial, name) for name in ("primary", "strict")), *recorded, FLAGS)


def _included(trial: Trial, exclusion: str) -> Column:
    """Where nobody is left out, what counts is in `counts`."""
    out, rules = people_out(trial, exclusion), [f"whoever {rule.says}" for rule in rules_of(trial, exclusion)]
    meaning = f"1 = counts, and the exclusion {exclusion} leaves the person in; out is {' or '.join(rules) or 'nobody'}"
    return Column(f"in_{exclusion}", meaning, lambda judgment: judgment.counts and judgment.participant_id not in out)


def _is_excluded(judgment: Judgment) -> bool:
    return judgment.participant.state == ParticipantState.EXCLUDED


def _is_none(judgment: Judgment) -> bool:
    abstain = find_protocol(judgment.trial.protocol).abstain
    return bool(abstain) and judgment.answer == abstain


def _is_right(judgment: Judgment) -> int | None:
    return None if _is_none(judgment) else int(exact_match(judgment.answer, judgment.item.expected))


def _recorded(name: str, meaning: str, is_column: bool) -> Column:
    if is_column:
        return Column(name, meaning, get(name))
    return Column(name, meaning, lambda judgment: judgment.playback.get(name))


def _facet(judgment: Judgment, name: str) -> str:
    return "+".join(judgment.item.facet_values(name))


def judgment_rows(trial: Trial) -> Iterator[tuple[Any, ...]]:
    """Yield the header, then one row a judgment; never holds them all."""
    columns = columns_of(trial)
    yield tuple(column.name for column in columns)
    found = trial.judgments.select_related("trial", "participant", "slot__sheet", "item").prefetch_related(
        "item__facets"
    )
    for judgment in found.order_by("slot__sheet__order", "participant__code", "slot__position").iterator(
        chunk_size=2000
    ):
        yield tuple(_plain(column.value(judgment)) for column in columns)


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


def defused(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def write_csv(rows: Iterator[tuple[Any, ...]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([defused(value) for value in row] for row in rows)


def write_jsonl(rows: Iterator[tuple[Any, ...]], path: Path) -> None:
    names = next(rows)
    with path.open("w", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) + "\n")


def write_xlsx(rows: Iterator[tuple[Any, ...]], path: Path) -> None:
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    sheet = book.create_sheet("judgments")
    for row in rows:
        sheet.append([defused(value) for value in row])
    book.save(path)


WRITERS = {"csv": write_csv, "jsonl": write_jsonl, "xlsx": write_xlsx}


def codebook(trial: Trial) -> str:
    """What the trial is, and every column in one line."""
    protocol = find_protocol(trial.protocol)
    head = [
        f"# Codebook of {trial.slug}",
        "",
        f"Protocol {protocol.name}, consent {protocol.consent.version}, pack {trial.pack}, seed {trial.seed},",
        f"design {trial.design_hash}.",
        *(["", "**Simulated people.** A program took part; no person answered."] if trial.is_simulated else []),
        "",
        "| column | meaning |",
        "|---|---|",
    ]
    return "\n".join([*head, *(f"| {column.name} | {column.meaning} |" for column in columns_of(trial))]) + "\n"


def write_export(trial: Trial, kind: str, path: Path) -> Path:
    """Write the rows to `path` and the codebook beside them; give the codebook's path."""
    WRITERS[kind](judgment_rows(trial), path)
    beside = path.with_name(f"{path.stem}-codebook.md")
    beside.write_text(codebook(trial), encoding="utf-8")
    return beside
