"""Template filters for the numbers of a run."""

from django import template

from evaluation.runs.pages.number_format import chance_of_as_much, duration, points, pretty, share

register = template.Library()
for look in (chance_of_as_much, duration, points, pretty, share):
    register.filter(look)
