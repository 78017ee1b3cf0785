"""The numbers, replies and film strips of runs on pages."""

from typing import Any

from django import template

from benchmarks.disclosure import reader_of
from evaluation.models import ModelResponse
from evaluation.replies import RawReply, SpokenReply, reply_of
from evaluation.runs.pages.film_strip import may_be_seen, strip_of
from evaluation.runs.pages.number_format import chance_of_as_much, duration, points, pretty, share

register = template.Library()
for look in (chance_of_as_much, duration, points, pretty, share):
    register.filter(look)


@register.filter(name="spoken")
def spoken_reply(raw: str) -> SpokenReply:
    """What was said and thought in a stored reply; in uploads both are in one text."""
    return reply_of(RawReply(raw))


@register.inclusion_tag("evaluation/parts/film.html", takes_context=True)
def film(context: dict[str, Any], response: ModelResponse) -> dict[str, Any]:
    """The strip if the clip may be shown, else nothing; permissions are looked up once per item and page."""
    request, item = context["request"], response.cell.item
    known: dict[int, bool] = request.__dict__.setdefault("_films_open", {})
    if response.frame_indices and item.pk not in known:
        known[item.pk] = may_be_seen(item, to=reader_of(request))
    is_open = bool(response.frame_indices) and known[item.pk]
    return {"strip": strip_of(response) if is_open else [], "response": response, "run": response.cell.run_id}
