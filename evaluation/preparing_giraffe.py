"""From a data set's own files to a folder of Giraffe-Bench's items: which reader, which pictures, into which folder."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.drafts import ActivityDraft, DraftState, PatternDraft, propose
from benchmarks.errors import BadRelease
from benchmarks.upstream import activitynet, charades, clevrer, roboset
from benchmarks.upstream.prepared import Best, Found, Problem, Progress, chosen, write_items

READERS: dict[str, Callable[[Path, Path | None], Found]] = {
    "clevrer": clevrer.read_clevrer,
    "charades": charades.read_charades,
    "activitynet": activitynet.read_activitynet,
    "roboset": roboset.read_roboset,
}
DATASETS = (*READERS, "reviewed", "edited")


@dataclass(frozen=True)
class Order:
    """What was asked for."""

    dataset: str
    source: Path | None = None
    out: Path | None = None
    videos: Path | None = None
    matcher: str | None = None
    limit: int | None = None
    seed: int = 0


@dataclass(frozen=True)
class Report:
    """How many items were written or queued, what was left out or is missing, and all of it in one line."""

    items: int
    problems: tuple[Problem, ...]
    line: str


def prepare(order: Order, *, progress: Progress | None = None) -> Report:
    """Do what was asked for; BadRelease says what is wrong with the order or the source."""
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
    return Report(items, problems, f"{items} items of {order.dataset} in {order.out}, {len(problems)} notes")


def _check(order: Order) -> None:
    if order.dataset in READERS and order.source is None:
        raise BadRelease(f"{order.dataset}: say where its annotations are")
    if order.source is not None and not order.source.exists():
        raise BadRelease(f"{order.source}: no such file or folder")
    if order.videos is not None and not order.videos.is_dir():
        raise BadRelease(f"--videos {order.videos}: no such folder")
    if order.limit is not None and order.limit < 1:
        raise BadRelease(f"--limit {order.limit}: must be at least 1")


def _read(order: Order) -> Found:
    assert order.source is not None
    return READERS[order.dataset](order.source, order.videos)


def _queue(order: Order) -> Report:
    assert order.source is not None
    problems: list[Problem] = []
    new, stood = propose(list(charades.cuts_of(order.source, problems)))
    line = f"{new} videos in the experts' queue, {stood} stood there already, {len(problems)} not usable"
    return Report(new, tuple(problems), line)


def _reviewed(order: Order) -> Found:
    """What experts accepted of Charades; what they have not looked at yet is counted."""
    accepted = ActivityDraft.objects.filter(state=DraftState.ACCEPTED)
    drafts = tuple(
        charades.draft_of(charades.Cut(one.key, one.context, one.target, one.code, one.starts), order.videos)
        for one in accepted
    )
    waiting = ActivityDraft.objects.filter(state=DraftState.WAITING).count()
    problems = (("the experts' queue", f"{waiting} videos wait for an expert"),) if waiting else ()
    if not drafts:
        raise BadRelease(f"no expert has accepted a video of Charades yet; {waiting} wait")
    return Found(drafts, problems)


def _edited(out: Path) -> Report:
    """Patterns of the editor, drawn beside what was made in this folder before."""
    from scenes.giraffe.making import make_own

    drafts = list(PatternDraft.objects.filter(state=DraftState.ACCEPTED))
    if not drafts:
        raise BadRelease("no pattern of the editor is accepted yet")
    try:
        items = make_own({draft.name: draft.puzzle for draft in drafts}, out)
    except ValueError as error:
        raise BadRelease(str(error)) from None
    return Report(items, (), f"{items} patterns of the editor in {out}")


def best_by(folder: str) -> Best:
    """Which of some pictures fits the words best, by a model of images and text."""
    from benchmarks.upstream.pictures import Unread
    from evaluation.adapters.matching import IMAGE, Matcher, TooLong
    from evaluation.adapters.opening import device_named

    matcher = Matcher(folder, IMAGE, device_named("auto"))

    def best(words: str, pictures: Sequence[Any]) -> int:
        try:
            return int(matcher.probabilities(words, [picture[None] for picture in pictures]).argmax())
        except TooLong as error:
            raise Unread(f"the caption can't be compared: {error}") from None

    return best
