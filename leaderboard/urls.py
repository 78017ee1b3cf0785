"""URLs of the leaderboard app."""

from django.urls import URLPattern, URLResolver, include, path

from leaderboard.pages import audits, boards, charts, comparison, concepts, home, items, models
from leaderboard.pages.publications import pack_archives, papers, snapshots

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("feed.atom", home.Changes(), name="feed"),
    path("leaderboard/", boards.boards, name="boards"),
    path("leaderboard/<slug:slug>/", boards.board, name="board"),
    path("leaderboard/<slug:slug>/items/", items.board_items, name="board-items"),
    path("leaderboard/<slug:slug>/blind/", audits.blind, name="blind"),
    path("leaderboard/<slug:slug>/health/", audits.health, name="health"),
    path("leaderboard/<slug:slug>/rounds/", audits.rounds, name="rounds"),
    path("leaderboard/<slug:slug>/referees/", audits.referees, name="referees"),
    path("", include("leaderboard.analyses.urls")),
    path("leaderboard/<slug:slug>/figure-3/", papers.figure_3, name="figure-3"),
    path("leaderboard/<slug:slug>/figure-3/points/", papers.figure_3_points, name="figure-3-points"),
    path("leaderboard/<slug:slug>/figure-3/frame/", papers.figure_3_frame, name="figure-3-frame"),
    path("leaderboard/<slug:slug>/charts/<str:name>/", charts.chart, name="chart"),
    path("leaderboard/<slug:slug>/charts/<str:name>/points/", charts.chart_points, name="chart-points"),
    path("leaderboard/<slug:slug>/charts/<str:name>/frame/", charts.chart_frame, name="chart-frame"),
    path("embed/leaderboard/<slug:slug>/charts/<str:name>/", charts.chart_embedded, name="chart-embedded"),
    path("leaderboard/<slug:slug>/tables/<str:name>/", papers.layout, name="layout"),
    path("benchmarks/<slug:slug>/pack.tar", pack_archives.pack_archive, name="pack-archive"),
    path("benchmarks/<slug:slug>/items/<slug:public_id>/", items.item, name="item"),
    path("concepts/", concepts.concepts, name="concepts"),
    path("concepts/<str:slug>/", concepts.concept, name="concept"),
    path("models/", models.models, name="models"),
    path("models/<slug:slug>/", models.model, name="model"),
    path("models/<slug:slug>/picture/", models.picture, name="model-picture"),
    path("explore/", items.explore, name="explore"),
    path("compare/", comparison.compare, name="compare"),
    path("compare/points/", comparison.compare_points, name="compare-points"),
    path("compare/frame/", comparison.compare_frame, name="compare-frame"),
    path("snapshots/", snapshots.snapshots, name="snapshots"),
    path("snapshots/freeze/", snapshots.freeze, name="snapshot-freeze"),
    path("snapshots/key/", snapshots.key, name="snapshot-key"),
    path("snapshots/<slug:slug>/", snapshots.snapshot, name="snapshot"),
    path("snapshots/<slug:slug>/file/", snapshots.snapshot_file, name="snapshot-file"),
    path("snapshots/<slug:slug>/CITATION.cff", snapshots.citation, name="snapshot-citation"),
    path("snapshots/<slug:slug>/datacite.json", snapshots.datacite_file, name="snapshot-datacite"),
    path("about/statistics/", boards.statistics, name="statistics"),
    path("api/v1/", include("leaderboard.api.urls")),
]
