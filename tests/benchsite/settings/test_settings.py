"""The site refuses to start with wrong settings and names the valid ones."""

import json
import re
from typing import Any

import psycopg
import pytest
from django.test import Client, override_settings

from tests.programs import ROOT, loaded_by, python
from tests.services import POSTGRES_URL
from tests.site import PATIENCE, environment, manage

NAMED = re.compile(r"""(?:env\.\w+\(|environ\.get\(|environ\[)\s*"([A-Z][A-Z0-9_]+)\"""")
FOLDERS = ("benchsite", "benchmarks", "evaluation", "extensions", "humantrials", "leaderboard", "accounts", "scenes")
OF_THE_MACHINE = {"DJANGO_SETTINGS_MODULE", "MUJOCO_GL", "BROWSER_PATH", "REQUIRE_SERVICES", "OMP_NUM_THREADS"}
OF_THE_MACHINE |= {"SSL_CERT_FILE", "SSL_CERT_DIR"}  # OpenSSL's own


def test_the_settings_are_few_and_those_of_the_table():
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    named = {name for path in sources for name in NAMED.findall(path.read_text())} - OF_THE_MACHINE
    documented = re.findall(r"^\| `([A-Z0-9_]+)` \|", (ROOT / "docs/deploying.md").read_text(), re.MULTILINE)
    assert named == {*documented}
    assert len(documented) <= 29


WRONG = [
    ({"DEBUG": "yes"}, "DEBUG='yes': write 1 or 0"),
    ({"DEBUG": "0"}, "SECRET_KEY is not set"),
    ({"SOCKET_URL": "ws://*"}, "SOCKET_URL='ws://*': write ws://HOST:PORT or wss://HOST"),
    ({"SOCKET_URL": "https://live.example"}, "SOCKET_URL='https://live.example': write ws://HOST:PORT"),
    ({"SOCKET_URL": "ws://a.example:80; script-src *"}, "write ws://HOST:PORT or wss://HOST"),
    ({"SOCKET_URL": ":http"}, "SOCKET_URL=':http': write"),
    ({"SOCKET_URL": ":70000"}, "SOCKET_URL: this is no address"),
    ({"MEDIA_STORE": "tape"}, "MEDIA_STORE: write folder, or s3://KEY:SECRET@HOST/BUCKET"),
    ({"MEDIA_STORE": "s3://s3.example/clips"}, "MEDIA_STORE: write folder, or s3://KEY:SECRET@HOST/BUCKET"),
    ({"MEDIA_STORE": "s3://key:word@s3.example"}, "MEDIA_STORE: write folder, or s3://KEY:SECRET@HOST/BUCKET"),
    ({"MEDIA_STORE": "s3://key:a/word@s3.example/clips"}, "MEDIA_STORE: this is no address"),
    ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS=*: production answers to names of its own"),
    ({"ALLOWED_HOSTS": "https://site.example"}, "ALLOWED_HOSTS: 'https://site.example' is no host name"),
    ({"ALLOWED_HOSTS": "site.example:8000"}, "ALLOWED_HOSTS: 'site.example:8000' is no host name"),
    ({"SECRET_KEY": "..."}, "SECRET_KEY is shorter than 16 characters"),
    ({"SITE_URL": "https://"}, "SITE_URL='https:': write http://HOST:PORT or https://HOST"),
    ({"SITE_URL": "https://site.example/bench"}, "SITE_URL='https://site.example/bench': write"),
    ({"SITE_URL": "https://site.example:port"}, "SITE_URL: this is no address"),
    ({"EMAIL_URL": "smtp://mail.example:port"}, "EMAIL_URL: this is no address"),
    ({"EMAIL_FROM": "nobody"}, "EMAIL_FROM='nobody': write NAME@HOST"),
    ({"DATABASE_URL": "postgres://site:a/b#c@db.example/site"}, "DATABASE_URL: this is no address"),
    ({"DATABASE_URL": "postgres://db.example"}, "DATABASE_URL names no database"),
    ({"REDIS_URL": "redis://queue.example:port"}, "REDIS_URL: this is no address"),
    ({"CELERY_BROKER_URL": "redis://queue.example/first"}, "CELERY_BROKER_URL: Redis numbers its databases"),
    ({"SOCKET_URL": "wss://live.example:70000"}, "SOCKET_URL: this is no address"),
    ({"MEDIA_URL": "https:///clips/"}, "MEDIA_URL='https:///clips/': write"),
    ({"DATA_DIR": __file__}, "DATA_DIR: "),
    ({"CACHE_MB": "0"}, "CACHE_MB='0': write a whole number from 1"),
]


def test_a_wrong_setting_is_refused_with_a_sentence():
    production = {"DEBUG": "0", "SECRET_KEY": "x" * 60}
    said = read_under([variables if "DEBUG" in variables else production | variables for variables, _ in WRONG])
    for (variables, sentence), (kind, words) in zip(WRONG, said, strict=True):
        assert (kind, sentence in words) == ("ImproperlyConfigured", True), (variables, words)


def test_a_wrong_setting_stops_a_command(tmp_path):
    done = manage(tmp_path, "check", DEBUG="yes")
    assert (done.returncode, "DEBUG='yes': write 1 or 0" in done.stderr) == (2, True)


ANY_TEXT = {"DATA_DIR", "SECRET_KEY", "COMMIT", "METRICS_TOKEN", "PROLIFIC_TOKEN"}
SECONDS = "settings.SECURE_HSTS_SECONDS"
EACH_ALONE = """
import importlib, json, os, sys
importlib.import_module("benchsite.settings")  # loads the libraries, once for all
names, question = json.loads(sys.argv[1]), sys.argv[2]
for name in [name for name in sys.modules if name.startswith("benchsite.settings")]:
    del sys.modules[name]
for variables in names:
    if not os.fork():
        os.environ.update(variables)
        try:
            print(json.dumps(eval(question, {"settings": importlib.import_module("benchsite.settings")})), flush=True)
        except Exception as error:
            print(json.dumps([type(error).__name__, str(error)]), flush=True)
        os._exit(0)
    os.wait()
"""


def read_under(variables: list[dict[str, str]], question: str = "None", **common: str) -> list[Any]:
    """The result of `question` about `settings` under each of these environments; class and sentence of an error."""
    arguments = ["-c", EACH_ALONE, json.dumps(variables), question]
    done = python(arguments, environment(ROOT) | common, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_each_setting_that_is_wrong_is_named_in_one_sentence():
    source = (ROOT / "benchsite/settings/__init__.py").read_text()
    checked = sorted(set(NAMED.findall(source)) - ANY_TEXT)
    assert len(checked) > 20
    said = read_under([{name: "wrong!"} for name in checked])
    for name, answer in zip(checked, said, strict=True):
        assert answer, f"{name} is taken"
        kind, sentence = answer
        assert (kind, name in sentence, "\n" in sentence) == ("ImproperlyConfigured", True, False), answer


def test_https_is_promised_of_this_host_alone():
    sent = {"https://site.example": "max-age=31536000", "http://site.example": None}
    for site, seconds in zip(sent, read_under([{"SITE_URL": site} for site in sent], SECONDS), strict=True):
        with override_settings(SECURE_HSTS_SECONDS=seconds):
            answer = Client().get("/healthz", HTTP_X_FORWARDED_PROTO="https", secure=True)
        assert answer.headers.get("Strict-Transport-Security") == sent[site]


def test_the_address_of_an_object_store_is_its_options():
    addresses = ("folder", "s3://key:a%2Fword@s3.example/clips", "s3+http://k:w@[::1]:9000/clips/?region=eu")
    found = read_under([{"MEDIA_STORE": address} for address in addresses], "list(settings.BUCKET.values())")
    assert found == [
        [],
        ["clips", "https://s3.example", "key", "a/word", "us-east-1"],
        ["clips", "http://[::1]:9000", "k", "w", "eu"],
    ]


def test_addresses_and_names_that_sites_use_are_read():
    taken = [
        {"ALLOWED_HOSTS": "site.example,.site.example,10.0.0.1,[::1],web_1,Lab-PC"},
        {"ALLOWED_HOSTS": "*", "DEBUG": "1"},
        {"SITE_URL": "http://[::1]:8000/"},
        {"SITE_URL": "https://Site.example"},
        {"EMAIL_FROM": "Our site <team@site.example>"},
        {"DATABASE_URL": "postgres:///site"},
        {"DATABASE_URL": "postgres://site:a%2Fb@db.example:5432/site?sslmode=require"},
        {"REDIS_URL": "redis://:word@queue.example:6379/1"},
        {"REDIS_URL": "unix:///run/redis.sock"},
        {"CELERY_BROKER_URL": "amqp://a:b@queue.example:5672/benchsite"},
        {"CELERY_BROKER_URL": "redis://localhost"},
        {"MEDIA_URL": "https://clips.example/site/"},
        {"MEDIA_STORE": "s3+http://key:a%2Fword@s3.example:9000/clips?region=eu"},
    ]
    assert read_under(taken, "1", DEBUG="0", SECRET_KEY="x" * 60) == [1] * len(taken)


def test_a_database_that_says_nothing_is_given_up_after_seconds():
    addresses = ("postgres://site@db.example/site", "postgres://site@db.example/site?connect_timeout=2")
    question = "str(settings.DATABASES['default']['OPTIONS']['connect_timeout'])"
    assert read_under([{"DATABASE_URL": address} for address in addresses], question) == ["5", "2"]


@pytest.mark.postgres
def test_a_connection_whose_other_end_lost_its_power_ends_within_a_minute():
    """By itself the server would keep the locks of such a host for two hours."""
    [options] = read_under([{"DATABASE_URL": POSTGRES_URL}], "settings.DATABASES['default']['OPTIONS']")
    names = ("keepalives_idle", "keepalives_interval", "keepalives_count", "user_timeout")
    with psycopg.connect(POSTGRES_URL, **options) as database:
        idle, every, times, silent = (int(database.execute(f"SHOW tcp_{name}").fetchone()[0]) for name in names)
    assert 0 < idle + every * times < 60
    assert 0 < silent < 60_000


def test_the_address_of_websockets_is_read():
    addresses = ["wss://live.example", "ws://localhost:8000", "ws://[::1]:8001", "wss://a.b/live/", ":8001"]
    found = read_under([{"SOCKET_URL": address} for address in addresses], "settings.SOCKET_URL")
    assert found == [address.rstrip("/") for address in addresses]


def test_no_heavy_library_is_loaded_at_site_start(tmp_path):
    heavy = ("torch", "transformers", "mujoco", "av", "skia", "cairosvg", "pandas", "scipy")
    start = "import django; django.setup(); import benchsite.urls, benchsite.celery"
    env = environment(tmp_path) | {"DJANGO_SETTINGS_MODULE": "benchsite.settings"}
    assert loaded_by(start, heavy, env) == set()
