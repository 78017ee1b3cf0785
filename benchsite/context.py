"""Context that the templates of all pages get about the installation."""

from django.http import HttpRequest

from benchsite.observability.health import disk
from benchsite.settings.csp import socket_address


def live(request: HttpRequest) -> dict[str, object]:
    """`socket_url`: where the page may listen for changes; '' = none, the page refreshes itself.

    `full_disk`: the disk warning for staff; checked only when a template asks.
    """
    return {"socket_url": socket_address(request), "full_disk": disk}
