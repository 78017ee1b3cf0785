"""The site's own role in PostgreSQL and own vhost in RabbitMQ, as made by docker/ and docs/deploying.md."""

import json
import os
import re
import subprocess
import sys
from urllib.parse import quote, urlparse

import psycopg
import pytest

from tests.programs import python
from tests.services import POSTGRES_URL
from tests.site import ROOT, environment

ROLE = "benchsite_role_of_tests"
VHOST = "benchsite_of_tests"
PASSWORD = "p@ss/word:1'%"
PAGE = (ROOT / "docs/deploying.md").read_text()
RECIPE = re.search(r"<!-- tried by the tests: RabbitMQ -->\n```sh\n(.*?)```", PAGE, re.S)
PUBLISH = """
import json, django; django.setup()
from benchsite.celery import app
from benchsite.logs.metrics import broker_messages
app.send_task("evaluation.tasks.work_on_run", args=[0], queue="gpu")
print(json.dumps(broker_messages()))
"""


@pytest.fixture
def made():
    """The role and its database, made by the script that compose mounts."""
    server = urlparse(POSTGRES_URL)
    where = {"PGHOST": server.hostname, "PGPORT": str(server.port or 5432), "POSTGRES_USER": server.username}
    env = os.environ | where | {"SITE_ROLE": ROLE, "DATABASE_PASSWORD": PASSWORD}
    drop = ("psql", "-q", POSTGRES_URL, "-c", f"DROP DATABASE IF EXISTS {ROLE}", "-c", f"DROP ROLE IF EXISTS {ROLE}")
    subprocess.run(drop, check=True, capture_output=True)
    yield subprocess.run([ROOT / "docker/site-role.sh"], env=env, capture_output=True, text=True, timeout=60)
    subprocess.run(drop, check=True, capture_output=True)


@pytest.mark.postgres
def test_the_sites_role_owns_its_database_and_nothing_else(made):
    assert (made.returncode, made.stderr) == (0, "")
    with psycopg.connect(POSTGRES_URL) as connection:
        rights = "SELECT rolsuper, rolcreatedb, rolcreaterole, rolpassword LIKE %s FROM pg_authid WHERE rolname = %s"
        assert connection.execute(rights, ("SCRAM-SHA-256%", ROLE)).fetchone() == (False, False, False, True)
        owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = %s"
        assert connection.execute(owner, (ROLE,)).fetchone() == (ROLE,)


def test_a_password_of_any_characters_is_percent_encoded(tmp_path):
    said = "import json, benchsite.settings as s; print(json.dumps(s.DATABASES['default']))"
    url = f"postgres://benchsite:{quote(PASSWORD, safe='')}@db.example/benchsite"
    done = python(["-c", said], environment(tmp_path) | {"DATABASE_URL": url}, timeout=120)
    assert json.loads(done.stdout)["PASSWORD"] == PASSWORD, done.stderr


@pytest.mark.rabbitmq
def test_rabbitmq_holds_what_waits_and_the_site_counts_it(tmp_path):
    """Follows the docs for another vhost; then sends a task through it and counts it."""
    words = RECIPE[1].replace("sudo ", "").replace("benchsite", VHOST).replace("queue.example", "127.0.0.1")
    clear = f"rabbitmqctl -q delete_vhost {VHOST}; rabbitmqctl -q delete_user {VHOST}; true"
    subprocess.run(["bash", "-c", clear], capture_output=True, timeout=60)
    try:
        script = f"{words}\n{sys.executable} -c '{PUBLISH}'"
        how = {"cwd": ROOT, "env": environment(tmp_path), "capture_output": True, "text": True, "timeout": 120}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], **how)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout.splitlines()[-1])["gpu"] == 1
    finally:
        subprocess.run(["bash", "-c", clear], capture_output=True, timeout=60)
