"""Serializers of the API. None gives out a withheld answer, a path or a person."""

from dataclasses import asdict
from functools import cached_property
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from benchmarks.definitions.definition import Benchmark
from benchmarks.definitions.registry import telling
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.disclosure.doors import closed_among, policy_of
from benchmarks.models import Item, Pack
from evaluation.models import Model, ModelResponse, Reading, Run
from humantrials.models import Trial, TrialState
from humantrials.results.methods_section import public_methods
from humantrials.results.release import may_show_scores
from leaderboard.api.query import ChosenFields
from leaderboard.board.rows_alike import settings_of
from leaderboard.board_analysis import ItemLines, analyses
from leaderboard.items.item_detail import votes_on
from leaderboard.items.item_media import pictures_of_clip
from leaderboard.models import SealedRound, Snapshot, Standing
from leaderboard.standings.human_rows import row_key


class PackSerializer(ChosenFields, serializers.ModelSerializer):
    """One body of items and the hash of all its content."""

    items = serializers.IntegerField(source="item_count")
    clips = serializers.IntegerField(source="clip_count")
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Pack
        fields = (
            "benchmark",
            "name",
            "title",
            "origin",
            "profile",
            "definition_version",
            "manifest_hash",
            "items",
            "clips",
            "note",
            "created_at",
            "page",
        )


class ItemSerializer(ChosenFields, serializers.ModelSerializer):
    """A question without its answer."""

    benchmark = serializers.CharField(source="pack.benchmark")
    pack = serializers.CharField(source="pack.name")
    key = serializers.SerializerMethodField(help_text="its official name, which tells the answer; '' if that is secret")
    facets = serializers.SerializerMethodField()
    clips = serializers.SerializerMethodField(help_text="the addresses of its videos or pictures, if they are public")
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Item
        fields = (
            "public_id",
            "key",
            "benchmark",
            "pack",
            "kind",
            "text",
            "lead_in",
            "answer_kind",
            "options",
            "facets",
            "clips",
            "page",
        )

    def get_key(self, item: Item) -> str:
        return item.key if self._has_public_answer(item) else ""

    @staticmethod
    def _has_public_answer(item: Item) -> bool:
        """Whether the item's answer is public, as the list's query found."""
        return bool(item.has_public_answer)  # type: ignore[attr-defined]

    def get_clips(self, item: Item) -> list[str]:
        policy, clips = policy_of(item.pack), [use.clip for use in item.media.all()]
        pictures = (pictures_of_clip(clip, policy) for clip in clips if clip.pk not in self._closed)
        return [found.get("video") or found["still"] for found in pictures if found]

    @cached_property
    def _closed(self) -> dict[int, bool]:
        """The clips of this page that are closed to the public."""
        page = self.parent.instance if isinstance(self.parent, serializers.ListSerializer) else [self.instance]
        return closed_among([use.clip for item in page for use in item.media.all()])

    @extend_schema_field(OpenApiTypes.OBJECT)
    def get_facets(self, item: Item) -> dict[str, list[str]]:
        names = sorted({facet.name for facet in item.facets.all()} - telling(item.pack.benchmark))
        return {name: item.facet_values(name) for name in names}


class ItemVotesSerializer(serializers.Serializer):
    """Answers and confidence of people of one study, under one condition, on one item."""

    trial = serializers.CharField(source="trial.slug")
    simulated = serializers.BooleanField(source="trial.is_simulated")
    condition = serializers.CharField()
    counts = serializers.DictField(source="result.counts", child=serializers.IntegerField())
    majority = serializers.CharField(source="result.answer", allow_null=True)
    tie = serializers.BooleanField(source="result.is_tie")
    median_seconds = serializers.FloatField(allow_null=True)
    mean_confidence = serializers.FloatField(source="confidence", allow_null=True)
    confidence_steps = serializers.IntegerField(source="steps", help_text="of the study's scale; 0: it has none")


class ItemLinesField(serializers.Field):
    """What an analysis lists at the item; nothing if its answer is secret."""

    def __init__(self, lines: ItemLines) -> None:
        super().__init__(source="*", read_only=True)
        self.lines = lines
        extend_schema_field(lines.serializer(many=True))(self)

    def to_representation(self, item: Item) -> list[dict[str, Any]]:
        found = self.lines.find(item) if item.has_public_answer else []  # type: ignore[attr-defined]
        return self.lines.serializer(found, many=True).data


class OneItemSerializer(ItemSerializer):
    """A question without its answer; with people's answers and named moments, unless its answer is secret."""

    people = serializers.SerializerMethodField()

    class Meta:
        model = Item
        fields = (*ItemSerializer.Meta.fields, "people")

    def get_fields(self) -> dict[str, serializers.Field]:
        lines = {name: one.lines_at_item for name, one in analyses().items() if one.lines_at_item}
        return super().get_fields() | {name: ItemLinesField(found) for name, found in lines.items()}

    @extend_schema_field(ItemVotesSerializer(many=True))
    def get_people(self, item: Item) -> list[dict[str, Any]]:
        votes = votes_on(item)[0] if self._has_public_answer(item) else []
        return ItemVotesSerializer([vote for vote in votes if vote.trial.state != TrialState.DRAFT], many=True).data


class ModelSerializer(ChosenFields, serializers.ModelSerializer):
    """A model and its card."""

    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Model
        fields = ("slug", "name", "kind", "role", "revision", "card", "made_here", "created_at", "page")


class RunSerializer(ChosenFields, serializers.ModelSerializer):
    """A run: its model, its questions, and how they were asked."""

    model = serializers.CharField(source="model.slug")
    benchmark = serializers.CharField(source="pack.benchmark")
    pack = serializers.CharField(source="pack.name")
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Run
        fields = (
            "id", "model", "benchmark", "pack", "kind", "revision", "strategy", "condition", "split", "sampler",
            "sampling", "seeds", "parser", "parser_version", "referee", "state", "created_at", "finished_at", "page",
        )  # fmt: skip


class ResponseSerializer(ChosenFields, serializers.ModelSerializer):
    """One reply with the run's parsed answer, its score, and the model's input."""

    item = serializers.CharField(source="cell.item.public_id")
    seed = serializers.IntegerField(source="cell.seed")
    reply = serializers.CharField(source="raw")
    answer = serializers.SerializerMethodField()
    problem = serializers.SerializerMethodField()
    score = serializers.SerializerMethodField()
    turns = serializers.SerializerMethodField()

    class Meta:
        model = ModelResponse
        fields = (
            "item",
            "seed",
            "reply",
            "answer",
            "problem",
            "score",
            "turns",
            "thoughts",
            "tokens_in",
            "tokens_out",
            "frames_hash",
            "frame_indices",
            "frame_times",
            "seconds",
        )

    def _reading(self, response: ModelResponse) -> Reading | None:
        run = self.context["run"]
        rows = (row for row in response.readings.all() if (row.parser, row.version) == (run.parser, run.parser_version))
        return next(rows, None)

    @extend_schema_field(serializers.ListField(child=serializers.DictField()))
    def get_turns(self, response: ModelResponse) -> list[dict[str, Any]]:
        return [turn | {"item": self._ids.get(turn["item"], "")} if "item" in turn else turn for turn in response.turns]

    @cached_property
    def _ids(self) -> dict[str, str]:
        """Draw key -> public id of the unsealed items that the shown replies name."""
        rows = self.parent.instance if self.parent is not None else [self.instance]
        named = {turn["item"] for response in rows for turn in response.turns if "item" in turn}
        items = (
            Item.objects.filter(open_to(PUBLIC, Fact.ANSWER), draw_key__in=named).order_by()
            if named
            else Item.objects.none()
        )
        return dict(items.values_list("draw_key", "public_id"))

    def get_answer(self, response: ModelResponse) -> str:
        reading = self._reading(response)
        return reading.answer if reading else ""

    def get_problem(self, response: ModelResponse) -> str:
        reading = self._reading(response)
        return reading.problem if reading else ""

    @extend_schema_field(serializers.FloatField(allow_null=True, min_value=0, max_value=1))
    def get_score(self, response: ModelResponse) -> float | None:
        reading, referee = self._reading(response), self.context["run"].referee
        values = [row.value for row in reading.scores.all() if row.referee == referee] if reading else []
        return sum(values) / len(values) if values else None


class StandingSerializer(ChosenFields, serializers.ModelSerializer):
    """One row of one board: shares between 0 and 1, by facet and value."""

    row = serializers.SerializerMethodField(help_text="key of the row, as `/compare/` takes it")
    benchmark = serializers.CharField(source="pack.benchmark")
    pack = serializers.CharField(source="pack.name")
    settings = serializers.SerializerMethodField(help_text="of a model's run, as the board names them")

    class Meta:
        model = Standing
        fields = (
            "row",
            "name",
            "kind",
            "revision",
            "settings",
            "benchmark",
            "pack",
            "strategy",
            "condition",
            "split",
            "overall",
            "cells",
            "tier",
            "computed_at",
        )

    def get_row(self, standing: Standing) -> str:
        return row_key(standing.trial, standing.condition) if standing.trial else f"run-{standing.run_id}"

    def get_settings(self, standing: Standing) -> dict[str, str]:
        return dict(settings_of(standing.run)) if standing.run else {}


class TrialSerializer(ChosenFields, serializers.ModelSerializer):
    """A human study; `shows_results` says whether its votes can be read yet."""

    benchmark = serializers.CharField(source="pack.benchmark")
    pack = serializers.CharField(source="pack.name")
    simulated = serializers.BooleanField(source="is_simulated")
    shows_results = serializers.SerializerMethodField()
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Trial
        fields = (
            "slug",
            "title",
            "protocol",
            "benchmark",
            "pack",
            "state",
            "simulated",
            "design_hash",
            "shows_results",
            "created_at",
            "page",
        )

    def get_shows_results(self, trial: Trial) -> bool:
        return may_show_scores(trial)


class OneTrialSerializer(TrialSerializer):
    """A human study with its methods section."""

    methods = serializers.SerializerMethodField(help_text="`procedure` and `results` for a paper; null until shown")

    class Meta:
        model = Trial
        fields = (*TrialSerializer.Meta.fields, "methods")

    def get_methods(self, trial: Trial) -> dict[str, str] | None:
        found = public_methods(trial)
        return asdict(found) if found else None


class VoteSerializer(serializers.Serializer):
    """People's answers to one item, without their identities."""

    item = serializers.CharField()
    n = serializers.IntegerField()
    counts = serializers.DictField(child=serializers.IntegerField())
    majority = serializers.CharField(allow_null=True)
    tie = serializers.BooleanField()


class RoundSerializer(ChosenFields, serializers.ModelSerializer):
    """A sealed round: what was committed to, when it was opened with which public value, and what was withdrawn."""

    benchmark = serializers.CharField(source="public.benchmark")
    public = serializers.CharField(source="public.name")
    fresh = serializers.CharField(source="fresh.name", default=None)
    manifest = serializers.CharField(source="fresh.manifest_hash", default=None)
    withdrawn = serializers.SerializerMethodField()

    class Meta:
        model = SealedRound
        fields = (
            *("id", "benchmark", "commitment", "definition", "date", "committed_at", "public", "opened_at", "value"),
            *("fresh", "manifest", "withdrawn", "revealed_at", "seed"),
        )

    def get_withdrawn(self, one: SealedRound) -> list[dict[str, Any]]:
        """When a fresh clip was withdrawn, and why; its name in the release could reveal an answer."""
        return [dict(row) for row in one.withdrawn.values("withdrawn_at", "withdrawal_note")]


class SnapshotSerializer(ChosenFields, serializers.ModelSerializer):
    """A frozen board; its file holds every number and the answers behind it."""

    file = serializers.SerializerMethodField()
    page = serializers.CharField(source="get_absolute_url")

    class Meta:
        model = Snapshot
        fields = ("slug", "benchmark", "sha256", "created_at", "file", "page")

    def get_file(self, snapshot: Snapshot) -> str:
        return f"{snapshot.get_absolute_url()}file/"


WORDS = ("slug", "title", "question", "about", "version", "citation", "licence", "media_policy", "homepage")
RULES = ("parsers", "splits", "conditions", "protocols", "scoring")
LEVEL = ("number", "title", "about", "groups", "strategies", "chance")


def definition_facts(benchmark: Benchmark) -> dict[str, Any]:
    """A benchmark's definition as JSON data, without facets that give answers away."""
    facets = [facet for facet in benchmark.facets if not facet.tells]
    fields = ("name", "title", "paper", "level", "kinds", "ours", "condition", "splits", "version")
    return {
        **_facts(benchmark, *WORDS, *RULES),
        "levels": [_facts(each, *LEVEL) for each in benchmark.levels],
        "facets": [
            _facts(facet, "name", "title") | {"values": [_facts(each, "value", "title") for each in facet.values]}
            for facet in facets
        ],
        "strategies": [_facts(each, *fields) for each in benchmark.strategies],
        "defects": [_facts(each, "paper", "release", "here") for each in benchmark.defects],
    }


def _facts(thing: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in names}
