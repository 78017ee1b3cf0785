"""The filters of each list."""

from functools import reduce
from operator import or_

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import NotFound, ValidationError

from benchmarks.definitions.registry import BENCHMARKS, BUILT_IN, tellers
from benchmarks.models import Item, ItemFacet, ItemQuerySet, Origin
from evaluation.models import Run
from humantrials.models import Trial, TrialState
from leaderboard.models import RowKind, Standing


def slugs() -> list[tuple[str, str]]:
    return [(slug, benchmark.title) for slug, benchmark in BENCHMARKS.items()]


def flag(label: str, path: str | None = None) -> filters.TypedChoiceFilter:
    """A filter that takes true or false; anything else is an error."""
    words = (("true", "true"), ("false", "false"))
    return filters.TypedChoiceFilter(field_name=path, choices=words, coerce=lambda word: word == "true", label=label)


@extend_schema_field({"type": "string", "enum": [*BUILT_IN]})
class BenchmarkFilter(filters.ChoiceFilter):
    """Takes the slug of any benchmark; the schema, which is built once, lists those of this version."""


def benchmark_filter(path: str) -> BenchmarkFilter:
    return BenchmarkFilter(field_name=path, choices=slugs, label="slug of a benchmark")


class PackFilters(filters.FilterSet):
    benchmark = benchmark_filter("benchmark")
    origin = filters.ChoiceFilter(choices=Origin.choices)


class ItemFilters(filters.FilterSet):
    benchmark = benchmark_filter("pack__benchmark")
    pack = filters.CharFilter(field_name="pack__name", label="name of a pack")
    kind = filters.CharFilter(label="kind of question")
    split = filters.CharFilter(method="in_split", label="name of a split")
    strategy = filters.CharFilter(method="of_strategy", label="name of a prompting strategy")
    facet = filters.CharFilter(method="with_facet", label="NAME:VALUE, for example concept:gravity")

    def in_split(self, items: QuerySet[Item], name: str, value: str) -> QuerySet[Item]:
        return _with(items, "split", value)

    def of_strategy(self, items: ItemQuerySet, name: str, value: str) -> QuerySet[Item]:
        known = [(benchmark, one) for benchmark in BENCHMARKS.values() for one in benchmark.strategies]
        found = [
            items.filter(pack__benchmark=benchmark.slug).for_strategy(benchmark, one)
            for benchmark, one in known
            if one.name == value
        ]
        if not found:
            there = ", ".join(dict.fromkeys(one.name for _benchmark, one in known))
            raise NotFound(f"strategy={value[:60]!r} does not exist; there is: {there}")
        return reduce(or_, found)

    @extend_schema_field({"type": "string", "pattern": "^[^:\\u0000]+:[^\\u0000]*$"})
    def with_facet(self, items: QuerySet[Item], name: str, value: str) -> QuerySet[Item]:
        facet, between, wanted = value.partition(":")
        if not facet or not between:
            raise ValidationError({"facet": f"{value[:60]!r}: write NAME:VALUE, for example concept:gravity"})
        tellers_of = tellers(facet)
        if tellers_of and not items.exclude(pack__benchmark__in=tellers_of).exists():
            raise NotFound(f"facet={facet}: it reveals the answer, so it can't be a filter")
        return _with(items.exclude(pack__benchmark__in=tellers_of), facet, wanted)


def _with(items: QuerySet[Item], facet: str, value: str) -> QuerySet[Item]:
    return items.filter(pk__in=ItemFacet.objects.filter(name=facet, value=value).values("item_id"))


class ModelFilters(filters.FilterSet):
    kind = filters.CharFilter(label="kind of adapter: transformers, openai, command, uploaded …")
    made_here = flag("trained by this site")


class RunFilters(filters.FilterSet):
    benchmark = benchmark_filter("pack__benchmark")
    pack = filters.CharFilter(field_name="pack__name", label="name of a pack")
    model = filters.CharFilter(field_name="model__slug", label="slug of a model")

    class Meta:
        model = Run
        fields = ("benchmark", "pack", "model", "strategy", "condition", "split")


class ResponseFilters(filters.FilterSet):
    item = filters.CharFilter(field_name="cell__item__public_id", label="id of an item")
    seed = filters.NumberFilter(field_name="cell__seed", min_value=0, max_value=2**31)


class StandingFilters(filters.FilterSet):
    benchmark = benchmark_filter("pack__benchmark")
    pack = filters.CharFilter(field_name="pack__name", label="name of a pack")
    kind = filters.ChoiceFilter(choices=RowKind.choices)
    model = filters.CharFilter(field_name="run__model__slug", label="slug of a model")

    class Meta:
        model = Standing
        fields = ("benchmark", "pack", "kind", "tier", "model", "strategy", "condition", "split")


class TrialFilters(filters.FilterSet):
    benchmark = benchmark_filter("pack__benchmark")
    state = filters.ChoiceFilter(choices=[choice for choice in TrialState.choices if choice[0] != TrialState.DRAFT])
    simulated = flag("answered by simulated people", "is_simulated")

    class Meta:
        model = Trial
        fields = ("benchmark", "protocol", "state", "simulated")
