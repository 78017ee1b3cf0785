"""What readers of a pack's scores must know: the caveats of its benchmark about the pack's content."""

from collections import Counter

from django.db.models import Count

from benchmarks.definitions.definition import PackContents
from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Item, ItemFacet, ItemMedia, Pack


def caveats_of(pack: Pack | None) -> tuple[str, ...]:
    """The caveats of this pack's scores; without a pack none."""
    if pack is None or pack.benchmark not in BENCHMARKS:
        return ()
    return BENCHMARKS[pack.benchmark].caveats(contents_of(pack))


def contents_of(pack: Pack) -> PackContents:
    """Counts of the pack's questions and videos; needs no query without facets to count."""
    facets = BENCHMARKS[pack.benchmark].caveat_facets
    if not facets:
        return PackContents(questions=0, videos=0, counts={})
    rows = ItemFacet.objects.filter(item__pack=pack, name__in=facets).values_list("name", "value")
    return PackContents(
        questions=Item.objects.filter(pack=pack).count(),
        videos=ItemMedia.objects.filter(item__pack=pack).aggregate(found=Count("clip", distinct=True))["found"],
        counts=Counter({(name, value): count for name, value, count in rows.annotate(Count("pk")).order_by()}),
    )
