"""Splits replies into what was said and thought, for pages."""

from django import template

from evaluation.replies import RawReply, SpokenReply, reply_of

register = template.Library()


@register.filter(name="spoken")
def spoken_reply(raw: str) -> SpokenReply:
    """What was said and thought in a stored reply; in uploads both are in one text."""
    return reply_of(RawReply(raw))
