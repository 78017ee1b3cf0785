"""What models replied to an item, as its page shows it: drawn once for as long as nobody's answers change."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from benchmarks.models import AnswerKind, Item
from evaluation.film import may_be_seen
from leaderboard import one_item
from leaderboard.caching import kept
from leaderboard.item_pictures import Row


@dataclass(frozen=True)
class Replies:
    """The part of the page, and how many replies on the board are right, of how many that rules score."""

    body: SafeString
    right: int
    scored: int


def replies_to(request: HttpRequest, item: Item, number: int, row: Row | None) -> Replies:
    """A page of them. The first is kept where rules score the answers; what referees say of free text is not."""

    def draw() -> str:
        dots = one_item.dots_of(item)
        scored = [dot["value"] for dot in dots] if item.expected else []
        context = {"item": item, "dots": dots, "replies": one_item.page_of_replies(item, number), "row": row}
        body = render_to_string("leaderboard/parts/replies.html", context, request)
        return json.dumps([scored.count(1), len(scored), body])

    may_be_kept = number == 1 and item.answer_kind != AnswerKind.FREE
    right, scored, body = json.loads(_drawn(request, item, draw) if may_be_kept else draw())
    return Replies(mark_safe(body), right, scored)  # noqa: S308  # our own template made it # nosec B308, B703


def _drawn(request: HttpRequest, item: Item, draw: Callable[[], str]) -> str:
    """By the answers of every run on the board, and by whether this reader may see the frames."""
    runs = one_item.runs_shown(item).order_by("pk").values_list("pk", "created_at", "answers_version", "model__name")
    has_film = may_be_seen(item, is_staff=request.user.is_staff)
    return kept(f"replies to {item.pk}, film {has_film}", version=json.dumps([*runs], default=str), make=draw)
