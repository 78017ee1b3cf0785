"""Every page's home, one line an app."""

from django.contrib import admin
from django.urls import include, path, re_path

from leaderboard.api.unknown import unknown

handler404 = "benchsite.missing.page_not_found"

urlpatterns = [
    path("", include("leaderboard.urls")),
    path("", include("benchmarks.urls")),
    path("", include("evaluation.urls")),
    path("", include("humantrials.urls")),
    path("", include("accounts.urls")),
    path("", include("benchsite.operations")),
    path("admin/", admin.site.urls),
    re_path(r"^api/", unknown),  # the last: what no app above knows
]
