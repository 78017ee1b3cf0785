"""Models' replies on the page of an item, cached until answers change."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from benchmarks.disclosure import PUBLIC, expected_of, reader_of
from benchmarks.gallery.page_cache import cached_body
from benchmarks.models import AnswerKind, Item
from evaluation.inputs.frames import sampler_of
from evaluation.models import ModelResponse
from evaluation.runs.pages.film_strip import may_be_seen
from leaderboard.items import item_detail
from leaderboard.items.item_detail import Replied
from leaderboard.items.item_media import ImageSequence
from leaderboard.items.who_answered import models_on


@dataclass(frozen=True)
class Replies:
    """HTML of one page of replies, and the numbers of right replies and of replies scored by rule on the board."""

    body: SafeString
    who: SafeString  # the rows of "Who said what"
    right: int
    scored: int
    page: int
    pages: int

    @property
    def before(self) -> int | None:
        return self.page - 1 if self.page > 1 else None

    @property
    def after(self) -> int | None:
        return self.page + 1 if self.page < self.pages else None


@dataclass(frozen=True)
class FramesSeen:
    """The frames that these models saw; `response` is one of the replies, whose thumbnails represent all."""

    sampler: str
    response: ModelResponse
    models: tuple[str, ...]
    replies: int


def frames_seen(replies: Iterable[Replied]) -> list[FramesSeen]:
    """Each distinct film strip, the most common one first; none for replies without frames."""
    shared: dict[tuple[object, ...], list[Replied]] = {}
    for reply in replies:
        sampler, response = sampler_of(reply.run.condition, reply.run.sampler), reply.response
        if response.frame_indices:
            shared.setdefault((sampler, *response.frame_indices, *response.frame_times), []).append(reply)
    strips = (
        FramesSeen(str(what[0]), them[0].response, tuple({one.run.model.name: None for one in them}), len(them))
        for what, them in shared.items()
    )
    return sorted(strips, key=lambda strip: -strip.replies)


def replies_to(request: HttpRequest, item: Item, twin: Item | None, number: int, row: ImageSequence | None) -> Replies:
    """A page of the item's replies, and how models answered it and its twin.

    The first page is cached, except for free text, which referees score.
    """

    def draw() -> str:
        dots, expected = item_detail.dots_of(item), expected_of(item, to=PUBLIC)
        scored = [dot["value"] for dot in dots] if expected else []
        page = item_detail.page_of_replies(item, number)
        strips = [] if row and row.images else frames_seen(page.object_list)
        context = {"item": item, "expected": expected, "dots": dots, "replies": page, "row": row, "strips": strips}
        body = render_to_string("leaderboard/parts/replies.html", context, request)
        items = [item, twin] if twin else [item]
        who = render_to_string("leaderboard/parts/who_rows.html", {"who": models_on(items), "is_pair": bool(twin)})
        return json.dumps([body, who, scored.count(1), len(scored), page.number, page.paginator.num_pages])

    may_be_cached = number == 1 and item.answer_kind != AnswerKind.FREE
    body, who, *counts = json.loads(_cached_part(request, item, twin, draw) if may_be_cached else draw())
    return Replies(mark_safe(body), mark_safe(who), *counts)  # noqa: S308  # our own templates made them # nosec B308, B703


def _cached_part(request: HttpRequest, item: Item, twin: Item | None, draw: Callable[[], str]) -> str:
    """The cached part, keyed by the answers of all runs on the board and by whether the reader may see frames."""
    runs = (
        item_detail.listed_runs(item).order_by("pk").values_list("pk", "created_at", "answers_version", "model__name")
    )
    has_film = may_be_seen(item, to=reader_of(request))
    return cached_body(
        f"who and replies to {item.pk}, {twin and twin.pk}, film {has_film}",
        version=json.dumps([*runs], default=str),
        make=draw,
    )
