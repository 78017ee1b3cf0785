"""URLs of a board for search engines and for link previews on other sites."""

from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.board.query import View, view_of
from leaderboard.models import Standing


def preview_of(view: View) -> str:
    """The canonical path of a view, followed by a space and the path of its picture if the pack has a row."""
    query = urlencode(canonical_state(view))
    path = reverse("board", args=[view.benchmark.slug])
    picture = picture_of(view.benchmark.slug, query) if view.pack and view.available.has_rows(view.pack) else ""
    return f"{path}{'?' if query else ''}{query} {picture}"


def picture_of(slug: str, query: str = "") -> str:
    """Path of the PNG of a board's profile chart."""
    return f"{reverse('chart', args=[slug, 'profile'])}?{query}{'&' if query else ''}format=png"


def picture_of_home() -> str:
    """Path of the picture of the board with the newest row that is not of simulated people; "" without one."""
    newest = Standing.objects.exclude(run=None).order_by("-computed_at")
    slug = newest.values_list("pack__benchmark", flat=True).first()
    return picture_of(slug) if slug else ""


def canonical_state(view: View) -> dict[str, str]:
    """The parameters of a view that differ from the defaults of the benchmark and the level."""
    own = view.but(drawn="", page=view.page).state()
    plain = view_of(view.benchmark, {}, view.available).state()
    of_level = view_of(view.benchmark, {"level": view.level.number}, view.available).state()
    changed = {name: value for name, value in own.items() if value != of_level.get(name)}
    level = {} if own.get("level") == plain.get("level") else {"level": view.level.number}
    return level | changed
