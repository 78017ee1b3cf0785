"""Template filters for the numbers of a run."""

from django import template

from evaluation.runs.number_format import duration, points, pretty, share

register = template.Library()
for look in (duration, points, pretty, share):
    register.filter(look)
