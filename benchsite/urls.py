"""The root URLconf, one line per app of the core, and one for all extensions."""

from allauth.account.decorators import secure_admin_login
from django.contrib import admin
from django.urls import include, path, re_path

from benchsite import extensions
from leaderboard.api.schema_views import unknown

handler404 = "benchsite.web.middleware.page_not_found"

admin.autodiscover()
admin.site.login = secure_admin_login(admin.site.login)  # type: ignore[method-assign]  # with throttle and second factor

urlpatterns = [
    # First: a study asks for these more often than readers ask for all others.
    path("p/<slug:token>/", include("humantrials.participation.urls")),
    # Before boards, whose addresses have a name in the same place.
    *(path("", include(found)) for found in extensions.modules("urls")),
    path("", include("leaderboard.urls")),
    path("", include("benchmarks.urls")),
    path("", include("evaluation.urls")),
    path("", include("humantrials.urls")),
    path("", include("accounts.urls")),
    path("", include("benchsite.logs.operations")),
    path("", include("benchsite.web.documents")),
    path("", include("benchsite.web.sitemap")),
    path("admin/", admin.site.urls),
    re_path(r"^api/", unknown),  # last: catches addresses unknown to the apps above
]
