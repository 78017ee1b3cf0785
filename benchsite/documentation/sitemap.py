"""/robots.txt and /sitemap.xml: the pages that search engines may read."""

from typing import Any

from django.contrib.sitemaps import Sitemap
from django.contrib.sitemaps.views import sitemap
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import path, reverse
from django.views.decorators.http import require_safe

from benchmarks.definitions.concepts import CONCEPTS
from benchmarks.definitions.registry import BENCHMARKS
from benchsite.documentation.documents import address_of, names
from evaluation.models import Model, Run
from leaderboard.board.reported_models import reported_models
from leaderboard.models import Snapshot

# Participants' pages, accounts, files for programs; and pages with answers next to a question, which search engines
# would reveal.
NOT_READ = (
    "/t/",
    "/p/",
    "/account/",
    "/admin/",
    "/annotation/",
    "/api/",
    "/media/",
    "/submit/",
    "/*?*answer=",
    "/*.tar",
    "/language/",
)
PAGES = ("home", "boards", "benchmarks", "trials", "models", "concepts", "explore", "snapshots", "statistics")


class Addresses(Sitemap):
    """Pages that exist independently of the database's content."""

    def items(self) -> list[str]:
        of_benchmarks = [reverse(page, args=[slug]) for slug in BENCHMARKS for page in ("benchmark", "board")]
        of_concepts = [reverse("concept", args=[slug]) for slug in CONCEPTS]
        return [reverse(page) for page in PAGES] + of_benchmarks + of_concepts + [address_of(name) for name in names()]

    def location(self, item: str) -> str:
        return item


class ModelPages(Sitemap):
    """Models with a row on a board."""

    def items(self) -> QuerySet[Model]:
        return Model.objects.filter(runs__in=Run.objects.on_the_board()).distinct().order_by("slug")


class ReportedModelPages(Sitemap):
    """Models reported in papers but not evaluated on this site."""

    def items(self) -> list[str]:
        known = set(Model.objects.values_list("slug", flat=True))
        return [reverse("model", args=[slug]) for slug in reported_models() if slug not in known]

    def location(self, item: str) -> str:
        return item


class SnapshotPages(Sitemap):
    def items(self) -> QuerySet[Snapshot]:
        return Snapshot.objects.defer("content").order_by("slug")

    def lastmod(self, item: Snapshot) -> Any:
        return item.created_at


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    lines = ["User-agent: *", *(f"Disallow: {path}" for path in NOT_READ)]
    lines.append(f"Sitemap: {request.build_absolute_uri(reverse('sitemap'))}")
    return HttpResponse("\n".join(lines) + "\n", content_type="text/plain; charset=utf-8")


SITEMAPS = {"addresses": Addresses, "models": ModelPages, "reported": ReportedModelPages, "snapshots": SnapshotPages}
urlpatterns = [
    path("robots.txt", robots, name="robots"),
    path("sitemap.xml", sitemap, {"sitemaps": SITEMAPS}, name="sitemap"),
]
