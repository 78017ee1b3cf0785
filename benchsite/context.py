"""Facts about the installation for the templates of all pages."""

from django.http import HttpRequest

from benchsite.logs.health import disk
from benchsite.settings.csp import socket_address


def live(request: HttpRequest) -> dict[str, object]:
    """`socket_url`: the address for live updates; '' if there are none and the page refreshes itself.

    `full_disk`: the disk warning for staff; checked only when a template uses it.
    """
    return {"socket_url": socket_address(request), "full_disk": disk}
