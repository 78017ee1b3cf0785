"""The content security policy of our pages: no inline script or style anywhere.

Plots are drawn in their own frame, which alone widens style-src.
"""

from urllib.parse import urlsplit

from csp.constants import NONE, SELF
from csp.middleware import CSPMiddleware, PolicyParts
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "object-src": [NONE],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "frame-src": [SELF],
    }
}


def socket_address(request: HttpRequest) -> str:
    """Where this page may listen for changes; '' without websockets: the page then refreshes itself."""
    if settings.SOCKET_URL or not settings.SOCKET_PORT:
        return settings.SOCKET_URL.rstrip("/")
    return f"ws://{_host(request.get_host())}:{settings.SOCKET_PORT}"


def _host(host: str) -> str:
    """The host without its port; an IPv6 address is in brackets and has colons of its own."""
    return host if host.endswith("]") else host.rpartition(":")[0] or host


class ContentPolicy(CSPMiddleware):
    """Sends the policy; live updates may come only from the address that the page names."""

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        if address := socket_address(request):
            origin = "{0.scheme}://{0.netloc}".format(urlsplit(address))
            parts.update = {**(parts.update or {}), "connect-src": [origin]}
        return parts
