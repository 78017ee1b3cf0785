"""The site's parts on hosts of their own: database, broker, object store, site, and workers that joined by a token."""

import json
import os
import re
import shutil
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.deployment.bucket import BUCKET, address_of, client
from tests.hosts.network import Host, Network
from tests.services import POSTGRES_URL, answers
from tests.site import STARTS_WITHIN, environment, other_settings, wait_for
from tests.tables import lay_static, on_postgres
from tools.bench.load.fault_injection import own_clock
from tools.bench.load.servers import make_postgres, postgres_tool

LEASE = 5  # seconds
PYTHON = sys.executable
GOT = re.compile(rf"^([0-9.]+) - - .*GET /{BUCKET}/clips/(\S+) ", re.MULTILINE)  # a line of the store's log
RABBITMQ = "/usr/lib/rabbitmq/bin/rabbitmq-server"
AS_POSTGRES = ("setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups")


class Cluster:
    """All hosts of one site. `env` is what the site's own hosts have."""

    def __init__(self, network: Network, stack: ExitStack, *, has_store: bool, has_rabbitmq: bool) -> None:
        self.network, self.folder = network, network.folder
        self.database, self.broker, self.site = map(network.add, ("database", "broker", "site"))
        self.store = network.add("store") if has_store else None
        self.workers: dict[str, Host] = {}
        self.envs: dict[str, dict[str, str]] = {}
        self.clock = own_clock(self.folder, stack)
        self.settings = other_settings(EVALUATION_LEASE_SECONDS=LEASE, MEDIA_STORE_SECONDS=2)
        redis = f"redis://{self.broker.address}:6379"
        self.has_rabbitmq = has_rabbitmq
        queue = f"amqp://guest:guest@{self.broker.address}:5672" if has_rabbitmq else f"{redis}/0"
        self.database_url = f"postgres://postgres@{self.database.address}:5432/postgres"
        self.env = environment(self.site.folder) | {
            **self.settings,
            "DEBUG": "0",
            "SECRET_KEY": uuid.uuid4().hex * 2,
            "ALLOWED_HOSTS": self.site.address,
            "SITE_URL": f"http://{self.site.address}:8000",
            "DATABASE_URL": self.database_url,
            "CELERY_BROKER_URL": queue,
            "REDIS_URL": f"{redis}/1",
            "MODEL_HOSTS": network.addresses,
            "OMP_NUM_THREADS": "1",
        }
        if self.store:
            self.env["MEDIA_STORE"] = address_of(f"http://{self.store.address}:5000")

    def start(self, parts: str) -> None:
        """Start the servers with all tables, and these parts on the site's own host."""
        self._start_database()
        self.start_broker()
        if self.store:
            self.start_store()
        if parts:
            lay_static(self.site.folder)
            serve = ("serve", "--only", parts, "--host", "0.0.0.0", "--port", "8000")
            self.site.start(PYTHON, "manage.py", *serve, env=self.env)
        join = ["manage.py", "join", *([] if self.store else ["--folder-is-shared"])]
        self.token = self.site.run(PYTHON, *join, env=self.env).strip()

    def _start_database(self) -> None:
        folder = self.database.folder / "cluster"
        make_postgres(folder)
        with (folder / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {self.network.addresses} trust\n")
        how = ("listen_addresses=*", "unix_socket_directories=", "fsync=off", "max_connections=120")
        settings = [word for each in how for word in ("-c", each)]
        as_postgres = ("env", "--chdir=/", *AS_POSTGRES)  # who may not enter a checkout in a private folder
        self.database.start(*as_postgres, postgres_tool("postgres"), "-D", str(folder), *settings)
        wait_for(lambda: answers(self.database_url))
        with on_postgres(POSTGRES_URL, f"hosts_{uuid.uuid4().hex[:10]}") as made:  # quicker than by migrations
            tables = subprocess.run(["pg_dump", made], check=True, capture_output=True).stdout
        psql = ["psql", "--quiet", "--set", "ON_ERROR_STOP=1", self.database_url]
        subprocess.run(psql, input=tables, check=True, stdout=subprocess.DEVNULL)

    def start_broker(self) -> None:
        command = ("redis-server", "--bind", "0.0.0.0", "--protected-mode", "no", "--save", "", "--dir", "/tmp")
        self.broker.start(*command)
        if self.has_rabbitmq:
            self._start_rabbitmq()
        wait_for(lambda: answers(self.env["REDIS_URL"]) and answers(self.env["CELERY_BROKER_URL"]), STARTS_WITHIN)

    def _start_rabbitmq(self) -> None:
        """Start it without the messages that it had; as root, whom its own script would change."""
        folder = self.broker.folder / "rabbitmq"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        (folder / "rabbitmq.conf").write_text("loopback_users = none\n")
        own = {"NODENAME": "rabbit@localhost", "CONFIG_FILE": f"{folder}/rabbitmq.conf"}
        own |= {f"{what}_BASE": f"{folder}/{what}" for what in ("MNESIA", "LOG")}
        own |= {"CONF_ENV_FILE": "/dev/null", "ENABLED_PLUGINS_FILE": f"{folder}/plugins"}
        env = {f"RABBITMQ_{name}": value for name, value in own.items()} | {
            "HOME": str(folder),
            "PATH": os.environ["PATH"],
        }
        self.broker.start(RABBITMQ, env=env)

    def start_store(self) -> None:
        assert self.store
        self.store.start(PYTHON, "-m", "moto.server", "-H", "0.0.0.0", "-p", "5000")
        endpoint = f"http://{self.store.address}:5000"
        wait_for(lambda: answers(endpoint), STARTS_WITHIN)
        client(endpoint).create_bucket(Bucket=BUCKET)

    def act(self, **acts: dict[str, Any]) -> dict[str, Any]:
        """What these acts of tests/hosts/inside.py do on the site's host: the result of the last one."""
        words = [word for name, arguments in acts.items() for word in (name, json.dumps(arguments))]
        return json.loads(self.site.run(PYTHON, "-m", "tests.hosts.inside", *words, env=self.env))

    def work(self, name: str, parts: str = "gpu,cpu", *, cache_mb: int = 100) -> None:
        """Start `serve` on the host of this worker, which is new or has been booted again."""
        if name not in self.workers:
            host = self.workers[name] = self.network.add(name)
            (host.folder / "clock").touch()
            own = {"JOIN": self.token, "OMP_NUM_THREADS": "1", "CLOCK_FILE": str(host.folder / "clock")}
            self.envs[name] = environment(host.folder) | self.settings | self.clock | own | {"CACHE_MB": str(cache_mb)}
            if not self.store:
                (host.folder / "media").symlink_to(self.site.folder / "media")
        self.workers[name].start(PYTHON, "manage.py", "serve", "--only", parts, env=self.envs[name])

    def set_clock(self, name: str, seconds: int) -> None:
        (self.workers[name].folder / "clock").write_text(str(seconds))

    def fetched(self) -> dict[str, Counter[str]]:
        """How often each worker's host got each clip from the store, by the store's log."""
        assert self.store
        got = GOT.findall(self.store.log())
        return {
            name: Counter(clip for address, clip in got if address == host.address)
            for name, host in self.workers.items()
        }


@contextmanager
def running(parts: str, **has: bool) -> Iterator[Cluster]:
    """A site with these parts and without workers, and nothing of it left afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory()))
        folder.chmod(0o755)  # the user `postgres` enters it
        network = Network(folder)
        stack.callback(network.close)
        cluster = Cluster(network, stack, **has)
        cluster.start(parts)
        yield cluster
