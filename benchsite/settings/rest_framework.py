"""The API's settings: authentication, throttling, formats and schema."""

SPECTACULAR = {
    "TITLE": "benchsite",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.api.schema.with_mistakes",
        "leaderboard.api.schema.with_limits",
    ],
}


def rest_framework(*, proxies: int) -> dict[str, object]:
    """The settings for DRF behind this number of trusted proxies."""
    return {
        "DEFAULT_SCHEMA_CLASS": "leaderboard.api.schema.Described",
        "DEFAULT_AUTHENTICATION_CLASSES": [
            "accounts.authentication.TokenAuthentication",
            "rest_framework.authentication.SessionAuthentication",
        ],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
        "DEFAULT_PAGINATION_CLASS": "leaderboard.api.query.KeyPages",
        "DEFAULT_FILTER_BACKENDS": ["leaderboard.api.query.StrictFilters"],
        "DEFAULT_CONTENT_NEGOTIATION_CLASS": "leaderboard.api.content_negotiation.StrictFormats",
        "DEFAULT_RENDERER_CLASSES": [
            "rest_framework.renderers.JSONRenderer",
            "leaderboard.api.csv_renderer.CSVRenderer",
        ],
        "DEFAULT_THROTTLE_CLASSES": ["accounts.throttling.VisitorThrottle", "accounts.throttling.UserThrottle"],
        "DEFAULT_THROTTLE_RATES": {
            "anon": "600/min",  # from one address
            "user": "1200/min",  # with one key
            "upload": "20/min",  # per user, by page and API together
        },
        "NUM_PROXIES": proxies,
    }
