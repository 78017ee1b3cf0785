"""The same study for oTree: consent and instructions, sixteen judgments, the end."""

SESSION_CONFIGS = [
    {"name": "plausibility", "app_sequence": ["entry", "judging", "leaving"], "num_demo_participants": 4}
]
SESSION_CONFIG_DEFAULTS = {"real_world_currency_per_point": 1.0, "participation_fee": 0.0, "doc": ""}
PARTICIPANT_FIELDS: list[str] = []
SESSION_FIELDS: list[str] = []
LANGUAGE_CODE = "en"
REAL_WORLD_CURRENCY_CODE = "EUR"
USE_POINTS = False
ADMIN_USERNAME = "admin"
DEMO_PAGE_INTRO_HTML = ""
SECRET_KEY = "only-for-a-benchmark-on-this-machine"
