"""Compiles a round into a benchmark's folder: benchmark.toml, items.csv, and clips under random names.

The definition follows from the prompt pack alone, so that later rounds have the same one.
"""

import csv
import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.definitions.rated_dimensions import RatedDimension
from benchmarks.storage.store import store
from extensions.generated.models import GeneratedClip, PromptPack
from extensions.generated.question_kinds import BREAK, CLIP, PAIR, TRIPLE, pair_prompt, rating_prompt
from extensions.generated.rating.designs import turns_of
from extensions.generated.rating.pages import HOW_GOOD, IS_BROKEN, WHICH_OF_TWO

TITLES = {CLIP: "Rating", PAIR: "Pair", BREAK: "First break", TRIPLE: "Triple"}
MOST_PAIRS = 6_000  # questions, both orders of each pair
COLUMNS = ("id", "clip", "kind", "question", "prompt", "cell")
OF_PAIRS = """{question}
a = the first clip
b = the second clip
equal = both alike
bad = neither could happen
Answer with one of these words alone."""

Rows = Iterator[tuple[dict[str, str], tuple["RoundClip", ...]]]


@dataclass(frozen=True)
class RoundClip:
    """A clip as a round knows it: by a code of its set, and the number of its take."""

    clip: GeneratedClip
    code: str
    take: int
    prompt: str  # p001, p002, … in the order of the pack
    file: str

    @property
    def laws(self) -> str:
        return "|".join(self.clip.prompt.laws)


def definition_of(pack: PromptPack) -> str:
    """The text of benchmark.toml."""
    levels = {f"d{number}": dimension for number, dimension in enumerate(pack.dimensions, 1)}
    text = _table(
        "",
        schema=1,
        slug=pack.slug,
        title=pack.title[:80],
        question="How well do generators of video show what their prompts ask for?",
        about=pack.about,
        version=pack.version or "1",
        licence=pack.licence or "not said",
        homepage=pack.source,
        media="participants",
        scoring=["Raters and judges answer, and no answer is right: boards of generators compare their ratings."],
    )
    names = {level: dimension.title for level, dimension in levels.items()} | {"p": "Pairs", "b": "First break"}
    text += "".join(_table("levels", number=number, title=title[:60]) for number, title in names.items())
    records = zip(levels, pack.records, strict=True)
    text += "".join(_table("dimensions", **record, level=level) for level, record in records)
    text += "".join(_kinds(levels))
    text += _table("facets", name="prompt", title="Prompt")
    text += _table("facets", name="law", title="Law") if any(pack.prompts.values_list("laws", flat=True)) else ""
    text += _table("facets", name="cell", title="Cell", tells=True)
    return text + "".join(_judges(pack.slug, levels))


def _table(heading: str, **fields: Any) -> str:
    """A table of TOML, whose texts, numbers and lists are written as in JSON; empty fields are left out."""
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in fields.items() if value != ""]
    return "\n".join([*([f"\n[[{heading}]]"] if heading else []), *lines, ""])


def _kinds(levels: Mapping[str, RatedDimension]) -> Iterator[str]:
    if levels:
        own: dict[str, Any] = {"levels": list(levels)} if len(levels) > 1 else {"level": "d1"}
        for name in (CLIP, TRIPLE):
            yield _table("kinds", name=name, title=TITLES[name], answer="rating", **own)
    yield _table("kinds", name=PAIR, title=TITLES[PAIR], answer="pair", level="p")
    yield _table("kinds", name=BREAK, title=TITLES[BREAK], answer="break", level="b")


def _judges(slug: str, levels: Mapping[str, RatedDimension]) -> Iterator[str]:
    """How models are asked: one question of a dimension at a time, and for the better of two clips."""
    for level, dimension in levels.items():
        lead = "The clip was made for this text: “{question}”\n" if dimension.shows_prompt else ""
        hint = f" ({dimension.hint})" if dimension.hint else ""
        steps = "\n".join(f"{step.value} = {step.anchor}" for step in dimension.steps)
        what = "number" if all(value.isdigit() for value in dimension.values) else "word before “=”"
        text = f"{lead}{dimension.question}{hint}\n{steps}\nAnswer with the {what} alone."
        name, title = rating_prompt(slug, dimension.name), f"rate {dimension.name}"
        yield _table("prompts", name=name, title=title, kinds=[CLIP], level=level, text=text)
    names = ["Clip a:", "Clip b:"]
    yield _table("prompts", name=pair_prompt(slug), title="pair", kinds=[PAIR], text=OF_PAIRS, clip_names=names)


def clips_of(pack: PromptPack, clips: Sequence[GeneratedClip]) -> list[RoundClip]:
    """The clips under codes of their sets, in an order that tells nothing, and under random names of files."""
    sets = sorted({clip.clip_set_id for clip in clips})
    secrets.SystemRandom().shuffle(sets)
    codes = {clip_set: f"s{number}" for number, clip_set in enumerate(sets, 1)}
    prompts = {prompt.pk: f"p{number:03}" for number, prompt in enumerate(pack.prompts.all(), 1)}
    takes = {clip_set: sorted({clip.take for clip in clips if clip.clip_set_id == clip_set}) for clip_set in sets}
    return [
        RoundClip(
            clip,
            codes[clip.clip_set_id],
            takes[clip.clip_set_id].index(clip.take) + 1,
            prompts[clip.prompt_id],
            f"{secrets.token_hex(12)}.mp4",
        )
        for clip in clips
    ]


def write_round(
    folder: Path,
    pack: PromptPack,
    clips: Sequence[RoundClip],
    kinds: Collection[str],
    pairs: Collection[frozenset[int]] | None = None,
) -> dict[str, tuple[GeneratedClip, ...]]:
    """Write the benchmark's folder; returns the clips of each question, by its id in items.csv.

    `pairs` are ids of clip sets that are compared; None = each with each.
    """
    makers = {CLIP: _ratings(pack.dimensions, ((each,) for each in clips)), BREAK: _breaks(clips)}
    makers |= {PAIR: _pairs(clips, MOST_PAIRS, pairs), TRIPLE: _ratings(pack.dimensions, triples_of(clips))}
    rows = [({"id": secrets.token_hex(8), "kind": kind} | cells, of) for kind in kinds for cells, of in makers[kind]]
    secrets.SystemRandom().shuffle(rows)  # the order of the table is the order of ids in the database
    (folder / "benchmark.toml").write_text(definition_of(pack), encoding="utf-8")
    with (folder / "items.csv").open("w", newline="", encoding="utf-8") as file:
        columns = (*COLUMNS, *(["law"] if any(clip.laws for clip in clips) else []))
        columns = (*columns, *(["level"] if len(pack.dimensions) > 1 else []))
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(cells | {"clip": "|".join(each.file for each in of), "law": of[0].laws} for cells, of in rows)
    (folder / "clips").mkdir()
    for name, stored in {each.file: each.clip.stored for _, of in rows for each in of}.items():
        _link(store().local(stored), folder / "clips" / name)
    return {cells["id"]: tuple(each.clip for each in of) for cells, of in rows}


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # on another file system
        shutil.copyfile(source, target)


def _ratings(dimensions: Sequence[RatedDimension], groups: Iterable[tuple[RoundClip, ...]]) -> Rows:
    """A question for the dimensions that hide the prompt, and one for those that show it; each has levels for these."""
    levels = {dimension.name: f"d{number}" for number, dimension in enumerate(dimensions, 1)}
    for beside in groups:
        each, codes = beside[0], "-".join(one.code for one in beside)
        applied = [dimension for dimension in dimensions if dimension.applies_to(each.clip.prompt.laws)]
        for page, shows_prompt in ((1, False), (2, True)):
            names = [levels[dimension.name] for dimension in applied if dimension.shows_prompt == shows_prompt]
            text = each.clip.prompt.text if shows_prompt else HOW_GOOD
            cell = f"{codes}.{each.take}.{page}"
            if names:
                yield {"question": text, "level": "|".join(names), "prompt": each.prompt, "cell": cell}, beside


def _breaks(clips: Sequence[RoundClip]) -> Rows:
    for each in clips:
        yield (
            {"question": IS_BROKEN, "level": "b", "prompt": each.prompt, "cell": f"{each.code}.{each.take}.1"},
            (each,),
        )


def _by_prompt(clips: Sequence[RoundClip]) -> list[dict[str, RoundClip]]:
    """The clips of each prompt and take, by codes of their sets."""
    ordered = sorted(clips, key=lambda each: (each.prompt, each.take, each.code))
    groups = groupby(ordered, key=lambda each: (each.prompt, each.take))
    return [{each.code: each for each in group} for _, group in groups]


def triples_of(clips: Sequence[RoundClip]) -> Iterator[tuple[RoundClip, ...]]:
    """As many triples of each prompt as it has clips: every clip stands once in each place.

    The second and third stand one and three behind the first, round a circle of sets. So of seven sets each meets each
    other once (the Fano plane); of more, only those up to three away.
    """
    for by_code in _by_prompt(clips):
        ring = list(by_code.values())
        third = 3 if len(ring) > 3 else 2
        if len(ring) > 2:
            yield from ((one, ring[n + 1 - len(ring)], ring[n + third - len(ring)]) for n, one in enumerate(ring))


def _pairs(clips: Sequence[RoundClip], most: int, wanted: Collection[frozenset[int]] | None = None) -> Rows:
    """Both orders of the wanted pairs of one prompt and take, or of as many as are allowed, in balanced blocks."""
    groups = _by_prompt(clips)
    turns = turns_of(sorted({each.code for each in clips}))
    if wanted is not None:
        sets = {each.code: each.clip.clip_set_id for each in clips}
        turns = [[pair for pair in turn if frozenset(sets[code] for code in pair) in wanted] for turn in turns]
    of_all = 2 * sum(map(len, turns)) * len(groups)
    count = len(turns) if of_all <= most else max(1, most * len(turns) // of_all)
    for place, by_code in enumerate(groups):
        chosen = [pair for turn in range(count) for pair in turns[(place * count + turn) % len(turns)]]
        for first, second in (pair for pair in chosen if by_code.keys() >= set(pair)):
            for left, right in ((first, second), (second, first)):
                a, b = by_code[left], by_code[right]
                cells = {"question": WHICH_OF_TWO, "level": "p", "prompt": a.prompt, "cell": f"{left}-{right}.{a.take}"}
                yield cells, (a, b)
