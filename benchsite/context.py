"""What every page's template may ask of the installation."""

from django.conf import settings
from django.http import HttpRequest


def live(request: HttpRequest) -> dict[str, str]:
    """Give `socket_url`, where the page may listen for changes ('' = none, the page refreshes itself)."""
    if settings.SOCKET_URL:
        return {"socket_url": settings.SOCKET_URL}
    if settings.SOCKET_PORT:
        host = request.get_host().rsplit(":", 1)[0]
        return {"socket_url": f"ws://{host}:{settings.SOCKET_PORT}"}
    return {"socket_url": ""}
