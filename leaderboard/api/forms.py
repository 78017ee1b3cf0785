"""In which form the API answers. Apart from other modules: the framework reads this while its views are imported."""

from rest_framework.exceptions import NotFound
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer


class StrictFormats(DefaultContentNegotiation):
    """The form of an answer; one that is not written here is an error that says which are."""

    def filter_renderers(self, renderers: list[BaseRenderer], format: str) -> list[BaseRenderer]:
        found = [each for each in renderers if each.format == format]
        if not found:
            there = ", ".join(dict.fromkeys(each.format for each in renderers))
            raise NotFound(f"format={format[:20]} does not exist here; there is: {there}")
        return found
