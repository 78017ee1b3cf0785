"""docker/host: systemd, nginx and logrotate accept the files, and the backup keeps the right archives."""

import http.client
import os
import random
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchsite.serving.serve import is_free
from tests.deployment.cluster import is_open, nginx_of
from tests.site import ROOT, environment, wait_for
from tests.tables import lay_into

FILES = ROOT / "docker/host"
DAY = 86_400  # seconds


def test_the_settings_of_the_services_are_settings_of_the_site():
    page = (ROOT / "docs/deploying.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z0-9_]+)` \|", page, re.MULTILINE))
    of_the_script = set(re.findall(r"^#   ([A-Z_]+) ", (FILES / "backup.sh").read_text(), re.MULTILINE))
    named = set(re.findall(r"^#?([A-Z0-9_]+)=", (FILES / "environment").read_text(), re.MULTILINE))
    assert {"SECRET_KEY", "DATABASE_URL", "PROXIES", "BACKUP_COPY"} <= named <= documented | of_the_script


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="SKIPPED LOUDLY: no systemd-analyze here")
def test_systemd_takes_the_units(tmp_path):
    """With this checkout and a user of this machine in place of the host's own."""
    shutil.copytree(FILES, tmp_path / "units")
    units = [path for path in (tmp_path / "units").rglob("*") if path.suffix in (".service", ".timer", ".conf")]
    for path in units:
        if path.is_file():
            text = path.read_text().replace("/srv/benchsite/site", str(ROOT)).replace("User=benchsite", "User=daemon")
            path.write_text(text)
    names = [str(path) for path in units if path.parent.name == "units" and path.is_file() and path.suffix != ".conf"]
    assert len(names) == 8
    done = subprocess.run(["systemd-analyze", "verify", *names], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.nginx
def test_nginx_sends_every_visitor_to_the_one_address(tmp_path):
    with host_nginx(tmp_path) as (http_port, https_port):
        wait_for(lambda: is_open(http_port))
        call = http.client.HTTPConnection("127.0.0.1", http_port)
        call.request("GET", "/leaderboard/?level=2", headers={"Host": "benchsite.example"})
        moved = call.getresponse()
        assert (moved.status, moved.getheader("Location")) == (301, "https://benchsite.example/leaderboard/?level=2")
        moved.read()
        call.request("GET", "/", headers={"Host": "other.example"})
        with pytest.raises(http.client.RemoteDisconnected):
            call.getresponse()
        stopped = by_tls(https_port, "benchsite.example")
        assert stopped.startswith(b"HTTP/1.1 503")
        assert b"Retry-After: 30" in stopped
        assert b"those that were not sent yet wait in this browser" in stopped
        with pytest.raises(ssl.SSLError):
            by_tls(https_port, "other.example")


@contextmanager
def host_nginx(folder: Path) -> Iterator[tuple[int, int]]:
    """nginx with both files of a host, a certificate and free ports, once `nginx -t` takes them; its two ports."""
    lifetime = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=benchsite.example")
    keys = ("-keyout", folder / "privkey.pem", "-out", folder / "fullchain.pem")
    subprocess.run(["openssl", "req", *lifetime, *keys], check=True, capture_output=True)
    # Below the ephemeral ports, one of which was taken while nginx started.
    free = (port for port in random.sample(range(20_000, 32_000), 100) if is_free("127.0.0.1", port))
    ports, files = (next(free), next(free)), (folder / "http.conf", folder / "site.conf")
    for path, shipped in zip(files, (FILES / "nginx-http.conf", ROOT / "docker/nginx.conf"), strict=True):
        text = shipped.read_text().replace("/etc/letsencrypt/live/benchsite.example", str(folder))
        text = text.replace("listen 80", f"listen {ports[0]}").replace("listen 443", f"listen {ports[1]}")
        text = text.replace("/var/log/nginx/", f"{folder}/").replace("127.0.0.1:8000", "127.0.0.1:1")
        path.write_text(text.replace("/srv/benchsite/site", str(ROOT)))
    command = nginx_of(folder, *files)
    checked = subprocess.run([*command, "-t"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen([*command, "-g", "daemon off;"], stderr=subprocess.DEVNULL)
    try:
        yield ports
    finally:
        process.terminate()
        process.wait(10)


def by_tls(port: int, name: str) -> bytes:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", port), 10) as plain,
        context.wrap_socket(plain, server_hostname=name) as channel,
    ):
        channel.sendall(f"GET / HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n".encode())
        return channel.recv(4096)


@pytest.mark.skipif(not shutil.which("logrotate"), reason="SKIPPED LOUDLY: no logrotate here")
def test_logrotate_takes_its_file(tmp_path):
    command = ["logrotate", "--debug", "--state", tmp_path / "state", FILES / "logrotate"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "error" in done.stderr) == (0, False), done.stderr


@pytest.mark.worker
def test_a_backup_is_checked_and_copied_and_only_then_old_ones_go(tmp_path):
    site, elsewhere, backups = tmp_path / "site", tmp_path / "elsewhere", tmp_path / "backups"
    lay_into(site)
    elsewhere.mkdir()
    backups.mkdir()
    old, recent = backups / "2026-01-01T000000.tar", backups / "2026-11-20T000000.tar"
    for path, days in ((old, 20), (recent, 3)):
        path.write_text("of before")
        os.utime(path, (time.time() - days * DAY,) * 2)
    env = environment(site) | {"BACKUPS": str(backups), "BACKUP_COPY": f"cp -t {elsewhere}"}

    def run(**extra: str) -> int:
        script = ["bash", str(FILES / "backup.sh")]
        return subprocess.run(script, env=env | extra, cwd=tmp_path, capture_output=True, timeout=300).returncode

    assert run(BACKUP_COPY="false") != 0
    assert old.exists()
    time.sleep(1.1)  # names have seconds
    assert run() == 0
    assert (old.exists(), recent.exists()) == (False, True)
    assert len(list(elsewhere.glob("*.tar"))) == len(list(elsewhere.glob("*.tar.sha256"))) == 1
