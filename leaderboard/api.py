"""The boards, items and runs as JSON, read-only: the same rows as the pages, with a schema."""

from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from drf_spectacular.views import SpectacularAPIView
from rest_framework import generics, serializers
from rest_framework.decorators import api_view
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.models import Item
from benchmarks.registry import BENCHMARKS, UnknownBenchmark, find_benchmark
from evaluation.models import Run
from leaderboard.address import STATE, BadAddress, shelf_of, view_of
from leaderboard.rows import board_of
from leaderboard.tables import board_json

# These facets tell the true answer.
TELLING = ("polarity",)


def parameter(name: str, what: str) -> OpenApiParameter:
    return OpenApiParameter(name, OpenApiTypes.STR, description=what)


PACK = parameter("pack", "name of a pack")
BENCHMARK = parameter("benchmark", "slug of a benchmark")
VIEW = [parameter(name, "as in the address of the board's page") for name in STATE if name != "page"]


@extend_schema(
    operation_id="boards_list", summary="Every board with its levels and packs", responses=OpenApiTypes.OBJECT
)
@api_view(["GET"])
def boards(request: Request) -> Response:
    return Response({"boards": [_board_entry(slug) for slug in BENCHMARKS]})


def _board_entry(slug: str) -> dict[str, Any]:
    benchmark = BENCHMARKS[slug]
    levels = [
        {"level": level.number, "title": level.title, "strategies": level.strategies} for level in benchmark.levels
    ]
    packs = [pack.name for pack in shelf_of(slug).packs]
    return {"benchmark": slug, "title": benchmark.title, "levels": levels, "packs": packs, "splits": benchmark.splits}


@extend_schema(
    summary="One view of one board", parameters=VIEW, responses={200: OpenApiTypes.OBJECT, 404: OpenApiTypes.OBJECT}
)
@api_view(["GET"])
def board(request: Request, slug: str) -> Response:
    try:
        benchmark = find_benchmark(slug)
        return Response(board_json(board_of(view_of(benchmark, request.query_params, shelf_of(slug)))))
    except (UnknownBenchmark, BadAddress) as mistake:
        raise NotFound(str(mistake)) from mistake


class ItemSerializer(serializers.ModelSerializer):
    """A question without its answer."""

    benchmark = serializers.CharField(source="pack.benchmark")
    pack = serializers.CharField(source="pack.name")
    facets = serializers.SerializerMethodField()
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Item
        fields = (
            "public_id",
            "benchmark",
            "pack",
            "kind",
            "text",
            "lead_in",
            "answer_kind",
            "options",
            "facets",
            "page",
        )

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_facets(self, item: Item) -> dict[str, list[str]]:
        names = sorted({facet.name for facet in item.facets.all()} - set(TELLING))
        return {name: item.facet_values(name) for name in names}


def _narrowed(queryset: QuerySet, request: Request) -> QuerySet:
    given = {"pack__benchmark": request.query_params.get("benchmark"), "pack__name": request.query_params.get("pack")}
    return queryset.filter(**{name: value for name, value in given.items() if value})


@extend_schema_view(get=extend_schema(summary="Items that no open study seals", parameters=[BENCHMARK, PACK]))
class Items(generics.ListAPIView):
    queryset = Item.objects.unsealed().select_related("pack").prefetch_related("facets").order_by("public_id")
    serializer_class = ItemSerializer

    def get_queryset(self) -> QuerySet:
        return _narrowed(super().get_queryset(), self.request)


@extend_schema_view(get=extend_schema(summary="One item"))
class OneItem(generics.RetrieveAPIView):
    queryset = Items.queryset
    serializer_class = ItemSerializer
    lookup_field = "public_id"


class RunSerializer(serializers.ModelSerializer):
    """What was asked of which model, and how."""

    model = serializers.CharField(source="model.slug")
    benchmark = serializers.CharField(source="pack.benchmark")
    pack = serializers.CharField(source="pack.name")
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Run
        fields = (
            "id", "model", "benchmark", "pack", "kind", "revision", "strategy", "condition", "split", "sampler",
            "sampling", "seeds", "parser", "parser_version", "state", "created_at", "finished_at", "page",
        )  # fmt: skip


@extend_schema_view(get=extend_schema(summary="Runs that are on a board", parameters=[BENCHMARK, PACK]))
class Runs(generics.ListAPIView):
    queryset = Run.objects.on_the_board().select_related("model", "pack").order_by("pk")
    serializer_class = RunSerializer

    def get_queryset(self) -> QuerySet:
        return _narrowed(super().get_queryset(), self.request)


@extend_schema_view(get=extend_schema(summary="One run"))
class OneRun(generics.RetrieveAPIView):
    queryset = Runs.queryset
    serializer_class = RunSerializer


def docs(request: HttpRequest) -> HttpResponse:
    """What the API offers, drawn from its own schema."""
    schema = SchemaGenerator().get_schema(public=True)
    calls = [
        {"method": method.upper(), "path": address, **call}
        for address, methods in schema["paths"].items()
        for method, call in methods.items()
    ]
    return render(request, "leaderboard/api_docs.html", {"section": "api", "calls": calls})


urlpatterns = [
    path("boards/", boards, name="api-boards"),
    path("boards/<slug:slug>/", board, name="api-board"),
    path("items/", Items.as_view(), name="api-items"),
    path("items/<slug:public_id>/", OneItem.as_view(), name="api-item"),
    path("runs/", Runs.as_view(), name="api-runs"),
    path("runs/<int:pk>/", OneRun.as_view(), name="api-run"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path("docs/", docs, name="api-docs"),
]
