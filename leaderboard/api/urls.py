"""URLs of the API. Each response has an ETag, and a caller that sends it back gets 304 while nothing changed."""

from django.urls import path
from django.views.decorators.http import conditional_page as with_etag

from leaderboard.api import boards, lists
from leaderboard.api.schema_views import Schema, docs

LIST, ONE = {"get": "list"}, {"get": "retrieve"}

urlpatterns = [
    path("boards/", with_etag(boards.boards), name="api-boards"),
    path("boards/<slug:slug>/", with_etag(boards.board), name="api-board"),
    path("boards/<slug:slug>/<str:what>/", with_etag(boards.answers), name="api-answers"),
    path("benchmarks/", with_etag(boards.benchmarks), name="api-benchmarks"),
    path("benchmarks/<slug:slug>/", with_etag(boards.benchmark), name="api-benchmark"),
    path("packs/", with_etag(lists.Packs.as_view(LIST)), name="api-packs"),
    path("packs/<slug:slug>/<slug:name>/", with_etag(lists.Packs.as_view(ONE)), name="api-pack"),
    path("items/", with_etag(lists.Items.as_view(LIST)), name="api-items"),
    path("items/<slug:public_id>/", with_etag(lists.Items.as_view(ONE)), name="api-item"),
    path("models/", with_etag(lists.Models.as_view(LIST)), name="api-models"),
    path("models/<slug:slug>/", with_etag(lists.Models.as_view(ONE)), name="api-model"),
    path("runs/", with_etag(lists.Runs.as_view(LIST)), name="api-runs"),
    path("runs/<int:pk>/", with_etag(lists.Runs.as_view(ONE)), name="api-run"),
    path("runs/<int:pk>/responses/", with_etag(lists.Responses.as_view(LIST)), name="api-responses"),
    path("standings/", with_etag(lists.Standings.as_view(LIST)), name="api-standings"),
    path("compare/", with_etag(boards.compare), name="api-compare"),
    path("trials/", with_etag(lists.Trials.as_view(LIST)), name="api-trials"),
    path("trials/<slug:slug>/", with_etag(lists.Trials.as_view(ONE)), name="api-trial"),
    path("trials/<slug:slug>/votes/", with_etag(lists.VoteList.as_view()), name="api-votes"),
    path("rounds/", with_etag(lists.Rounds.as_view(LIST)), name="api-rounds"),
    path("snapshots/", with_etag(lists.Snapshots.as_view(LIST)), name="api-snapshots"),
    path("snapshots/<slug:slug>/", with_etag(lists.Snapshots.as_view(ONE)), name="api-snapshot"),
    path("schema/", with_etag(Schema.as_view()), name="api-schema"),
    path("docs/", docs, name="api-docs"),
]
