"""All settings; values that differ between machines come from the environment (docs/deploying.md lists them)."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import dj_database_url

from benchmarks.policy import LIMITS
from benchsite.logs import logging
from benchsite.settings import env, machine
from benchsite.sqlite import SQLITE
from benchsite.web.csp import POLICY
from benchsite.web.version import VERSION as VERSION

env.join()
BASE_DIR = Path(__file__).resolve().parents[2]
INSTALLED_FILES = BASE_DIR / "benchsite" / "files"
FILES_DIR = INSTALLED_FILES if INSTALLED_FILES.is_dir() else BASE_DIR  # templates, static files, locale, documents
DATA_DIR = env.folder("DATA_DIR", BASE_DIR)
VAR_DIR = DATA_DIR / "var"

DEBUG = env.flag("DEBUG", "1")
DEVELOPMENT_KEY = "a-development-secret-that-no-server-uses-0123456789"
SECRET_KEY = env.secret("SECRET_KEY", development=DEVELOPMENT_KEY, in_development=DEBUG)
# Health checks call the site as `localhost` and without TLS, Django's test client as `testserver`.
ALLOWED_HOSTS = [*env.allowed_hosts("ALLOWED_HOSTS", in_development=DEBUG), "localhost"]
SITE_URL = env.origin("SITE_URL", "http://localhost:8000")
SERVED_BY_TLS = SITE_URL.startswith("https://")

INSTALLED_APPS = [
    "benchsite.web.admin_config.AdminPages",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "benchsite",  # before staticfiles, whose `runserver` listens on any address
    "django.contrib.staticfiles",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "axes",
    "accounts",
    "benchmarks",
    "evaluation",
    "humantrials",
    "leaderboard",
    "extensions.annotation",
    "extensions.generated",
    "extensions.harnesses",
    "extensions.training",
]

MIDDLEWARE = [
    "benchsite.logs.request_logging.Observed",
    "benchsite.logs.metrics.RequestMetrics",
    "benchsite.web.middleware.OwnHosts",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "benchsite.web.csp.ContentPolicy",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "benchsite.web.middleware.OneLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "benchsite.web.middleware.AccountsOnly",
    "benchsite.web.middleware.Unavailable",
    "benchsite.web.middleware.ButtonsAddress",
]
ACCOUNT_MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "accounts.audit_log.StaffActs",
    "accounts.sign_in.StaffSecondFactor",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "benchsite.urls"
WSGI_APPLICATION = "benchsite.wsgi.application"
ASGI_APPLICATION = "benchsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [FILES_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "benchsite.logs.health.live",
            ],
            "builtins": [f"benchsite.templatetags.{name}" for name in ("everywhere", "tables")],
        },
    }
]

# One writer at a time, readers never wait: WAL, and transactions take the write lock when they begin.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
}
# Without limits, a server that accepts connections and stays silent holds every thread forever, and the server keeps
# the locks of a host that lost its power or its link: by default it asks after two hours whether the host is there.
SIGNS_OF_LIFE = {"tcp_keepalives_idle": 10, "tcp_keepalives_interval": 5, "tcp_keepalives_count": 4}  # seconds; times
# Pages of a disk without moving heads cost the same in any order: told the default of 4, PostgreSQL reads ten million
# replies for the hundred thousand of one run (6.9 s; by their index 0.8). Compiling a query takes longer than most run.
PLANS = {"random_page_cost": 1.1, "jit": "off"}
POSTGRES_OPTIONS = {name.removeprefix("tcp_"): value for name, value in SIGNS_OF_LIFE.items()} | {
    "connect_timeout": 5,  # seconds
    "tcp_user_timeout": 30_000,  # milliseconds
    "options": " ".join(
        f"-c {name}={value}" for name, value in (SIGNS_OF_LIFE | PLANS | {"tcp_user_timeout": 30_000}).items()
    ),
}
DATABASES = {
    "default": dj_database_url.parse(
        env.database("DATABASE_URL", f"sqlite:///{VAR_DIR / 'db.sqlite3'}"), conn_max_age=600, conn_health_checks=True
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # Django's default, which pytest-django gives only to Django's engine if several processes test.
    DATABASES["default"] |= {"ENGINE": SQLITE, "OPTIONS": SQLITE_OPTIONS, "TEST": {"NAME": ":memory:"}}
else:
    DATABASES["default"]["OPTIONS"] = POSTGRES_OPTIONS | DATABASES["default"].get("OPTIONS", {})
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}Validator"}
    for name in ("UserAttributeSimilarity", "MinimumLength", "CommonPassword", "NumericPassword")
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # first: it refuses clients after too many failed sign-ins
    "allauth.account.auth_backends.AuthenticationBackend",
    "accounts.sign_in.RoleBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "home"
# The number of our own proxies to trust; the client's address is the one that the outermost of them saw.
PROXIES = env.count("PROXIES", 0, least=0)

# Without a mail server mails are printed to the log, and addresses need not be confirmed.
EMAIL_URL = env.text("EMAIL_URL", "")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_URL else 'console'}.EmailBackend"
if EMAIL_URL:
    EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_TLS, EMAIL_USE_SSL = env.mail_server(
        EMAIL_URL
    )
EMAIL_TIMEOUT = 10  # seconds
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.mail_sender("EMAIL_FROM", "benchsite@localhost")

SIGN_UP_ROLE = env.one_of("SIGN_UP_ROLE", ("submitter", "reader"))
ACCOUNT_ADAPTER = "accounts.sign_in.AccountAdapter"
ACCOUNT_FORMS = {
    "change_password": "accounts.forms.NewPasswordForm",  # nosec B105
    "reset_password_from_key": "accounts.forms.ForgottenPasswordForm",  # nosec B105
}
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "benchsite: "
ACCOUNT_CHANGE_EMAIL = True  # one address per account
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_RATE_LIMITS = {"login_failed": "30/m/ip,20/5m/key"}  # in addition to axes, which counts in the database
ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "benchsite"
MFA_TOTP_TOLERANCE = 1  # the code before counts, too, as RFC 6238 (5.2) advises: typing takes time, and clocks differ
MFA_ALLOW_UNVERIFIED_EMAIL = not EMAIL_URL
STAFF_SECOND_FACTOR = env.flag("STAFF_SECOND_FACTOR", "0" if DEBUG else "1")

AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "accounts.sign_in.locked_out"
AXES_CLIENT_IP_CALLABLE = "accounts.callers.address_of"
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("ar", "العربية")]
LOCALE_PATHS = [FILES_DIR / "locale"]
FORMAT_MODULE_PATH = ["benchsite.web.formats"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [FILES_DIR / "static"]
MEDIA_URL = env.media_address("MEDIA_URL", "/media/")
MEDIA_ROOT = DATA_DIR / "media"
RELEASES_DIR = VAR_DIR / "releases"  # unpacked releases, each in a folder of its own, that staff may import
BUCKET = env.object_store("MEDIA_STORE", "folder")  # the options of an object store; {} = a folder
MEDIA_STORE = "s3" if BUCKET else "folder"
MEDIA_STORE_SECONDS = 10  # for an answer of the store; after two such delays in a row it counts as away
# Size of the cache of decoded frames in var/frames, and of the copies of an object store's files in media/copies.
CACHE_MB = env.count("CACHE_MB", 20_000)
MEDIA_BY_NGINX = env.flag("MEDIA_BY_NGINX")
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o644, 0o755  # nginx reads media as another user
STORAGES = {
    "default": {"BACKEND": "benchmarks.storage.s3.Bucket", "OPTIONS": BUCKET}
    if BUCKET
    else {"BACKEND": "benchmarks.storage.folder.MediaFolder"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "benchsite.web.static_files.HashedFiles"
    },
}

WEB_PROCESSES = env.count("WEB_PROCESSES", machine.web_processes(machine.cores(), machine.memory_mb()))
WEB_THREADS = 8
CPU_WORKERS = env.count("CPU_WORKERS", machine.cpu_workers(machine.cores()))

SOCKET_URL = env.websocket_address("SOCKET_URL")
CONTENT_SECURITY_POLICY = POLICY
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []  # boards and studies need no device feature
    for feature in ("camera", "microphone", "geolocation", "payment", "usb", "serial", "midi", "display-capture")
}
X_FRAME_OPTIONS = "DENY"
SECURE_SSL_REDIRECT = SERVED_BY_TLS
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SERVED_BY_TLS else None
SECURE_HSTS_SECONDS = 31536000 if SERVED_BY_TLS else 0
SILENCED_SYSTEM_CHECKS = [
    *("security.W005", "security.W021"),  # HSTS for the whole domain, which may hold more than this site
    *("admin.E408", "admin.E409", "admin.E410", "axes.W002"),  # about ACCOUNT_MIDDLEWARE
]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SERVED_BY_TLS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
CSRF_TRUSTED_ORIGINS = [SITE_URL]

REDIS_URL = env.url("REDIS_URL", "", ("redis", "rediss", "unix"))


def channel_layers(redis_url: str) -> dict[str, Any]:
    """The channel layer on this Redis; without one, live updates come only from the database.

    An idle websocket polls for five seconds at a time, which is also the Redis client's default timeout: the client
    would give up first and end every idle websocket.
    """
    hosts = [{"address": redis_url, "socket_timeout": 20}]
    layer = {"BACKEND": "channels_redis.core.RedisChannelLayer", "CONFIG": {"hosts": hosts}}
    return {"default": layer} if redis_url else {}


CHANNEL_LAYERS = channel_layers(REDIS_URL)
# Cached objects are pickles that name their classes: raise `VERSION` when such a class moves or its fields change.
REDIS_CACHE = {
    "VERSION": 2,
    "BACKEND": "django_redis.cache.RedisCache",
    "LOCATION": REDIS_URL,
    # While Redis is away, or full, pages are rendered anew and calls are not counted; these are seconds.
    "OPTIONS": {"IGNORE_EXCEPTIONS": True, "SOCKET_CONNECT_TIMEOUT": 0.5, "SOCKET_TIMEOUT": 0.5},
}
DJANGO_REDIS_LOG_IGNORED_EXCEPTIONS = True
IN_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {
    "default": REDIS_CACHE if REDIS_URL else {"BACKEND": IN_MEMORY, "OPTIONS": {"MAX_ENTRIES": 2000}},
    # Counts of calls (decision 0006): without Redis those of each process
    "limits": REDIS_CACHE | {"KEY_PREFIX": "limits"}
    if REDIS_URL
    else {"BACKEND": IN_MEMORY, "LOCATION": "limits", "OPTIONS": {"MAX_ENTRIES": 5000}},
}

# With less space `/readyz` reports that the machine is not ready, and staff see a warning on every page.
MIN_FREE_MB = 200
DECODE_THREADS = machine.decode_threads(machine.cores())
START_SECONDS = 600  # limit for `serve` to wait for the web processes
EVALUATION_LEASE_SECONDS = 60.0  # that a worker holds a shard without a heartbeat
# The time that a worker stays with a run while others wait, and the time that a run waits for a busy model before it
# fails.
EVALUATION_TURN_SECONDS = 20
EVALUATION_BUSY_SECONDS = 1800
EVALUATION_WORKERS = env.count("EVALUATION_WORKERS", 1)

# Model servers that may be added in the browser, and internal addresses that may be called at all.
MODEL_HOSTS = env.hosts("MODEL_HOSTS", "localhost,127.0.0.0/8,::1")

# Limits on the submissions of one submitter: per UTC day, in total, and unfinished at once
# (evaluation/queue/quotas.py).
SUBMISSIONS_A_DAY = env.count("SUBMISSIONS_A_DAY", 20)
SUBMISSIONS_IN_ALL = 1000
SUBMISSIONS_AT_ONCE = 5
# Most uploads with withheld answers listed per model or sender and calendar month (decision 0012).
HIDDEN_LISTINGS_A_MONTH = 3
# Limits of the process that checks large files: address space, and processor seconds per file.
UPLOAD_MEMORY_MB = 2000
UPLOAD_SECONDS = 300

QUEUE_DIR = VAR_DIR / "queue"
CELERY_BROKER_URL = env.url(
    "CELERY_BROKER_URL", "filesystem://localhost", ("filesystem", "redis", "rediss", "amqp", "amqps", "memory")
)
if CELERY_BROKER_URL.startswith("filesystem://"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "control_folder": str(QUEUE_DIR / "control"),
    }
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {  # extensions add theirs to this and to the schedule
    "evaluation.tasks.work_on_run": {"queue": "gpu"},
    "evaluation.tasks.check_uploads": {"queue": "cpu"},
    "benchmarks.tasks.*": {"queue": "cpu"},
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False  # nobody asks workers; each would have a queue of its own
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# The queue only wakes a worker; due work is always read from the database.
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat")
CELERY_BEAT_SCHEDULER = "benchsite.logs.celery_processes:BeatScheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep runs": {"task": "evaluation.tasks.sweep_runs", "schedule": 15.0, "options": {"expires": 15}},
    "sweep folders": {"task": "benchmarks.tasks.sweep_folders", "schedule": 60.0, "options": {"expires": 60}},
    "refresh standings": {"task": "leaderboard.tasks.refresh_standings", "schedule": 3.0, "options": {"expires": 12}},
    "second rounds": {"task": "humantrials.tasks.draw_second_rounds", "schedule": 30.0, "options": {"expires": 30}},
    "drop identities": {"task": "humantrials.tasks.drop_identities", "schedule": 86400.0, "options": {"expires": 3600}},
}

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "leaderboard.api.schema.Described",
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "accounts.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_PAGINATION_CLASS": "leaderboard.api.query.KeyPages",
    "DEFAULT_FILTER_BACKENDS": ["leaderboard.api.query.StrictFilters"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "leaderboard.api.formats.StrictFormats",
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer", "leaderboard.api.formats.CSVRenderer"],
    "DEFAULT_THROTTLE_CLASSES": ["accounts.throttling.VisitorThrottle", "accounts.throttling.UserThrottle"],
    "DEFAULT_THROTTLE_RATES": {
        "anon": "600/min",  # from one address
        "user": "1200/min",  # with one key
        "upload": "20/min",  # per user, by page and API together
    },
    "NUM_PROXIES": PROXIES,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "benchsite",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {"TrialStateEnum": "humantrials.models.TrialState"},  # of the list and of one trial
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.api.schema.with_mistakes",
        "leaderboard.api.schema.with_limits",
    ],
}
COMMIT = env.text("COMMIT", "")  # for images, which have no history; a checkout knows its own commit

DATA_UPLOAD_MAX_MEMORY_SIZE = LIMITS["form"].most
# benchsite/logs/logging.py describes the fields of lines.
LOG_FORMAT = env.one_of("LOG_FORMAT", ("lines", "json"))
LOG_LEVEL = env.one_of("LOG_LEVEL", logging.LEVELS)
LOGGING = logging.settings_for(LOG_FORMAT, LOG_LEVEL)
# Seconds of the histograms; they include the targets for boards (0.15) and participants' answers (0.08).
PROMETHEUS_LATENCY_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.08, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METRICS_TOKEN = env.text("METRICS_TOKEN", "")
PROLIFIC_TOKEN = env.text("PROLIFIC_TOKEN", "")
