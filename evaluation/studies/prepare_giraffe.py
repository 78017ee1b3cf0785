"""Turns a data set's own files into a folder of Giraffe-Bench items: it connects reader, pictures and target folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.errors import BadRelease
from benchmarks.models.activity_drafts import EXPERTS, ActivityDraft, propose
from benchmarks.models.pattern_drafts import DraftState, PatternDraft
from benchmarks.upstream import activitynet, charades, clevrer, roboset
from benchmarks.upstream.prepared import Best, Found, Problem, Progress, chosen, video_of, write_items

READERS: dict[str, Callable[[Path, Path | None], Found]] = {
    "clevrer": clevrer.read_clevrer,
    "charades": charades.read_charades,
    "activitynet": activitynet.read_activitynet,
    "roboset": roboset.read_roboset,
}
DATASETS = (*READERS, "reviewed", "edited")


@dataclass(frozen=True)
class PreparationOrder:
    """The options of one preparation."""

    dataset: str
    source: Path | None = None
    out: Path | None = None
    videos: Path | None = None
    matcher: str | None = None
    limit: int | None = None
    seed: int = 0
    experts: int = EXPERTS  # number of experts who must accept an item of Charades


@dataclass(frozen=True)
class PreparationSummary:
    """How many items were written or queued, what was left out or is missing, and a summary line."""

    items: int
    problems: tuple[Problem, ...]
    line: str


def prepare(order: PreparationOrder, *, progress: Progress | None = None) -> PreparationSummary:
    """Run the preparation; BadRelease says what is wrong with the options or the source."""
    _check(order)
    if order.dataset == "charades" and order.out is None:
        return _queue(order)
    if order.out is None:
        raise BadRelease("--out: say into which folder")
    if order.dataset == "edited":
        return _edited(order.out)
    found = _reviewed(order) if order.dataset == "reviewed" else _read(order)
    best = best_by(order.matcher) if order.matcher else None
    items, problems = write_items(
        Found(chosen(found.drafts, order.limit, order.seed), found.problems), order.out, best=best, progress=progress
    )
    return PreparationSummary(
        items, problems, f"{items} items of {whose(order.dataset)} in {order.out}; notes: {len(problems)}"
    )


def whose(dataset: str) -> str:
    return "Charades" if dataset == "reviewed" else dataset


def _check(order: PreparationOrder) -> None:
    if order.dataset in READERS and order.source is None:
        raise BadRelease(f"{order.dataset}: say where its annotations are")
    if order.source is not None and not order.source.exists():
        raise BadRelease(f"{order.source}: no such file or folder")
    if order.videos is not None and not order.videos.is_dir():
        raise BadRelease(f"--videos {order.videos}: no such folder")
    if order.limit is not None and order.limit < 1:
        raise BadRelease(f"--limit {order.limit}: must be at least 1")
    if order.experts < 1:
        raise BadRelease(f"--experts {order.experts}: must be at least 1")


def _read(order: PreparationOrder) -> Found:
    assert order.source is not None
    return READERS[order.dataset](order.source, order.videos)


def _queue(order: PreparationOrder) -> PreparationSummary:
    assert order.source is not None
    problems: list[Problem] = []
    cuts = list(charades.cuts_of(order.source, problems))
    found = {cut.key: video_of(order.videos, cut.key).resolve() for cut in cuts} if order.videos else {}
    there = {key: path for key, path in found.items() if path.is_file()}
    new, stood = propose(cuts, there)
    line = (
        f"{new} videos in the experts' queue, {stood} existed already, {len(problems)} not usable;"
        f" {len(there)} can be watched there"
    )
    return PreparationSummary(new, tuple(problems), line)


def _reviewed(order: PreparationOrder) -> Found:
    """The videos of Charades that experts accepted, and the number of those still waiting."""
    queue = ActivityDraft.objects.prefetch_related("reviews")
    by_state: dict[str, list[ActivityDraft]] = {state: [] for state in DraftState.values}
    for one in queue:
        by_state[one.agreed(order.experts)].append(one)
    drafts = tuple(
        charades.draft_of(charades.ActivityCut(one.key, one.context, one.target, one.code, one.starts), order.videos)
        for one in by_state[DraftState.ACCEPTED]
    )
    waiting, experts = len(by_state[DraftState.WAITING]), f"{order.experts} expert{'s' if order.experts > 1 else ''}"
    problems = (("the experts' queue", f"videos that wait to be accepted by {experts}: {waiting}"),) if waiting else ()
    if not drafts:
        raise BadRelease(f"no video of Charades is accepted by {experts} yet; {waiting} wait (--experts N: by fewer)")
    return Found(drafts, problems)


def _edited(out: Path) -> PreparationSummary:
    """Draw the editor's patterns into this folder, beside earlier ones."""
    from scenes.giraffe.generate import make_own

    drafts = list(PatternDraft.objects.filter(state=DraftState.ACCEPTED))
    if not drafts:
        raise BadRelease("no pattern of the editor is accepted yet")
    try:
        items = make_own({draft.name: draft.puzzle for draft in drafts}, out)
    except ValueError as error:
        raise BadRelease(str(error)) from None
    return PreparationSummary(items, (), f"patterns of the editor in {out}: {items}")


def best_by(folder: str) -> Best:
    """A function that picks the picture that best fits a text, using a model of images and text."""
    from benchmarks.upstream.frames import Unread
    from evaluation.adapters.embedding_models import IMAGE, Matcher, TextTooLong
    from evaluation.adapters.transformers.loading import device_named

    matcher = Matcher(folder, IMAGE, device_named("auto"))

    def best(words: str, pictures: Sequence[Any]) -> int:
        try:
            return int(matcher.probabilities(words, [picture[None] for picture in pictures]).argmax())
        except TextTooLong as error:
            raise Unread(f"the caption can't be compared: {error}") from None

    return best
