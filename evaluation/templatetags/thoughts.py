"""Splits replies into answer and thoughts for pages."""

from django import template

from evaluation.parsing.thoughts import SpokenReply, spoken

register = template.Library()


@register.filter(name="spoken")
def spoken_reply(raw: str) -> SpokenReply:
    """The answer and thoughts of a stored reply; in uploads both are in one text."""
    return spoken(raw)
