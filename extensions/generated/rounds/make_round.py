"""Makes rounds: a benchmark of the core from listed clip sets, in one transaction with nothing left after a failure."""

from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from django.db import DatabaseError, transaction
from django.utils.text import slugify

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.errors import ContentRefused
from benchmarks.generation.progress import Progress, failures_recorded, is_silent, ordered, show_production
from benchmarks.leasing import LeaseHeartbeat
from benchmarks.models import Item, Pack, Production, ProductionState, Rendition
from benchmarks.packs.benchmark_files import NAME, import_folder, read_file
from benchmarks.storage.store import clip_name, staging, store
from extensions.generated.models import ClipSet, ClipSetState, GeneratedClip, PromptPack, RatedClip, RatingRound
from extensions.generated.question_kinds import CLIP, KINDS, PAIR, TRIPLE
from extensions.generated.rounds.closest import closest_pairs
from extensions.generated.rounds.compile import clips_of, write_round

BATCH, BEAT = 500, 2.0  # seconds between two updates of the progress
MAKE = "extensions.generated.tasks.make_round"


def make_round(
    pack: PromptPack,
    sets: Sequence[ClipSet],
    title: str,
    kinds: Collection[str],
    after: RatingRound | None = None,
    progress: Progress | None = None,
) -> RatingRound:
    """The round of these sets, whose questions are of these kinds; one of the same title is returned as it is.

    The votes of the round `after` choose which pairs are asked. Raises ContentRefused if the sets, kinds or the title
    don't fit.
    """
    slug = slug_of(title)
    before, stored = {file.slug: file for file in BENCHMARKS.files()}, list[str]()
    try:
        with transaction.atomic(), staging() as folder:
            PromptPack.objects.select_for_update().get(pk=pack.pk)  # of two makers, the later finds the round
            if same := RatingRound.objects.filter(pack=pack, slug=slug).first():
                return same
            refuse_round(pack, sets, slug, kinds)
            pairs = closest_pairs(after, sets) if after and PAIR in kinds else None
            questions = _write(folder, pack, sets, kinds, pairs)
            own = read_file(folder / NAME)
            _, report = import_folder(own, folder, pack_name=slug, strict=True, progress=progress)
            files = Rendition.objects.filter(clip__pack=report.pack).values_list("name", flat=True)
            stored = [clip_name(name) for name in files]
            facts = {"pack": pack, "slug": slug, "title": title[:120], "questions": report.pack}
            made = RatingRound(**facts, after=after if pairs else None)
            return _store(made, questions)
    except BaseException:
        BENCHMARKS.put_files(before)
        store().remove(stored)
        raise


def _write(
    folder: Path, pack: PromptPack, sets: Sequence[ClipSet], kinds: Collection[str], pairs: set[frozenset[int]] | None
) -> dict[str, tuple[GeneratedClip, ...]]:
    clips = GeneratedClip.objects.filter(clip_set__in=[each.pk for each in sets])
    named = clips_of(pack, list(clips.select_related("clip_set", "prompt")))
    return write_round(folder, pack, named, [kind for kind in KINDS if kind in kinds], pairs)


def slug_of(title: str) -> str:
    return slugify(title)[:60]


def refuse_round(pack: PromptPack, sets: Sequence[ClipSet], slug: str, kinds: Collection[str]) -> None:
    """Raise ContentRefused if no round can be made of this."""
    if not slug:
        raise ContentRefused("the title needs letters from a to z, for the round's address")
    if RatingRound.objects.filter(slug=slug).exists() or Pack.objects.filter(benchmark=pack.slug, name=slug).exists():
        raise ContentRefused(f"there is a round {slug!r} already: choose another title")
    if unlisted := [each.title for each in sets if each.pack_id != pack.pk or each.state != ClipSetState.LISTED]:
        raise ContentRefused(f"{unlisted[0]} is no listed clip set for {pack.title}")
    if not (sets and kinds and set(kinds) <= set(KINDS)):
        raise ContentRefused(f"choose clip sets, and kinds of questions from {', '.join(KINDS)}")
    if {CLIP, TRIPLE} & set(kinds) and not pack.dimensions:
        raise ContentRefused(f"{pack.title} has no dimensions that clips could be rated by")
    for kind, words, least in ((PAIR, "pairs need two", 2), (TRIPLE, "triples need three", 3)):
        if kind in kinds and len(sets) < least:
            raise ContentRefused(f"{words} clip sets")


def _store(made: RatingRound, questions: dict[str, tuple[GeneratedClip, ...]]) -> RatingRound:
    made.questions.title = made.title
    made.questions.save(update_fields=["title"])
    made.save()
    items = dict(Item.objects.filter(pack=made.questions).values_list("key", "pk"))
    rows = [
        RatedClip(item_id=items[key], place=place, round=made, clip=clip)
        for key, clips in questions.items()
        for place, clip in enumerate(clips)
    ]
    RatedClip.objects.bulk_create(rows, batch_size=BATCH)
    return made


def order_round(
    pack: PromptPack, sets: Sequence[ClipSet], title: str, kinds: Collection[str], after: RatingRound | None = None
) -> Production:
    """Order a round, which a worker makes; raises ContentRefused if none can be made of this."""
    slug = slug_of(title)
    refuse_round(pack, sets, slug, kinds)
    if after and PAIR in kinds:
        closest_pairs(after, sets)
    order: dict[str, Any] = {"title": title, "kinds": list(kinds), "sets": [each.pk for each in sets]}
    order["after"] = after.pk if after else None
    return ordered(pack.slug, pack_name=slug, order={"round": order})


def unmade() -> list[int]:
    """Ids of rounds that wait, or whose worker was lost."""
    rows = Production.objects.filter(order__round__isnull=False)
    waiting = [row.pk for row in rows.filter(state=ProductionState.WAITING)]
    return waiting + [row.pk for row in rows.filter(state=ProductionState.IMPORTING) if is_silent(row)]


class _RoundHeartbeat(LeaseHeartbeat):
    """Shows how many clips are made, from a connection of its own, since a round is one transaction.

    SQLite has one writer at a time: there the page says no more than that it is being made.
    """

    def _renew(self) -> None:
        with suppress(DatabaseError):  # a later one may succeed
            show_production(cast(Production, self.row), **self.facts())


def make_ordered(production_id: int) -> None:
    """Make an ordered round. Two calls are safe: the later finds it made."""
    production = Production.objects.get(pk=production_id)
    if not production.is_open:
        return
    order = production.order["round"]
    pack = PromptPack.objects.get(slug=production.benchmark)
    show_production(production, state=ProductionState.IMPORTING)
    clips = {"clips_done": 0, "clips_total": 0}
    heartbeat = _RoundHeartbeat(cast(Any, production), seconds=10.0, every=BEAT, facts=clips.copy)
    with failures_recorded(production, comes_again=True), heartbeat:
        sets = list(ClipSet.objects.filter(pk__in=order["sets"]))
        after = RatingRound.objects.filter(pk=order["after"]).first()
        made = make_round(
            *(pack, sets, order["title"], order["kinds"], after),
            progress=lambda done, total: clips.update(clips_done=done, clips_total=total),
        )
    show_production(production, state=ProductionState.DONE, note=f"{made.asked_clips.count()} clips asked")
