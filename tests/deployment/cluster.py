"""Several machines on one: each has its own process group and folder, behind nginx, on shared servers.

The containers of docker/compose.yaml are processes here: nginx, two web machines, two machines that answer runs, Redis
and an object store. The running PostgreSQL is used, with a separate database.
"""

import os
import signal
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psycopg

from benchsite.serving.processes import die_with_parent
from benchsite.serving.serve import free_port, is_free
from tests.deployment.bucket import BUCKET, address_of, client
from tests.programs import python, start
from tests.services import POSTGRES_URL
from tests.site import PATIENCE, ROOT, STARTS_WITHIN, environment, other_settings, wait_for

HOST = "127.0.0.1"
LEASE = 4  # seconds
STORE_SECONDS = 2
NGINX = """
user root;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    include /etc/nginx/mime.types;
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {included}
}}
"""


@dataclass
class Machine:
    """One `serve` with its own folder and process group."""

    folder: Path
    process: subprocess.Popen

    def kill(self) -> None:
        """Kill all of its processes at once, as in a power failure."""
        for group in (*_groups_below(self.process.pid), self.process.pid):
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        self.process.wait(PATIENCE)


@dataclass
class Cluster:
    """The site of all machines; it has the interface of a site of one machine, for the tests of those."""

    folder: Path
    env: dict[str, str]
    port: int
    store: subprocess.Popen
    machines: dict[str, Machine] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    def page(self, path: str = "/") -> str:
        return self.get(path).read().decode()

    def get(self, path: str, **headers: str):
        from urllib.request import Request, urlopen

        return urlopen(Request(self.address + path, headers=headers), timeout=PATIENCE)

    def manage(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.call("manage.py", *arguments)

    def call(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run this with the cluster's settings and an empty folder."""
        env = self.env | {"DATA_DIR": str(self.folder / "elsewhere"), "DEBUG": "1"}
        return python([*arguments], env, timeout=300)

    def start(self, name: str, *arguments: str, **env: str) -> Machine:
        """Start a machine with this name; `env` replaces the cluster's settings if it joins with a token."""
        folder = self.folder / name
        folder.mkdir()
        base = environment(folder) | (env if "JOIN" in env else self.env | env) | {"DATA_DIR": str(folder)}
        with (folder / "log").open("w") as log:
            how: dict[str, Any] = {"start_new_session": True, "preexec_fn": die_with_parent}
            process = start(["manage.py", "serve", *arguments], base, stdout=log, stderr=log, **how)
        self.machines[name] = Machine(folder, process)
        return self.machines[name]


def _groups_below(pid: int) -> list[int]:
    import psutil

    with suppress(psutil.NoSuchProcess):
        return [child.pid for child in psutil.Process(pid).children(recursive=True)]
    return []


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Start all servers of an empty site on several machines, and stop them afterwards."""
    with ExitStack() as held:
        env = {
            **other_settings(MEDIA_STORE_SECONDS=STORE_SECONDS, EVALUATION_LEASE_SECONDS=LEASE),
            "SECRET_KEY": uuid.uuid4().hex * 2,
            "DEBUG": "0",
            "ALLOWED_HOSTS": "localhost",
            "DATABASE_URL": held.enter_context(_database()),
            "MEDIA_BY_NGINX": "1",
            "PROXIES": "1",
            "OMP_NUM_THREADS": "1",
        }
        queue = f"redis://{HOST}:{held.enter_context(_redis(folder))}"
        endpoint, store = held.enter_context(_store())
        port, webs = free_port(HOST), [_free_pair(), _free_pair()]
        sockets = [web + 1 for web in webs]
        env |= {
            "CELERY_BROKER_URL": f"{queue}/0",
            "REDIS_URL": f"{queue}/1",
            "MEDIA_STORE": address_of(endpoint),
            "SITE_URL": f"http://localhost:{port}",
            "SOCKET_URL": f"ws://localhost:{port}",
        }
        cluster = Cluster(folder, environment(folder) | env, port, store)
        held.callback(_stop, cluster)
        done = cluster.manage("migrate", "--verbosity", "0")
        assert done.returncode == 0, done.stderr
        for number, web in enumerate(webs, start=1):
            parts = "web,clock" if number == 1 else "web,cpu"
            cluster.start(f"web{number}", "--only", parts, "--port", str(web))
        cluster.start("gpu1", "--only", "gpu,cpu")
        for web in webs:
            wait_for(partial(_answers, web), STARTS_WITHIN)
        held.enter_context(running_nginx(folder, port, webs, sockets, endpoint))
        wait_for(lambda: cluster.page("/healthz"), STARTS_WITHIN)
        yield cluster


def _free_pair() -> int:
    """A free port with a free one after it, for a machine's pages and websockets."""
    return wait_for(lambda: (port := free_port(HOST)) and is_free(HOST, port + 1) and port)


def _answers(port: int) -> bool:
    from urllib.request import urlopen

    with urlopen(f"http://localhost:{port}/healthz", timeout=5) as answer:
        return answer.status == 200


def _stop(cluster: Cluster) -> None:
    for machine in cluster.machines.values():
        machine.kill()


@contextmanager
def _database() -> Iterator[str]:
    name = f"machines_{uuid.uuid4().hex[:10]}"
    with psycopg.connect(POSTGRES_URL, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            yield f"{POSTGRES_URL.rsplit('/', 1)[0]}/{name}"
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def _process(command: list[str], *, log: Path | None = None) -> Iterator[subprocess.Popen]:
    with (log or Path(os.devnull)).open("w") as file:
        process = subprocess.Popen(command, cwd=ROOT, stdout=file, stderr=file, preexec_fn=die_with_parent)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(PATIENCE)


@contextmanager
def _redis(folder: Path) -> Iterator[int]:
    port = free_port(HOST)
    with _process(["redis-server", "--port", str(port), "--save", "", "--dir", str(folder)]):
        yield port


@contextmanager
def _store() -> Iterator[tuple[str, subprocess.Popen]]:
    port = free_port(HOST)
    with _process([sys.executable, "-m", "moto.server", "-H", HOST, "-p", str(port)]) as process:
        bucket = client(endpoint := f"http://{HOST}:{port}")
        wait_for(lambda: is_open(port), STARTS_WITHIN)
        bucket.create_bucket(Bucket=BUCKET)
        yield endpoint, process


def is_open(port: int) -> bool:
    """Whether this port of the machine takes connections; OSError if it does not."""
    socket.create_connection((HOST, port), timeout=1).close()
    return True


@contextmanager
def running_nginx(folder: Path, port: int, webs: list[int], sockets: list[int], endpoint: str) -> Iterator[None]:
    """Run docker/nginx.conf on this port, before these pages and websockets, with `folder`/media and this store."""
    places = {
        "server 127.0.0.1:8000;": " ".join(f"server {HOST}:{each};" for each in webs),
        "server 127.0.0.1:8001;": " ".join(f"server {HOST}:{each};" for each in sockets),
        "/srv/benchsite/data/media": str(folder / "media"),
        "http://127.0.0.1:9": endpoint,
        "proxy_read_timeout 10s": f"proxy_read_timeout {STORE_SECONDS}s",
        "/var/log/nginx/benchsite.log": str(folder / "access.log"),
        "listen 443 ssl;": f"listen {HOST}:{port};",
        "limit_conn addresses 100;": "limit_conn addresses 1000;",
        "ssl_certificate /etc/letsencrypt/live/benchsite.example/fullchain.pem;": "",
        "ssl_certificate_key /etc/letsencrypt/live/benchsite.example/privkey.pem;": "",
    }
    (folder / "site.conf").write_text(nginx_with(places))
    with _process([*nginx_of(folder, folder / "site.conf"), "-g", "daemon off;"], log=folder / "nginx.log"):
        yield


def nginx_with(places: dict[str, str]) -> str:
    """docker/nginx.conf with these words in place of its own."""
    text = (ROOT / "docker/nginx.conf").read_text()
    for own, other in places.items():
        assert text.count(own) == 1, own
        text = text.replace(own, other)
    return text


def nginx_of(folder: Path, *files: Path) -> list[str]:
    """The command of an nginx with these files in its `http` block, whose own files are in the folder."""
    included = " ".join(f"include {file};" for file in files)
    (folder / "nginx.conf").write_text(NGINX.format(folder=folder, included=included))
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]
