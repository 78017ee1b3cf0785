"""`deployment_files`: systemd, nginx and logrotate accept its files, and its backup keeps the right archives."""

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
from django.core.management import call_command

from benchmarks.commands import CallerMistake
from benchsite.supervisor import deployment_files
from benchsite.supervisor.serve import is_free
from tests.site import ROOT, environment, wait_for
from tests.tables import lay_into

NGINX = "daemon off; pid {folder}/pid; error_log {folder}/log; events {{}} http {{ {paths} include {folder}/*.conf; }}"
PATHS = "".join(f"{name}_temp_path {{folder}}; " for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
DAY = 86_400  # seconds


@pytest.fixture
def host(tmp_path, settings):
    """The files for a site at https://site.example with its own certificate, and nginx's address."""
    settings.SITE_URL = "https://site.example"
    keys = tmp_path / "keys"
    keys.mkdir()
    lifetime = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=site.example")
    files = ("-keyout", keys / "privkey.pem", "-out", keys / "fullchain.pem")
    subprocess.run(["openssl", "req", *lifetime, *files], check=True, capture_output=True)
    # Below the ephemeral ports, one of which was taken while nginx started.
    free = (port for port in random.sample(range(20_000, 32_000), 100) if is_free("127.0.0.1", port))
    ports = {"http_port": next(free), "https_port": next(free)}
    where = {"out": str(tmp_path / "files"), "backups": str(tmp_path / "backups"), "certificate": str(keys)}
    call_command("deployment_files", **where, user="daemon", **ports)
    return tmp_path / "files", ports


def test_every_place_is_filled_in_and_only_the_owner_reads_the_keys(host):
    files, _ports = host
    assert not [path.name for path in files.iterdir() if path.suffix != ".sh" and "${" in path.read_text()]
    assert (files / "benchsite.env").stat().st_mode & 0o777 == 0o600
    lines = (files / "benchsite.env").read_text().splitlines()
    assert {"SITE_URL=https://site.example", "ALLOWED_HOSTS=site.example", "# SECRET_KEY="} <= set(lines)


def test_every_setting_reaches_the_services(settings, monkeypatch, tmp_path):
    """All except those that the files set themselves, and those outside production."""
    settings.SITE_URL = "https://site.example"
    chosen = {"SITE_URL", "ALLOWED_HOSTS", "DATA_DIR", "SOCKET_PORT", "SOCKET_URL", "MEDIA_BY_NGINX", "PROXIES"}
    page = (ROOT / "docs/deploying.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z0-9_]+)` \|", page, re.MULTILINE)) - {"DEBUG", "JOIN", "MAINTENANCE"}
    assert chosen < documented
    for name in documented - chosen:
        monkeypatch.setenv(name, f"of {name}'s own")
    lines = list(deployment_files.environment_of(deployment_files.Host(tmp_path)))
    command, alone = ["sh", "-ac", ". /dev/stdin; env -0"], {"PATH": os.environ["PATH"]}
    text = "\n".join(lines)
    read = subprocess.run(command, input=text, env=alone, text=True, capture_output=True, check=True)
    values = dict(line.split("=", 1) for line in read.stdout.split("\0") if "=" in line)
    assert {name: values.get(name) for name in documented - chosen} == {
        name: f"of {name}'s own" for name in documented - chosen
    }
    assert {line.partition("=")[0] for line in lines} >= chosen


def test_a_drill_keeps_what_it_restores_in_the_closed_folder(host):
    files, _ports = host
    told = (files / "README").read_text()
    assert "DATABASE_URL=sqlite:////tmp/drill/var/" in told
    assert told.index("nginx-http.conf") < told.index("certbot certonly") < told.index("nginx-site.conf")
    assert f"set -a; . {files}/benchsite.env; set +a" in told


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="SKIPPED LOUDLY: no systemd-analyze here")
def test_systemd_takes_the_units(host):
    files, _ports = host
    units = [str(path) for path in (*files.glob("*.service"), *files.glob("*.timer"))]
    assert len(units) == 5
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.nginx
def test_nginx_sends_every_visitor_to_the_one_address(host, tmp_path):
    files, ports = host
    with nginx_with(files, tmp_path / "nginx"):
        wait_for(lambda: socket.create_connection(("127.0.0.1", ports["http_port"])).close() or True)
        call = http.client.HTTPConnection("127.0.0.1", ports["http_port"])
        call.request("GET", "/leaderboard/?level=2", headers={"Host": "site.example"})
        moved = call.getresponse()
        assert (moved.status, moved.getheader("Location")) == (301, "https://site.example/leaderboard/?level=2")
        moved.read()
        call.request("GET", "/", headers={"Host": "other.example"})
        with pytest.raises(http.client.RemoteDisconnected):
            call.getresponse()
        assert by_tls(ports["https_port"], "site.example").startswith(b"HTTP/1.1 502")  # no site behind it
        with pytest.raises(ssl.SSLError):
            by_tls(ports["https_port"], "other.example")


@contextmanager
def nginx_with(files: Path, folder: Path) -> Iterator[None]:
    """nginx in the foreground with the two configuration files, once `nginx -t` takes them."""
    folder.mkdir()
    for name in ("nginx-http.conf", "nginx-site.conf"):
        text = (files / name).read_text().replace("/var/log/nginx/benchsite.log", str(folder / "access"))
        (folder / name).write_text(text)
    conf = folder / "nginx.main"
    conf.write_text(NGINX.format(folder=folder, paths=PATHS.format(folder=folder)))
    tool = shutil.which("nginx") or "/usr/sbin/nginx"
    checked = subprocess.run([tool, "-t", "-c", conf], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    process = subprocess.Popen([tool, "-c", conf])
    try:
        yield
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
def test_logrotate_takes_its_file(host, tmp_path):
    files, _ports = host
    command = ["logrotate", "--debug", "--state", tmp_path / "state", files / "logrotate"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, "error" in done.stderr) == (0, False), done.stderr


@pytest.mark.worker
def test_a_backup_is_checked_and_copied_and_only_then_old_ones_go(host, tmp_path):
    files, _ports = host
    site, elsewhere, backups = tmp_path / "site", tmp_path / "elsewhere", tmp_path / "backups"
    lay_into(site)
    elsewhere.mkdir()
    backups.mkdir()
    old, recent = backups / "2026-01-01T000000.tar", backups / "2026-11-20T000000.tar"
    for path, days in ((old, 20), (recent, 3)):
        path.write_text("of before")
        os.utime(path, (time.time() - days * DAY,) * 2)
    env = environment(site) | {"BACKUP_COPY": f"cp -t {elsewhere}"}

    def run(**extra: str) -> int:
        script = ["bash", str(files / "backup.sh")]
        return subprocess.run(script, env=env | extra, cwd=ROOT, capture_output=True, timeout=300).returncode

    assert run(BACKUP_COPY="false") != 0
    assert old.exists()
    time.sleep(1.1)  # names have seconds
    assert run() == 0
    assert (old.exists(), recent.exists()) == (False, True)
    assert len(list(elsewhere.glob("*.tar"))) == len(list(elsewhere.glob("*.tar.sha256"))) == 1


def test_what_can_not_be_rendered_is_one_sentence_and_writes_nothing(host, tmp_path, settings):
    files, _ports = host
    (files / "README").write_text("mine")
    (files / "backup.sh").unlink()
    with pytest.raises(CallerMistake, match="has README already"):
        call_command("deployment_files", out=str(files))
    assert ((files / "README").read_text(), (files / "backup.sh").exists()) == ("mine", False)
    settings.SITE_URL = "http://site.example"
    with pytest.raises(CallerMistake, match=r"SITE_URL='http://site\.example': write the public address, https://HOST"):
        call_command("deployment_files", out=str(tmp_path / "new"))
    assert not (tmp_path / "new").exists()
