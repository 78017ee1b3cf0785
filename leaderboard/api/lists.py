"""API calls that list stored objects, or return one of them."""

from collections.abc import Callable
from typing import Any

from django.db.models import Count, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_view
from rest_framework import generics
from rest_framework.exceptions import PermissionDenied, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ReadOnlyModelViewSet

from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.models import Clip, Item, Pack
from evaluation.models import Model, ModelResponse, Run
from humantrials.models import Trial, TrialState
from humantrials.results.judgments import ItemVote, conditions_of, votes
from humantrials.results.release import may_show_scores, wait_of
from leaderboard.api import filters
from leaderboard.api.query import refuse_unknown
from leaderboard.api.serializers import (
    ItemSerializer,
    ModelSerializer,
    OneItemSerializer,
    OneTrialSerializer,
    PackSerializer,
    ResponseSerializer,
    RoundSerializer,
    RunSerializer,
    SnapshotSerializer,
    StandingSerializer,
    TrialSerializer,
    VoteSerializer,
)
from leaderboard.models import SealedRound, Snapshot, Standing
from leaderboard.standings.refresh import has_rows


class OrderedList(ReadOnlyModelViewSet):
    """A list in the order of a unique key."""

    key = "pk"

    def filter_queryset(self, queryset: QuerySet) -> QuerySet:
        return queryset if self.action == "retrieve" else super().filter_queryset(queryset)

    def retrieve(self, request: Request, *args: Any, **kwargs: Any) -> Response:
        """One object; the only parameters are `fields` and `format`."""
        refuse_unknown(request, (), ("fields", "format"))
        return super().retrieve(request, *args, **kwargs)


def summarised(several: str, one: str = "") -> Callable[[type[OrderedList]], type[OrderedList]]:
    """Decorator: what the schema says of the list and of one of its objects."""
    calls = {"list": several, "retrieve": one}
    return extend_schema_view(**{call: extend_schema(summary=words) for call, words in calls.items() if words})


def counted(of: QuerySet[Item] | QuerySet[Clip]) -> Coalesce:
    """Subquery that counts these rows of each pack."""
    rows = of.filter(pack=OuterRef("pk")).order_by().values("pack").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(rows, output_field=IntegerField()), 0)


@summarised("Packs of items", "One pack")
class Packs(OrderedList):
    queryset = Pack.objects.annotate(
        item_count=counted(Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE))), clip_count=counted(Clip.objects.all())
    )
    serializer_class = PackSerializer
    filterset_class = filters.PackFilters

    def get_object(self) -> Pack:
        return get_object_or_404(self.get_queryset(), benchmark=self.kwargs["slug"], name=self.kwargs["name"])


@summarised("Items, without those that an open study hides", "One item, with people's answers and named moments")
class Items(OrderedList):
    queryset = (
        Item.objects.filter(open_to(PUBLIC, Fact.EXISTENCE))
        .annotate(has_public_answer=open_to(PUBLIC, Fact.ANSWER))
        .select_related("pack")
        .prefetch_related("facets", "media__clip__renditions")
    )
    filterset_class = filters.ItemFilters
    key = lookup_field = "public_id"

    def get_serializer_class(self) -> type[ItemSerializer]:
        return OneItemSerializer if self.action == "retrieve" else ItemSerializer


@summarised("Models and their cards", "One model")
class Models(OrderedList):
    # Uploaded models appear once they have a run on a board: before that nobody may see them.
    queryset = Model.objects.exclude(kind="uploaded") | Model.objects.filter(
        kind="uploaded", pk__in=Run.objects.on_the_board().values("model")
    )
    serializer_class = ModelSerializer
    filterset_class = filters.ModelFilters
    lookup_field = "slug"


@summarised("Runs that are on a board", "One run")
class Runs(OrderedList):
    queryset = Run.objects.on_the_board().select_related("model", "pack")
    serializer_class = RunSerializer
    filterset_class = filters.RunFilters


@summarised("A run's replies, item by item, without items whose answer is hidden")
class Responses(OrderedList):
    serializer_class = ResponseSerializer
    filterset_class = filters.ResponseFilters

    def get_queryset(self) -> QuerySet[ModelResponse]:
        if getattr(self, "swagger_fake_view", False):
            return ModelResponse.objects.none()
        public = Item.objects.filter(pack=self._run().pack_id).filter(open_to(PUBLIC, Fact.ANSWER))
        replies = ModelResponse.objects.filter(cell__run=self._run().pk, cell__item__in=public)
        return replies.select_related("cell__item").prefetch_related("readings__scores")

    def get_serializer_context(self) -> dict[str, Any]:
        fake = getattr(self, "swagger_fake_view", False)
        return super().get_serializer_context() | {"run": None if fake else self._run()}

    def _run(self) -> Run:
        if not hasattr(self, "_found"):
            self._found = get_object_or_404(Runs.queryset, pk=self.kwargs["pk"])
        return self._found


@summarised("Rows of the boards, with every figure by facet value")
class Standings(OrderedList):
    queryset = Standing.objects.none()
    serializer_class = StandingSerializer
    filterset_class = filters.StandingFilters

    def get_queryset(self) -> QuerySet[Standing]:
        """Standings on boards, without studies whose results are not shown yet."""
        hidden = [trial.pk for trial in Trial.objects.filter(standings__isnull=False).distinct() if not has_rows(trial)]
        rows = Standing.objects.select_related("pack", "run", "trial").exclude(trial__in=hidden)
        return rows.filter(run__in=Run.objects.on_the_board().values("pk")) | rows.filter(trial__isnull=False)


@summarised("Human studies", "One human study")
class Trials(OrderedList):
    queryset = Trial.objects.exclude(state=TrialState.DRAFT).select_related("pack")
    filterset_class = filters.TrialFilters
    lookup_field = "slug"

    def get_serializer_class(self) -> type[TrialSerializer]:
        return OneTrialSerializer if self.action == "retrieve" else TrialSerializer


@extend_schema_view(
    get=extend_schema(
        summary="People's answers to each item of a study, once its results are shown",
        parameters=[
            OpenApiParameter("condition", OpenApiTypes.STR, description="of a study with several; else its first")
        ],
        responses={200: VoteSerializer(many=True), 400: OpenApiTypes.OBJECT, 403: OpenApiTypes.OBJECT},
    )
)
class VoteList(generics.GenericAPIView):
    """All votes of one study in one response: a design has hundreds of items, not millions."""

    queryset = Trials.queryset
    serializer_class = VoteSerializer
    lookup_field = "slug"
    filter_backends = ()
    pagination_class = None

    def get(self, request: Request, slug: str) -> Response:
        refuse_unknown(request, ("condition",), ("format",))
        trial = self.get_object()
        there, condition = conditions_of(trial), request.query_params.get("condition", "")
        if condition not in ("", *there):
            raise ValidationError({"condition": f"does not exist here; there is: {', '.join(there)}"})
        if not may_show_scores(trial):
            wait = wait_of(trial)
            raise PermissionDenied(wait.label if wait else "This study has no right answers.")
        found = {vote.item_id: vote for vote in votes(trial, condition)}
        names = dict(
            Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), pk__in=found)
            .order_by("public_id")
            .values_list("pk", "public_id")
        )
        return Response(VoteSerializer([_vote_facts(name, found[pk]) for pk, name in names.items()], many=True).data)


def _vote_facts(item: str, vote: ItemVote) -> dict[str, Any]:
    return {"item": item, "n": vote.n, "counts": vote.counts, "majority": vote.majority, "tie": vote.is_tie}


@summarised("Sealed rounds")
class Rounds(OrderedList):
    queryset = SealedRound.objects.select_related("public", "fresh")
    serializer_class = RoundSerializer


@summarised("Snapshots", "One snapshot")
class Snapshots(OrderedList):
    queryset = Snapshot.objects.defer("content")
    serializer_class = SnapshotSerializer
    lookup_field = "slug"
