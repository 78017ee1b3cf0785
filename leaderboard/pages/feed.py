"""The Atom feed of recent changes; it contains only names and links, no figures."""

from datetime import datetime

from django.contrib.syndication.views import Feed
from django.urls import reverse_lazy
from django.utils.feedgenerator import Atom1Feed

from leaderboard.pages.home import RecentChange, latest_changes

MOST = 50


class Changes(Feed):
    """Up to fifty changes, newest first: runs, uploads, people's results, packs and snapshots."""

    feed_type = Atom1Feed
    title = "benchsite: latest changes"
    subtitle = "New rows of the leaderboards, results of human studies, packs of clips and snapshots."
    link = reverse_lazy("home")

    def items(self) -> list[RecentChange]:
        return latest_changes(MOST)

    def item_title(self, item: RecentChange) -> str:
        return f"{item.name} ({item.what})"

    def item_description(self, item: RecentChange) -> str:
        return item.what

    def item_link(self, item: RecentChange) -> str:
        return item.link

    def item_updateddate(self, item: RecentChange) -> datetime:
        return item.at
