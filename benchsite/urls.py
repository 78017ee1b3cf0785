"""Every page's home, one line an app."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("", include("leaderboard.urls")),
    path("", include("benchmarks.urls")),
    path("", include("evaluation.urls")),
    path("", include("humantrials.urls")),
    path("", include("accounts.urls")),
    path("", include("benchsite.operations")),
    path("admin/", admin.site.urls),
]
