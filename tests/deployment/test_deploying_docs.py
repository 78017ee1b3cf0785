"""docs/deploying.md is typed block by block in a fresh folder, and docker/ matches the document."""

import os
import re
import subprocess
import sys

import pytest
import yaml

from benchsite.serving.processes import PARTS
from tests.deployment.cluster import nginx_of
from tests.site import ROOT, environment

PAGE = (ROOT / "docs/deploying.md").read_text()
TYPED = re.findall(r"<!-- typed by the tests: ([^>]+) -->\n```sh\n(.*?)```", PAGE, re.DOTALL)
TOOL = f"""#!{sys.executable}
import sys
sys.path.append("{ROOT}")
from benchsite.cli import main
main()
"""
COMPOSE = yaml.safe_load((ROOT / "docker/compose.yaml").read_text())["services"]


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """An empty folder, as on a new host, with `benchsite` on its path."""
    folder = tmp_path_factory.mktemp("fresh")
    tool = folder / "bin/benchsite"
    tool.parent.mkdir()
    tool.write_text(TOOL)
    tool.chmod(0o755)
    (folder / "docker").symlink_to(ROOT / "docker")
    env = environment(folder) | {"PATH": f"{tool.parent}:{os.environ['PATH']}"}
    return folder, env


def test_the_blocks_that_can_run_here_do_in_their_order(fresh):
    folder, env = fresh
    how, said = {"cwd": folder, "env": env, "capture_output": True, "text": True, "timeout": 900}, {}
    for name, block in TYPED:
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", block], **how)
        assert done.returncode == 0, f"{name}:\n{block}\n{done.stdout}\n{done.stderr}"
        said[name] = done.stdout + done.stderr
    assert "no issues" in said["one host"]
    assert "Superuser created" in said["one host"]
    assert re.search(r"admin signs in with: \S{24}\n", said["one host"])
    assert "qwen3-vl" in said["a model behind a server"]
    conf = (folder / "site.conf").read_text()
    assert "server web1.internal:8000; server web2.internal:8000;" in conf
    assert "server_name site.example;" in conf
    assert "alias /srv/site/media/;" in conf
    files = [path.read_text() for path in (folder / "host-files").rglob("*") if path.is_file()]
    assert not [text for text in files if "benchsite.example" in text or "/srv/benchsite" in text]


def test_what_is_named_of_docker_is_there():
    for path in set(re.findall(r"`((?:docker|tests)/[\w./-]+)`", PAGE)):
        assert (ROOT / path).exists(), path


def test_compose_has_six_services_each_with_a_health_check_and_bounded_logs():
    assert {"nginx", "web", "worker", "gpu", "database", "redis"} == set(COMPOSE)
    for name, service in COMPOSE.items():
        assert service["healthcheck"]["test"], name
        assert {"max-size", "max-file"} <= set(service["logging"]["options"]), name


def test_parts_that_containers_run_cover_the_site():
    commands = [word for service in COMPOSE.values() for word in service.get("command", ())]
    parts = {part for word in commands for part in word.split(",") if part in PARTS}
    image = (ROOT / "docker/Dockerfile.gpu").read_text()
    assert '"--only", "gpu"' in image
    assert parts | {"gpu"} == set(PARTS)
    assert COMPOSE["worker"]["command"][-2:] == ["--only", "cpu,clock"]


def test_every_setting_reaches_the_containers():
    """All except those that the image sets, and those for machines without containers."""
    own = {"DATA_DIR", "JOIN", "DEBUG", "COMMIT", "MEDIA_URL"}
    documented = set(re.findall(r"^\| `([A-Z0-9_]+)` \|", PAGE, re.MULTILINE))
    for name in ("web", "worker", "gpu"):
        assert documented - own == set(COMPOSE[name]["environment"]), name


@pytest.mark.nginx
def test_nginx_in_containers_takes_the_file_of_a_host_without_tls(tmp_path):
    script = COMPOSE["nginx"]["command"][-1].replace("$$", "$").replace("exec nginx -g 'daemon off;'", "")
    conf = tmp_path / "site.conf"
    for inside, here in (("/host.conf", ROOT / "docker/nginx.conf"), ("/etc/nginx/conf.d/default.conf", conf)):
        assert inside in script
        script = script.replace(inside, str(here))
    env = {"FORWARDED_PROTO": "https", "ADDRESS_CONNECTIONS": "10000", "STORE": "http://127.0.0.1:9999"}
    subprocess.run(["sh", "-ec", script], env=os.environ | env, check=True)
    text = conf.read_text()
    for place in (
        *("listen 80;", "server web:8000;", "server web:8001;", "X-Forwarded-Proto https;"),
        *("limit_conn addresses 10000;", "proxy_pass http://127.0.0.1:9999;", "/srv/benchsite/data/media/"),
    ):
        assert text.count(place) == 1, place
    conf.write_text(text.replace("server web:", "server 127.0.0.1:").replace("/var/log/nginx/", f"{tmp_path}/"))
    assert "ssl" not in re.sub("proxy_ssl_server_name", "", text)
    done = subprocess.run([*nginx_of(tmp_path, conf), "-t"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
