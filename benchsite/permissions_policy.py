"""What pages may use of the device: nothing that a board or a trial has no need of."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

FORBIDDEN = ("camera", "microphone", "geolocation", "payment", "usb", "serial", "midi", "display-capture")
POLICY = ", ".join(f"{name}=()" for name in FORBIDDEN)


class PermissionsPolicy:
    """Adds the header to every answer."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers["Permissions-Policy"] = POLICY
        return response
