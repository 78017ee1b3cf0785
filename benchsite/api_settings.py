"""How the API answers: who may call, how often, in which forms, and how it describes itself."""

from benchsite import env

SPECTACULAR = {
    "TITLE": "benchsite",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.api.describing.with_mistakes",
        "leaderboard.api.describing.with_limits",
    ],
}


def rest_framework(*, proxies: int) -> dict[str, object]:
    """Behind so many proxies of ours, which tell a caller's address."""
    return {
        "DEFAULT_SCHEMA_CLASS": "leaderboard.api.describing.Described",
        "DEFAULT_AUTHENTICATION_CLASSES": [
            "accounts.authentication.TokenAuthentication",
            "rest_framework.authentication.SessionAuthentication",
        ],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
        "DEFAULT_PAGINATION_CLASS": "leaderboard.api.asking.KeyPages",
        "DEFAULT_FILTER_BACKENDS": ["leaderboard.api.asking.StrictFilters"],
        "DEFAULT_CONTENT_NEGOTIATION_CLASS": "leaderboard.api.forms.StrictFormats",
        "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer", "leaderboard.api.rendering.CSVRenderer"],
        "DEFAULT_THROTTLE_CLASSES": [
            "accounts.throttling.VisitorThrottle",
            "accounts.throttling.UserThrottle",
        ],
        "DEFAULT_THROTTLE_RATES": {
            "anon": f"{env.count('API_CALLS_A_MINUTE', 600)}/min",
            "user": f"{env.count('API_CALLS_A_MINUTE_SIGNED_IN', 1200)}/min",
            "upload": f"{env.count('UPLOADS_A_MINUTE', 20)}/min",  # one user, on the page and by the API together
        },
        "NUM_PROXIES": proxies,
    }
