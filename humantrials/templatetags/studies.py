"""Tags of studies' pages, of which a page of clips has dozens: what is the same for all is made once per process.

`{% unchanging %}…{% endunchanging %}` is a part of a page that is the same for all readers of one language.
`{% participant_url 'road-answer' %}` is an address below the participant's token, with its numbers if it has any:
`{% url %}` searches all patterns of a name for each call. `{% media_url 'picture' 2 %}` is of the question's media.
"""

from functools import cache

from django import template
from django.conf import settings
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.urls import reverse
from django.utils.translation import get_language

from humantrials.kinds import DeskTab, kind_of
from humantrials.models import Trial

register = template.Library()
TOKEN, FIRST = "a-token-that-nobody-has", 1_999_999_001


class Unchanging(template.Node):
    """Renders its part once per language and process: translation and static URLs are most of a page's cost."""

    def __init__(self, nodes: NodeList) -> None:
        self.nodelist = nodes
        self.drawn: dict[str | None, str] = {}

    def render(self, context: Context) -> str:
        language = get_language()
        if language not in self.drawn or settings.DEBUG:
            self.drawn[language] = self.nodelist.render(context.new())
        return self.drawn[language]


@register.tag
def unchanging(parser: Parser, token: Token) -> Unchanging:
    """Parse the block; it is rendered without the page's context, so nothing in it can depend on the page."""
    nodes = parser.parse(("endunchanging",))
    parser.delete_first_token()
    return Unchanging(nodes)


@register.simple_tag(takes_context=True)
def participant_url(context: Context, name: str, *numbers: int) -> str:
    """The address of this name for the `person` of the page."""
    return _pattern(name, len(numbers)).format(context["person"].token, *numbers)


@register.simple_tag(takes_context=True)
def media_url(context: Context, kind: str, *place: int) -> str:
    """The address of a clip, frame or picture at this place of the page's question, or of the practice item."""
    if context.get("is_practice"):
        return participant_url(context, f"road-practice-{kind}", *place)
    return participant_url(context, f"road-{kind}", context["question"].position, *place)


@cache
def _pattern(name: str, count: int) -> str:
    marks = [FIRST + place for place in range(count)]
    found = reverse(name, args=[TOKEN, *marks]).replace(TOKEN, "{}")
    for mark in marks:
        found = found.replace(str(mark), "{}")
    return found


@register.filter
def tabs(trial: Trial) -> tuple[DeskTab, ...]:
    """The pages of the desk about this study."""
    return kind_of(trial).tabs
