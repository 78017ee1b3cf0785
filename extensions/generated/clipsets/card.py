"""The card of a clip set: what Physics-IQ asks of a submission, and seeds and sampling besides."""

import hashlib
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.definitions.release_bounds import is_storable
from extensions.generated.clipsets.findings import ClipSetFinding, error, note
from extensions.generated.models import Access, GeneratorRole

NAME, MADE_HERE = "card.toml", Access.MADE_HERE.value
FIELDS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("card_fields.toml").read_text("utf-8"))
CHOICES = {
    "input": ("t2v", "i2v", "v2v"),
    "access": tuple(Access.values),
    "role": tuple(GeneratorRole.values),
    "prompt_text": ("original", "upsampled"),
}
LONGEST, LONGEST_IDENTITY, LONGEST_TITLE = 500, 300, 150


@dataclass(frozen=True)
class Card:
    """The fields that were given, checked; `problems` has what is missing or wrong."""

    fields: Mapping[str, Any]
    problems: tuple[ClipSetFinding, ...]

    def number(self, name: str) -> float | None:
        """A field that holds a number above 0; None if it doesn't."""
        value = self.fields.get(name)
        return float(value) if value is not None and _is_positive(value, is_whole=False) else None

    @property
    def identity(self) -> str:
        """What makes two clip sets the same row: the generator with its version, and all that changes its clips."""
        best_of, fps = self.number("best_of") or 1, self.number("fps") or 0
        upsampler = self.fields.get("upsampler", "") if self.fields.get("prompt_text") == "upsampled" else "original"
        texts = [str(self.fields.get(name, "")) for name in ("generator", "version", "input", "templater", "sampling")]
        line = " | ".join([*texts, f"best of {best_of:g}", f"prompts: {upsampler}", f"{fps:g} fps"]).casefold()
        return line if len(line) <= LONGEST_IDENTITY else hashlib.sha256(line.encode()).hexdigest()

    @property
    def title(self) -> str:
        """The generator with what sets this row apart from usual ones."""
        best_of = self.number("best_of") or 1
        parts = [f"{self.fields['generator']} {self.fields['version']}"]
        parts += [f"best of {best_of:g}"] if best_of != 1 else []
        parts += ["upsampled prompts"] if self.fields.get("prompt_text") == "upsampled" else []
        return ", ".join(parts)[:LONGEST_TITLE]


def read_card(text: str) -> Card:
    """The card in a TOML file; a file that can't be parsed has one problem, which names its line."""
    try:
        fields = tomllib.loads(text)
    except tomllib.TOMLDecodeError as wrong:
        return Card({}, (error(NAME, "card-unreadable", str(wrong)),))
    return Card(fields, tuple(_problems(fields)))


def _problems(fields: Mapping[str, Any]) -> Iterator[ClipSetFinding]:
    for name, known in FIELDS.items():
        if known.get("needed") and fields.get(name) in (None, ""):
            yield error(f"{NAME}, {name}", "card-missing", f"is missing: {known['what']}")
    for name, value in fields.items():
        place, known = f"{NAME}, {name}", FIELDS.get(name, {})
        kind, most = known.get("is"), known.get("most", LONGEST)
        if not known:
            yield error(place, "card-unknown", f"is no field; there are {', '.join(sorted(FIELDS))}")
        elif kind == "text" and not (isinstance(value, str) and len(value) <= most and is_storable(value)):
            yield error(place, "card-text", f"must be text of at most {most} letters, in quotes")
        elif kind in ("number", "whole") and not _is_positive(value, is_whole=kind == "whole"):
            yield error(place, "card-number", "must be a number above 0")
        elif name in CHOICES and value not in CHOICES[name]:
            yield error(place, "card-choice", f"is {value!r}; it can be {', '.join(CHOICES[name])}")
    yield from _declarations(fields)


def _declarations(fields: Mapping[str, Any]) -> Iterator[ClipSetFinding]:
    if "right_to_show" in fields and fields["right_to_show"] is not True:
        yield error("card.toml, right_to_show", "no-right", "clips that may not be shown can't be rated")
    if "best_of" not in fields:
        yield error("card.toml, best_of", "best-of-undeclared", "say 1 if every clip that was made is here")
    elif fields["best_of"] != 1 and not fields.get("best_of_how"):
        yield error("card.toml, best_of_how", "best-of-how", f"how was one of {fields['best_of']} chosen?")
    elif fields["best_of"] != 1:
        yield note("card.toml, best_of", "best-of", f"the best of {fields['best_of']} clips each")
    if fields.get("prompt_text") == "upsampled" and not fields.get("upsampler"):
        yield error("card.toml, upsampler", "upsampler", "what rewrote the prompts?")


def _is_positive(value: Any, *, is_whole: bool) -> bool:
    if isinstance(value, bool) or not isinstance(value, int if is_whole else int | float):
        return False
    return 0 < value < 1e6
