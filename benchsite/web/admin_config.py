"""Django's administration, loaded only where pages are served or checked."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.apps import SimpleAdminConfig
from django.contrib.admin.checks import check_admin_app, check_dependencies
from django.core import checks


class AdminPages(SimpleAdminConfig):
    """Loads each app's `admin` module with the URLconf: commands, workers and the clock start without them."""

    def ready(self) -> None:
        checks.register(check_dependencies, checks.Tags.admin)
        checks.register(check_pages, checks.Tags.admin)


def check_pages(**kwargs: Any) -> list[checks.CheckMessage]:
    """Django's check of the administration, which checks only what is loaded."""
    admin.autodiscover()
    return check_admin_app(**kwargs)
