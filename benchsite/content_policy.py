"""What a browser may load and run on a page of ours: no inline script or style anywhere.

Plots are drawn in a frame of their own, which widens style-src for itself alone.
"""

from csp.constants import NONE, SELF


def content_policy(*, socket_url: str, socket_port: str) -> dict[str, object]:
    """The policy of every page; live updates come from this address, or from this port of any of our hosts."""
    sockets = [f"ws://*:{socket_port}"] if socket_port else []
    sockets += [socket_url] if socket_url else []
    return {
        "DIRECTIVES": {
            "default-src": [SELF],
            "script-src": [SELF],
            "style-src": [SELF],
            "img-src": [SELF, "data:"],
            "media-src": [SELF],
            "font-src": [SELF],
            "connect-src": [SELF, *sockets],
            "object-src": [NONE],
            "base-uri": [NONE],
            "form-action": [SELF],
            "frame-ancestors": [NONE],
            "frame-src": [SELF],
        }
    }
