"""Writes docs/benchmarks/grasp-shortcuts.md from the stored results."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.shortcuts.cells import CONTROL, EXPLAINED, LOOKS, NOT_LEARNT, OF_THE_VIOLATION, REVEALED_BY_LAST_FRAME
from bench.shortcuts.prose import HEAD, HOW, PROFILES
from bench.shortcuts.studies import FRAMES, ROOT, Study, code_digest, level2_tests
from measures.multiple_comparisons import holm

PAGE = ROOT / "docs" / "benchmarks" / "grasp-shortcuts.md"
# In git, so that measuring one test again doesn't lose the others; git ignores the clips beside them.
RESULTS = PAGE.with_suffix("")
SIGNIFICANT, HIGHEST = 0.05, 0.65
FULL, FULL_FRAMES = 256, 128  # clips a class, unless the table says fewer
NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Cell:
    """One area of a table; `adjusted` is its Holm-corrected p-value, None if it is not part of the correction."""

    test: str
    sight: str
    found: dict[str, Any]
    adjusted: float | None
    is_old: bool

    @property
    def is_exempt(self) -> bool:
        return is_exempt(self.test, self.sight)

    @property
    def differs(self) -> bool:
        """Whether there is a shortcut: the area differs from one half after Holm's correction."""
        return self.adjusted is not None and self.adjusted < SIGNIFICANT

    @property
    def is_open(self) -> bool:
        """Whether the interval is too wide to exclude a relevant shortcut."""
        return self.adjusted is not None and not self.differs and self.found["high"] >= HIGHEST

    @property
    def misses(self) -> bool:
        return self.differs or self.is_open

    def __str__(self) -> str:
        low, high = self.found["low"], self.found["high"]
        text = f"{self.found['area']:.2f}" if low == high else f"{self.found['area']:.2f} ({low:.2f}–{high:.2f})"
        text = f"**{text}**" if self.differs else text
        marks = {"○": self.is_exempt, "▲": self.is_open, "‡": self.is_old}
        full = FULL_FRAMES if self.sight in FRAMES else FULL
        fewer = [f"n={self.found['clips']}"] if self.found["clips"] < full else []
        return " ".join([text, *(mark for mark, holds in marks.items() if holds), *fewer])


def is_exempt(test: str, sight: str) -> bool:
    return sight == "last" and test in REVEALED_BY_LAST_FRAME


def cells(studies: list[Study], out: Path, looks: list[str]) -> list[Cell]:
    """The measured cells of these studies, with Holm's correction over all cells of the target."""
    found = [
        (study, sight, results[sight], results["digest"] != code_digest(study.test))
        for study in studies
        if (results := study.results(out))
        for sight in looks
        if sight in results
    ]
    adjusted = holm([None if is_exempt(study.test, sight) else cell["p"] for study, sight, cell, _ in found])
    return [
        Cell(study.test, sight, cell, p, is_old)
        for (study, sight, cell, is_old), p in zip(found, adjusted, strict=True)
    ]


def learnt(controls: list[Cell]) -> list[str]:
    """Tests on which the control is above chance."""
    return [cell.test for cell in controls if (cell.adjusted or 0.0) < SIGNIFICANT and cell.found["area"] > 0.5]


def write(studies: list[Study], out: Path, page: Path = PAGE) -> list[str]:
    """Write the page; return descriptions of cells that miss the target in the corrected profile."""
    parts = [HEAD.format(date=time.strftime("%Y-%m-%d", time.gmtime())), HOW, _named_beforehand()]
    missed: list[str] = []
    for profile, words in PROFILES.items():
        own = [study for study in studies if study.profile == profile]
        tests, controls = cells(own, out, list(LOOKS)), cells(own, out, [CONTROL])
        parts += [f"## Profile `{profile}`\n\n{words}", _table(tests, controls), _verdict(profile, tests, controls)]
        if profile == "corrected":
            missed = [f"{cell.test}, {LOOKS[cell.sight]}: {cell.found['area']:.2f}" for cell in tests if cell.misses]
    page.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
    return missed


def _table(tests: list[Cell], controls: list[Cell]) -> str:
    by_place = {(cell.test, cell.sight): cell for cell in [*tests, *controls]}
    rows = [f"| no. | test | {' | '.join(LOOKS.values())} | whole clip |", f"|{'---|' * (len(LOOKS) + 3)}"]
    for name, test in level2_tests().items():
        row = [str(by_place.get((name, sight), NOT_MEASURED)) for sight in [*LOOKS, CONTROL]]
        rows.append(f"| {test.number} | `{name}` | {' | '.join(row)} |")
    return "\n".join(rows)


def _verdict(profile: str, tests: list[Cell], controls: list[Cell]) -> str:
    family = [cell for cell in tests if not cell.is_exempt]
    wanted = sum(not is_exempt(name, sight) for name in level2_tests() for sight in LOOKS)
    shortcuts, undecided = [cell for cell in family if cell.differs], [cell for cell in family if cell.is_open]
    lines = [
        f"Measured: {len(family)} of {wanted} cells that have to meet the target. "
        f"{len(family) - len(shortcuts)} do not differ from chance, {len(undecided)} of them with an upper limit of "
        f"{HIGHEST} or more. {len(shortcuts)} differ{':' if shortcuts else '.'}",
        "",
        *(f"* {_finding(profile, cell)}" for cell in shortcuts),
        *([""] if shortcuts else []),
        *_control(controls),
    ]
    return "\n".join(lines)


def _finding(profile: str, cell: Cell) -> str:
    p = cell.adjusted or 0.0
    text = f"`{cell.test}`, {LOOKS[cell.sight]}: p after Holm {'< 0.0001' if p < 0.0001 else f'= {p:.4f}'}."
    facts = []
    if telling := cell.found.get("telling"):
        facts.append(f"Columns that differ within pairs (in so many): {', '.join(telling[:5])}.")
    if sizes := cell.found.get("bytes"):
        facts.append(f"Mean size {sizes[0]:,} bytes plausible, {sizes[1]:,} implausible.")
    if reason := EXPLAINED.get((profile, cell.test, cell.sight)):
        facts.append(reason)
    return " ".join([text, *facts])


def _control(controls: list[Cell]) -> list[str]:
    if not controls:
        return ["Whole clip: not measured."]
    above = learnt(controls)
    lines = [f"Whole clip: above chance after Holm in {len(above)} of {len(controls)} tests."]
    for cell in controls:
        if cell.test not in above:
            reason = NOT_LEARNT.get(cell.test, "No reason found yet.")
            lines.append(f"* Not in `{cell.test}`: {reason}")
    return lines


def _named_beforehand() -> str:
    rows = [
        f"| {test.number} | `{name}` | {REVEALED_BY_LAST_FRAME[name]} |"
        for name, test in level2_tests().items()
        if name in REVEALED_BY_LAST_FRAME
    ]
    lines = [
        "Named beforehand, marked ○: the last frame is part of the answer.",
        "",
        "| no. | test | why |",
        "|---|---|---|",
    ]
    lines += rows
    parameters = [
        f"* `{test}`: `{name}`. {why}" for test, found in OF_THE_VIOLATION.items() for name, why in found.items()
    ]
    if parameters:
        lines += [
            "",
            "Parameters that are the violation itself, and are not shown to the classifiers:",
            "",
            *parameters,
        ]
    return "\n".join(lines)
