"""/robots.txt and /sitemap.xml: the pages that search engines may read."""

from datetime import datetime

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from benchmarks.definitions.concepts import CONCEPTS
from benchmarks.definitions.registry import BENCHMARKS
from benchsite.web.documents import address_of, documents
from evaluation.models import Model, Run
from leaderboard.board.reported_models import reported_models
from leaderboard.models import Snapshot

# Participants' pages, accounts, files for programs; and pages with answers next to a question, which search engines
# would reveal.
NOT_READ = (
    *("/t/", "/p/", "/account/", "/admin/", "/annotation/", "/api/", "/media/", "/submit/"),
    *("/*?*answer=", "/*.tar"),
)
PAGES = ("home", "boards", "benchmarks", "trials", "models", "concepts", "explore", "snapshots", "statistics")


class Addresses(Sitemap):
    """All pages but snapshots; of models those with a row on a board, and those that only papers report."""

    def items(self) -> list[str]:
        known = set(Model.objects.values_list("slug", flat=True))
        slugs = Model.objects.filter(runs__in=Run.objects.on_the_board()).values_list("slug", flat=True)
        models = sorted({*slugs, *(slug for slug in reported_models() if slug not in known)})
        return [
            *map(reverse, PAGES),
            *(reverse("benchmark", args=[slug]) for slug in BENCHMARKS),
            *(reverse("board", args=[slug]) for slug in BENCHMARKS.with_boards()),
            *(reverse("concept", args=[slug]) for slug in CONCEPTS),
            *map(address_of, documents()),
            *(reverse("model", args=[slug]) for slug in models),
        ]

    def location(self, item: str) -> str:
        return item


class SnapshotPages(Sitemap):
    def items(self) -> QuerySet[Snapshot]:
        return Snapshot.objects.defer("content").order_by("slug")

    def lastmod(self, item: Snapshot) -> datetime:
        return item.created_at


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in NOT_READ)]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


urlpatterns = [
    path("robots.txt", robots, name="robots"),
    path("sitemap.xml", sitemap, {"sitemaps": {"addresses": Addresses, "snapshots": SnapshotPages}}, name="sitemap"),
]
