"""URLs of the leaderboard app."""

from django.urls import URLPattern, URLResolver, include, path

from leaderboard.views import (
    audio,
    boards,
    charts,
    comparison,
    concepts,
    explorer,
    home,
    items,
    paper_figures,
    paper_tables,
    referees,
    snapshots,
)

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.home, name="home"),
    path("leaderboard/", boards.boards, name="boards"),
    path("leaderboard/<slug:slug>/", boards.board, name="board"),
    path("leaderboard/<slug:slug>/items/", items.board_items, name="board-items"),
    path("leaderboard/<slug:slug>/referees/", referees.referees, name="referees"),
    path("leaderboard/<slug:slug>/temperatures/", referees.temperatures, name="temperatures"),
    path("leaderboard/<slug:slug>/sound/", audio.hearing, name="hearing"),
    path("leaderboard/<slug:slug>/sound/items/", audio.changed, name="hearing-items"),
    path("leaderboard/<slug:slug>/by/<str:what>/", audio.by_value, name="by-value"),
    path("leaderboard/<slug:slug>/figure-3/", paper_figures.figure_3, name="figure-3"),
    path("leaderboard/<slug:slug>/figure-3/points/", paper_figures.figure_3_points, name="figure-3-points"),
    path("leaderboard/<slug:slug>/figure-3/frame/", paper_figures.figure_3_frame, name="figure-3-frame"),
    path("leaderboard/<slug:slug>/charts/<str:name>/", charts.chart, name="chart"),
    path("leaderboard/<slug:slug>/charts/<str:name>/points/", charts.chart_points, name="chart-points"),
    path("leaderboard/<slug:slug>/charts/<str:name>/frame/", charts.chart_frame, name="chart-frame"),
    path("leaderboard/<slug:slug>/tables/<str:name>/", paper_tables.layout, name="layout"),
    path("benchmarks/<slug:slug>/items/<slug:public_id>/", items.item, name="item"),
    path("concepts/", concepts.concepts, name="concepts"),
    path("concepts/<str:slug>/", concepts.concept, name="concept"),
    path("explore/", explorer.explore, name="explore"),
    path("compare/", comparison.compare, name="compare"),
    path("compare/points/", comparison.compare_points, name="compare-points"),
    path("compare/frame/", comparison.compare_frame, name="compare-frame"),
    path("snapshots/", snapshots.snapshots, name="snapshots"),
    path("snapshots/<slug:slug>/", snapshots.snapshot, name="snapshot"),
    path("snapshots/<slug:slug>/file/", snapshots.snapshot_file, name="snapshot-file"),
    path("about/statistics/", boards.statistics, name="statistics"),
    path("api/v1/", include("leaderboard.api.urls")),
]
