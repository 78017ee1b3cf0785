"""`truth.csv`: which clips break, when and how. Only of clips that were made to have known faults is it known."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.files.table_text import csv_table
from extensions.generated.clipsets.findings import ClipSetFinding, error

NAME = "truth.csv"
COLUMNS = ("prompt", "take", "is_broken", "kind", "onset", "visible_from", "severity")
BROKEN = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False}
KINDS = ("passes", "vanishes", "falls", "moves", "reacts", "bends", "turns", "look")  # of breaks
SECONDS = r"(\d{1,5}(\.\d{1,9})?)?"
Truths = dict[tuple[str, str], dict[str, Any]]  # (prompt, take) -> what is true of its clip


def read_truths(text: str, clips: Collection[tuple[str, str]]) -> tuple[Truths, list[ClipSetFinding]]:
    """What is true of each of these clips, by prompt and take, and what is wrong with the lines."""
    truths, findings = Truths(), list[ClipSetFinding]()
    try:
        columns, lines = csv_table(NAME, text)
        if missing := [name for name in COLUMNS if name not in columns]:
            return {}, [error(f"{NAME}, line 1", "truth", f"has no column {missing[0]}; it needs {', '.join(COLUMNS)}")]
        for line, cells in lines:
            place = f"{NAME}, line {line}"
            key = cells["prompt"].strip(), cells["take"].strip()
            if key not in clips or key in truths:
                findings.append(
                    error(place, "truth", f"{'again' if key in truths else 'no clip of'} {' '.join(key)!r}")
                )
                continue
            truths[key], wrong = _truth(cells)
            findings += [error(place, "truth", what) for what in wrong]
    except BadDefinition as broken:
        findings += [error(f"{NAME}, line {mistake.line}", "truth", mistake.what) for mistake in broken.mistakes]
    findings += [error(NAME, "truth", f"no line for {' '.join(key)!r}") for key in clips if key not in truths]
    return truths, findings


def _truth(cells: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """One clip's truth, and what is wrong with its line."""
    is_broken = BROKEN.get(cells["is_broken"].strip().lower())
    if not is_broken:
        wrong = [] if is_broken is False else [f"is_broken is {cells['is_broken']!r}; it can be 0 or 1"]
        return {"is_broken": False, "kind": "", "onset": None, "visible_from": None, "severity": None}, wrong
    texts = {name: cells[name].strip() for name in COLUMNS[3:]}
    limits = {"kind": "|".join(KINDS), "severity": "[123]", "onset": SECONDS, "visible_from": SECONDS}
    wrong = [f"{name} is {texts[name]!r}" for name, form in limits.items() if not re.fullmatch(form, texts[name])]
    if wrong:
        return {}, wrong
    seconds = {name: float(texts[name]) if texts[name] else None for name in ("onset", "visible_from")}
    return {"is_broken": True, "kind": texts["kind"], **seconds, "severity": int(texts["severity"])}, []
