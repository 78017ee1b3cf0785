"""The content security policy of our pages: no inline script or style anywhere.

Plots have their own frame, and only that frame widens style-src.
"""

from functools import lru_cache
from urllib.parse import urlsplit

from csp.constants import HEADER, NONE, SELF
from csp.middleware import CSPMiddleware, PolicyParts
from csp.utils import build_policy
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
    """The address from which this page gets live updates; '' without websockets, when the page refreshes itself."""
    address: str = settings.SOCKET_URL.rstrip("/")
    return f"ws://{_host(request.get_host())}{address}" if address.startswith(":") else address


def _host(host: str) -> str:
    """The host without its port; an IPv6 address is in brackets, since it contains colons."""
    return host if host.endswith("]") else host.rpartition(":")[0] or host


# Attributes by which the package's decorators, and the pages of framed studies, change a response's policy.
OWN = ("_csp_exempt", "_csp_config", "_csp_update", "_csp_replace")


class ContentPolicy(CSPMiddleware):
    """Sends the policy; live updates may come only from the address that the page names."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Add the policy; responses without a policy of their own share one text."""
        if settings.DEBUG or any(hasattr(response, name) for name in OWN):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, _shared(socket_address(request)))
        return response

    def get_policy_parts(
        self, request: HttpRequest, response: HttpResponseBase, report_only: bool = False
    ) -> PolicyParts:
        parts = super().get_policy_parts(request, response, report_only)
        parts.update = {**(parts.update or {}), **_listening(socket_address(request))}
        return parts


@lru_cache(maxsize=64)
def _shared(address: str) -> str:
    return build_policy(update=_listening(address))


def _listening(address: str) -> dict[str, list[str]]:
    """The additional source for a page with live updates from this address."""
    return {"connect-src": ["{0.scheme}://{0.netloc}".format(urlsplit(address))]} if address else {}
