"""All settings; what differs between machines comes from the environment (docs/deploying.md lists every variable)."""

import os
from datetime import timedelta
from pathlib import Path

import dj_database_url

from benchsite import api_settings, env, media_settings
from benchsite.channel_layers import channel_layers
from benchsite.content_policy import content_policy
from benchsite.observing import lines

env.join()
BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = env.folder("DATA_DIR", BASE_DIR)
VAR_DIR = DATA_DIR / "var"

DEBUG = env.flag("DEBUG", "1")
SECRET_KEY = env.secret(
    "SECRET_KEY", development="a-development-secret-that-no-server-uses-0123456789" if DEBUG else None
)
# Who keeps the site alive asks it by `localhost`, and without TLS.
ALLOWED_HOSTS = [*env.words("ALLOWED_HOSTS", "*" if DEBUG else ""), "localhost"]
SITE_URL = env.text("SITE_URL", "http://localhost:8000").rstrip("/")
SERVED_BY_TLS = SITE_URL.startswith("https://")

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
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
    "benchsite",
]

MIDDLEWARE = [
    "benchsite.observing.requests.Observed",
    "benchsite.maintenance.pages.UnderMaintenance",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "leaderboard.whole_pages.WholePages",
    "csp.middleware.CSPMiddleware",
    "benchsite.permissions_policy.PermissionsPolicy",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "benchsite.languages.OneLanguage",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "accounts.auditing.StaffActs",
    "accounts.second_factor.StaffSecondFactor",
    "benchsite.busy.BusyDatabase",
    "benchsite.full_disk.FullDisk",
    "benchsite.missing.ButtonsAddress",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "benchsite.urls"
WSGI_APPLICATION = "benchsite.wsgi.application"
ASGI_APPLICATION = "benchsite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "benchsite.context.live",
            ],
        },
    }
]

# One writer at a time, readers never wait: WAL, and transactions that take the write lock when they begin.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
}
DATABASES = {
    "default": dj_database_url.parse(
        env.text("DATABASE_URL", f"sqlite:///{VAR_DIR / 'db.sqlite3'}"), conn_max_age=600, conn_health_checks=True
    )
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["OPTIONS"] = SQLITE_OPTIONS
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",  # the first: it refuses who has guessed too often
    "allauth.account.auth_backends.AuthenticationBackend",
    "accounts.backends.RoleBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "account"
LOGOUT_REDIRECT_URL = "home"
# Whose address counts as the caller's: the one that the outermost of so many proxies of ours saw.
PROXIES = env.count("PROXIES", 0, least=0)

# Without a mail server letters are printed into the log, and nobody is asked to confirm an address.
EMAIL_URL = env.text("EMAIL_URL", "")
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_URL else 'console'}.EmailBackend"
if EMAIL_URL:
    EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_TLS, EMAIL_USE_SSL = env.mail_server(
        EMAIL_URL
    )
EMAIL_TIMEOUT = 10  # seconds
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("EMAIL_FROM", "benchsite@localhost")

SIGN_UP_ROLE = env.one_of("SIGN_UP_ROLE", ("submitter", "reader"))
ACCOUNT_ADAPTER = "accounts.signing_in.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_URL else "none"
ACCOUNT_EMAIL_SUBJECT_PREFIX = "benchsite: "
ACCOUNT_CHANGE_EMAIL = True  # one address an account
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_RATE_LIMITS = {"login_failed": "30/m/ip,20/5m/key"}  # beside axes, which counts in the database
ALLAUTH_TRUSTED_PROXY_COUNT = PROXIES
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "benchsite"
MFA_ALLOW_UNVERIFIED_EMAIL = not EMAIL_URL
STAFF_SECOND_FACTOR = env.flag("STAFF_SECOND_FACTOR", "0" if DEBUG else "1")

AXES_FAILURE_LIMIT = env.count("SIGN_IN_TRIES", 5)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "accounts.signing_in.locked_out"
AXES_CLIENT_IP_CALLABLE = "accounts.addresses.address_of"
AXES_RESET_ON_SUCCESS = True
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("ar", "العربية")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_URL = env.text("MEDIA_URL", "/media/")
MEDIA_ROOT = DATA_DIR / "media"
RELEASES_DIR = env.folder("RELEASES_DIR", VAR_DIR / "releases")
MEDIA_STORE = env.one_of("MEDIA_STORE", ("folder", "s3"))
MEDIA_COPIES_MB = env.count("MEDIA_COPIES_MB", 20_000)
MEDIA_BY_NGINX = env.flag("MEDIA_BY_NGINX")
STORAGES = {
    "default": media_settings.bucket() if MEDIA_STORE == "s3" else media_settings.folder(),
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

SOCKET_URL = env.text("SOCKET_URL", "")
SOCKET_PORT = env.text("SOCKET_PORT", "")
CONTENT_SECURITY_POLICY = content_policy(socket_url=SOCKET_URL, socket_port=SOCKET_PORT)
X_FRAME_OPTIONS = "DENY"
SECURE_SSL_REDIRECT = SERVED_BY_TLS
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if SERVED_BY_TLS else None
SECURE_HSTS_SECONDS = 31536000 if SERVED_BY_TLS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SERVED_BY_TLS
SECURE_HSTS_PRELOAD = SERVED_BY_TLS
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SERVED_BY_TLS
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
CSRF_TRUSTED_ORIGINS = [SITE_URL]

REDIS_URL = env.text("REDIS_URL", "")
CHANNEL_LAYERS = channel_layers(REDIS_URL)
REDIS_CACHE = {
    "BACKEND": "benchsite.patient_caches.PatientRedisCache",
    "LOCATION": REDIS_URL,
    "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 2},  # seconds
}
LIMITS_IN_FOLDER = {
    "BACKEND": "benchsite.patient_caches.PatientFileCache",
    "LOCATION": VAR_DIR / "limits",
    "OPTIONS": {"MAX_ENTRIES": 5000},
}
IN_MEMORY = "django.core.cache.backends.locmem.LocMemCache"
CACHES = {
    "default": REDIS_CACHE if REDIS_URL else {"BACKEND": IN_MEMORY, "OPTIONS": {"MAX_ENTRIES": 2000}},
    # Calls are counted over all web processes. Files, not rows: a reader must not wait for who writes (decision 0006).
    "limits": REDIS_CACHE | {"KEY_PREFIX": "limits"}
    if REDIS_URL
    else {"BACKEND": IN_MEMORY, "LOCATION": "limits"}
    if DEBUG
    else LIMITS_IN_FOLDER,
}

# What models see of clips is decoded once and kept in var/frames, up to this size.
FRAME_CACHE_MB = env.count("FRAME_CACHE_MB", 20_000)
DECODE_THREADS = env.count("DECODE_THREADS", max(1, min(4, (os.cpu_count() or 1) // 2)))
START_SECONDS = env.count("START_SECONDS", 600)  # until `serve` gives up waiting for its pages
# How workers share their time between runs, and when a run whose model answers "later" has waited long enough.
EVALUATION_TURN_SECONDS = env.count("EVALUATION_TURN_SECONDS", 20)
EVALUATION_BUSY_SECONDS = env.count("EVALUATION_BUSY_SECONDS", 1800)
EVALUATION_WORKERS = env.count("EVALUATION_WORKERS", 1)

# What one submitter may have: a UTC day, in all, and queued or running at once (evaluation/quotas.py).
SUBMISSIONS_A_DAY = env.count("SUBMISSIONS_A_DAY", 20)
SUBMISSIONS_IN_ALL = env.count("SUBMISSIONS_IN_ALL", 1000)
SUBMISSIONS_AT_ONCE = env.count("SUBMISSIONS_AT_ONCE", 5)
# A large file is checked in a process that may use so much address space and, a file, so much of the processor.
UPLOAD_MEMORY_MB = env.count("UPLOAD_MEMORY_MB", 2000)
UPLOAD_SECONDS = env.count("UPLOAD_SECONDS", 300)

QUEUE_DIR = VAR_DIR / "queue"
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL", "filesystem://localhost")
if CELERY_BROKER_URL.startswith("filesystem://"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "control_folder": str(QUEUE_DIR / "control"),
    }
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ROUTES = {
    "evaluation.tasks.work_on_run": {"queue": "gpu"},
    "evaluation.tasks.train_model": {"queue": "gpu"},
    "evaluation.tasks.check_uploads": {"queue": "cpu"},
    "benchmarks.tasks.*": {"queue": "cpu"},
}
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# The queue only wakes a worker; what is due is read from the rows, again and again.
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat")
CELERY_BEAT_SCHEDULER = "benchsite.clock:Clock"
CELERY_BEAT_SCHEDULE = {
    "sweep runs": {"task": "evaluation.tasks.sweep_runs", "schedule": 15.0, "options": {"expires": 15}},
    "sweep material": {"task": "benchmarks.tasks.sweep_material", "schedule": 60.0, "options": {"expires": 60}},
    "refresh standings": {"task": "leaderboard.tasks.refresh_standings", "schedule": 3.0, "options": {"expires": 12}},
    "drop identities": {"task": "humantrials.tasks.drop_identities", "schedule": 86400.0, "options": {"expires": 3600}},
}

REST_FRAMEWORK = api_settings.rest_framework(proxies=PROXIES)
SPECTACULAR_SETTINGS = api_settings.SPECTACULAR
VERSION = "0.1.0"  # as in pyproject.toml; files that are taken along name it

DATA_UPLOAD_MAX_MEMORY_SIZE = 20 * 1024 * 1024
# One JSON object a line for machines, readable lines for people; where a line comes from, see benchsite/observing.
LOG_FORMAT = env.one_of("LOG_FORMAT", ("lines", "json") if DEBUG else ("json", "lines"))
LOG_LEVEL = env.one_of("LOG_LEVEL", lines.LEVELS)
LOGGING = lines.settings_for(LOG_FORMAT, LOG_LEVEL)
# On whatever the database says, for work on the database itself; `manage.py maintenance` is the usual way.
MAINTENANCE = env.flag("MAINTENANCE", "0")
METRICS_TOKEN = env.text("METRICS_TOKEN", "")
