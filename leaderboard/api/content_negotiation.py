"""Content negotiation of the API. A separate module, since REST framework imports it while views are imported."""

from rest_framework.exceptions import NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer


class StrictFormats(DefaultContentNegotiation):
    """Selects the renderer by `format`; an unknown format is a 404 that lists the known ones."""

    def filter_renderers(self, renderers: list[BaseRenderer], format: str) -> list[BaseRenderer]:
        found = [each for each in renderers if each.format == format]
        if not found:
            there = ", ".join(dict.fromkeys(each.format for each in renderers))
            raise NotFound(f"format={format[:20]} does not exist here; there is: {there}")
        return found
