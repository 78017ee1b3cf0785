"""Export of judgments, one row each, with a codebook that explains every column."""

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter as get
from pathlib import Path
from typing import Any

from benchmarks.disclosure import with_expected
from humantrials.judging.exclusion_rules import people_out, rules_of
from humantrials.models import Judgment, ParticipantState, Trial
from humantrials.permissions import results_reader
from humantrials.planning.between_clips import follow_ups_by
from humantrials.protocols import find_protocol
from humantrials.protocols.scales import scale_of
from humantrials.results.evidence_columns import MOMENT, REQUESTED_AT, SINCE_REQUEST, Column, evidence_columns
from humantrials.results.moments import moment_columns
from measures.scores.scoring import exact_match
from measures.spreadsheet_cells import defused

REASON = "why"  # free text


@dataclass(frozen=True)
class ExportColumn:
    """One column of the export and its line in the codebook."""

    name: str
    meaning: str
    value: Callable[[Judgment], Any]


def _is_none(judgment: Judgment) -> bool:
    abstain = find_protocol(judgment.trial.protocol).analysis.abstain
    return bool(abstain) and judgment.answer == abstain


def _is_right(judgment: Judgment) -> int | None:
    expected: str | None = judgment.expected  # type: ignore[attr-defined]  # annotated by judgment_rows
    is_scored = not find_protocol(judgment.trial.protocol).analysis.by_moment and expected is not None
    return None if _is_none(judgment) or not is_scored else int(exact_match(judgment.answer, expected))


def _facet(judgment: Judgment, name: str) -> str:
    return "+".join(judgment.item.facet_values(name))


FIXED = (
    ExportColumn("trial", "the trial's name", get("trial.slug")),
    ExportColumn("simulated", "1 = a program took part; says nothing about people", get("trial.is_simulated")),
    ExportColumn("participant", "random code of the person", get("participant.code")),
    ExportColumn("language", "language of the person's pages", get("participant.language")),
    ExportColumn("consent", "version of the consent that was agreed to", get("participant.consent_version")),
    ExportColumn(
        "buttons_swapped", "1 = the person saw the buttons the other way round", get("participant.answers_swapped")
    ),
    ExportColumn(
        "excluded",
        "1 = the person was excluded",
        lambda judgment: judgment.participant.state == ParticipantState.EXCLUDED,
    ),
    ExportColumn("sheet", "number of the sheet, from 0", get("slot.sheet.order")),
    ExportColumn("epoch", "how often the sheet had changed hands when this was answered", get("epoch")),
    ExportColumn("position", "place of the clip on the sheet, from 0", get("slot.position")),
    ExportColumn("item", "public id of the item", get("item.public_id")),
    ExportColumn("test", "the test that the item belongs to", lambda judgment: _facet(judgment, "test")),
    ExportColumn("polarity", "which half of the test it belongs to", lambda judgment: _facet(judgment, "polarity")),
    ExportColumn("condition", "what was shown", get("slot.condition")),
    ExportColumn("replicate", "which of the answers wanted to this item, from 0", get("slot.replicate")),
    ExportColumn("answer", "what the person answered", get("answer")),
    ExportColumn("expected", "the right answer; empty = not known here", get("expected")),
    ExportColumn("abstained", "1 = said that the question is not clear", _is_none),
    ExportColumn("correct", "1 = right, 0 = wrong, empty = none, a moment, or not known", _is_right),
    ExportColumn("counts", "1 = counted: its holder finished the sheet, and it was seen", get("counts")),
    ExportColumn("surplus", "1 = stored, not counted: somebody else's answer counts or may", get("is_surplus")),
    ExportColumn("answered_at", "when the answer arrived, UTC", lambda judgment: judgment.created_at.strftime(MOMENT)),
)
FLAGS = ExportColumn(
    "flags", "what is doubtful about the answer", lambda judgment: " ".join(judgment.playback.get("flags", ()))
)


def columns_of(trial: Trial) -> tuple[ExportColumn, ...]:
    """The fixed columns, the exclusions, then the fields that the protocol's pages record."""
    records = find_protocol(trial.protocol).player.trial_type.records
    recorded = (_recorded(record.name, record.meaning, record.is_column) for record in records)
    found = {**follow_up_columns(trial), **evidence_columns(trial)}
    if find_protocol(trial.protocol).analysis.by_moment:
        found |= moment_columns()
    beyond = [ExportColumn(name, *column) for name, column in found.items()]
    return (*FIXED, *(_included(trial, name) for name in ("primary", "strict")), *recorded, FLAGS, *beyond)


def _included(trial: Trial, exclusion: str) -> ExportColumn:
    """The column of one exclusion; `counts` tells what counts without exclusions."""
    out, rules = people_out(trial, exclusion), [f"people who {rule.says}" for rule in rules_of(trial, exclusion)]
    left_out = " or ".join(rules) or "nobody"
    meaning = f"1 = counts, and the exclusion {exclusion} leaves the answer in; left out: {left_out}"

    def is_in(judgment: Judgment) -> bool:
        return judgment.counts and judgment.participant_id not in out

    return ExportColumn(f"in_{exclusion}", meaning, is_in)


def _recorded(name: str, meaning: str, is_column: bool) -> ExportColumn:
    if is_column:
        return ExportColumn(name, meaning, get(name))
    return ExportColumn(name, meaning, lambda judgment: judgment.playback.get(name))


def anonymous_columns(trial: Trial, names: Mapping[int, str]) -> tuple[ExportColumn, ...]:
    """The columns without random codes, times of day and free text; `names` by participant."""
    instead = {
        "participant": ExportColumn(
            "participant", "random number of the person", lambda judgment: names[judgment.participant_id]
        ),
        "answered_at": ExportColumn("answered_after", "seconds from the consent to the answer's arrival", _after),
        "problem": ExportColumn(
            "problem", "1 = the person reported a problem", lambda judgment: bool(judgment.playback.get("problem"))
        ),
    }
    columns = columns_of(trial)
    for column in columns:
        if column.name == REASON:
            instead[REASON] = _answered_column(column)
        if column.name == SINCE_REQUEST:
            instead[REQUESTED_AT] = _requested_column(column)
    return tuple(instead.get(column.name, column) for column in columns)


def _answered_column(column: ExportColumn) -> ExportColumn:
    """Replace free text by whether there is any; empty if the person was not asked."""

    def has_reason(judgment: Judgment) -> bool | None:
        text = column.value(judgment)
        return None if text is None else bool(text)

    return ExportColumn("said_why", "1 = the person gave a reason, 0 = gave none, empty = was not asked", has_reason)


def _requested_column(since: ExportColumn) -> ExportColumn:
    """Replace the time of day of a clip's request by the seconds from the consent; `since` has those to the answer."""

    def after(judgment: Judgment) -> float | None:
        arrived, waited = _after(judgment), since.value(judgment)
        return None if arrived is None or waited is None else round(arrived - waited, 1)

    meaning = "seconds from the consent to the first request of its clip; of several clips or pictures the first"
    return ExportColumn("clip_requested_after", meaning, after)


def _after(judgment: Judgment) -> float | None:
    begun = judgment.participant.consented_at
    return round((judgment.created_at - begun).total_seconds(), 1) if begun else None


def judgment_rows(trial: Trial, columns: Sequence[ExportColumn] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the header, then one row per judgment; never holds them all. Without `columns` they are `columns_of`."""
    columns = columns or columns_of(trial)
    yield tuple(column.name for column in columns)
    found = (
        with_expected(trial.judgments.all(), to=results_reader(trial), item="item")
        .select_related("trial", "participant", "slot__sheet", "item")
        .prefetch_related("item__facets")
    )
    for judgment in found.order_by("slot__sheet__order", "participant__code", "slot__position").iterator(
        chunk_size=2000
    ):
        yield tuple(_plain(column.value(judgment)) for column in columns)


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, bool) else value


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


def codebook(trial: Trial, columns: Sequence[ExportColumn] = ()) -> str:
    """The trial's description, and one line per column."""
    protocol = find_protocol(trial.protocol)
    consent = protocol.screening.consent
    head = [
        f"# Codebook of {trial.slug}",
        "",
        f"Protocol {protocol.name}, consent {consent.version}, pack {trial.pack},",
        f"design {trial.design_hash}, drawn from {trial.source_of_draws}.",
        *(["", "**Simulated people.** A program took part; no person answered."] if trial.is_simulated else []),
        "",
        "| column | meaning |",
        "|---|---|",
    ]
    lines = (f"| {column.name} | {column.meaning} |" for column in columns or columns_of(trial))
    return "\n".join([*head, *lines]) + "\n"


def write_export(trial: Trial, kind: str, path: Path) -> Path:
    """Write the rows to `path` and the codebook beside it; return the codebook's path."""
    columns = columns_of(trial)
    WRITERS[kind](judgment_rows(trial, columns), path)
    beside = path.with_name(f"{path.stem}-codebook.md")
    beside.write_text(codebook(trial, columns), encoding="utf-8")
    return beside


def follow_up_columns(trial: Trial) -> dict[str, Column]:
    """The columns of this trial's follow-up questions; reads all their answers once."""
    scale, asks_why = scale_of(trial.settings), bool(trial.settings.get("why"))
    if not (scale or asks_why):
        return {}
    found = follow_ups_by(trial.participants.values_list("pk", flat=True))

    def follow_up(name: str, judgment: Judgment) -> float | str | None:
        return getattr(found.get((judgment.participant_id, judgment.slot.position)), name, None)

    columns: dict[str, Column] = {}
    if scale:
        meaning = f"how sure the person was, {scale.words}; empty = did not say"
        columns["confidence"] = (meaning, lambda one: follow_up("confidence", one))
    if asks_why:
        columns[REASON] = ("the person's reason; empty = none, or not asked", lambda one: follow_up("why", one))
    columns["follow_up_seconds"] = ("how long the person took to say so", lambda one: follow_up("seconds", one))
    return columns
