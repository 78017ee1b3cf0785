"""`{% unchanging %}…{% endunchanging %}`: a part of a page that is the same for all readers of one language."""

from django import template
from django.conf import settings
from django.template.base import NodeList, Parser, Token
from django.template.context import Context
from django.utils.translation import get_language

register = template.Library()


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
