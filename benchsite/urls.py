"""The root URLconf, one line per app of the core; extensions bring their own."""

from allauth.account.decorators import secure_admin_login
from django.apps import apps
from django.contrib import admin
from django.urls import include, path, re_path

from leaderboard.api.not_found import unknown

handler404 = "benchsite.web.not_found.page_not_found"

admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # with throttle and second factor

extensions = [config.name for config in apps.get_app_configs() if getattr(config, "is_extension", False)]
urlpatterns = [
    # First: a study asks for these more often than readers ask for all others.
    path("p/<slug:token>/", include("humantrials.participation.urls")),
    path("", include("leaderboard.urls")),
    path("", include("benchmarks.urls")),
    path("", include("evaluation.urls")),
    path("", include("humantrials.urls")),
    path("", include("accounts.urls")),
    *(path("", include(f"{name}.urls")) for name in extensions),
    path("", include("benchsite.observability.views")),
    path("", include("benchsite.documentation.views")),
    path("", include("benchsite.documentation.sitemap")),
    path("admin/", admin.site.urls),
    re_path(r"^api/", unknown),  # last: catches addresses unknown to the apps above
]
