"""The servers that the site may contact, whoever names them: addresses are checked when the connection is made."""

import asyncio
import socket
import ssl
import subprocess

import httpx
import pytest
from django.test import Client

from benchmarks.commands import CallerMistake
from evaluation.adapters.base import REPLY, Request, Turn
from evaluation.adapters.hosts import NOBODY, transport_to, trust_for
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.errors import ModelMisused, ModelOverloaded
from evaluation.models import Model
from evaluation.runs.lifecycle import start_run
from evaluation.workers.loop import work
from tests.accounts.test_roles import client_of
from tests.evaluation.fault_server import fine, raw, serving
from tests.evaluation.runs.test_add_model import add
from tests.factories import make_item, make_model
from tests.programs import CODE, ROOT
from tests.site import manage

QUESTION = Request((Turn("Is it red?"), REPLY))
NEVER = (
    *("169.254.169.254", "169.254.1.1", "[fe80::1]", "0.0.0.0", "[::]", "100.100.100.200", "[fd00:ec2::254]"),
    *("[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "224.0.0.1"),
)
INSIDE = ("10.0.0.5", "192.168.1.1", "172.16.0.1", "100.64.0.1", "[fd12::1]", "[::ffff:10.0.0.5]")


@pytest.fixture
def names(monkeypatch):
    """Names and the addresses that they resolve to, in sequence; the last one stays."""
    stands_for: dict[str, list[str]] = {}
    real = socket.getaddrinfo

    def look_up(host, port, *how, **kinds):
        if host not in stands_for:
            return real(host, port, *how, **kinds)
        found = stands_for[host]
        return real(found.pop(0) if len(found) > 1 else found[0], port, *how, **kinds)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return stands_for


def asked(base_url: str) -> str:
    """The reply, or the error."""
    try:
        model = OpenAIModel(base_url=base_url, model="tiny", attempts=1, timeout=20)
        return "; ".join(reply.text or reply.error for reply in model.answer([QUESTION]))
    except (ModelOverloaded, ModelMisused) as error:
        return str(error)


def test_metadata_and_link_local_addresses_are_never_asked(settings, db):
    for host in NEVER:
        settings.MODEL_HOSTS = [host.strip("[]"), "0.0.0.0/0", "::/0"]  # not even if somebody names them
        with pytest.raises(CallerMistake, match="that is never contacted"):
            add("vl", "openai", f"base_url=http://{host}/v1", "model=tiny")
    assert not Model.objects.exists()


@pytest.mark.parametrize("host", INSIDE)
def test_addresses_inside_a_network_are_asked_where_they_are_named(host, settings, db):
    with pytest.raises(CallerMistake, match="it is asked where MODEL_HOSTS names it"):
        add("vl", "openai", f"base_url=http://{host}/v1", "model=tiny")
    settings.MODEL_HOSTS = ["10.0.0.0/24", "192.168.1.1", "172.16.0.0/12", "100.64.0.0/10", "fd12::/16"]
    assert add("vl", "openai", f"base_url=http://{host}/v1", "model=tiny")["changed"]


def test_a_name_that_stands_for_an_inner_address_is_refused_when_it_is_asked(names, settings):
    with serving(fine("Yes")) as server:
        settings.MODEL_HOSTS = []
        names["models.example.org"] = ["127.0.0.1"]
        url = f"http://models.example.org:{server.server_port}/v1"
        assert "models.example.org is 127.0.0.1, an address inside a network" in asked(url)
        assert not server.seen
        settings.MODEL_HOSTS = ["models.example.org"]
        assert asked(url) == "Yes"
        assert server.seen[0].headers["Host"] == f"models.example.org:{server.server_port}"
        names["models.example.org"] = ["169.254.169.254"]
        assert "that is never contacted" in asked(url)
    assert len(server.seen) == 1


def test_a_name_that_turns_to_an_inner_address_after_the_first_look_is_refused(names, settings):
    settings.MODEL_HOSTS = []
    with serving(fine("Yes")) as server:
        names["turning.example.org"] = ["198.51.100.7", "127.0.0.1"]
        settings.MODEL_HOSTS = ["198.51.100.0/24"]
        asked(f"http://turning.example.org:{server.server_port}/v1")  # connects to the first, checked address
        assert "turning.example.org is 127.0.0.1" in asked(f"http://turning.example.org:{server.server_port}/v1")
        assert not server.seen


def test_odd_spellings_of_an_address_are_looked_at_as_what_they_stand_for(names, settings):
    settings.MODEL_HOSTS = []
    names["localtest.example.org"] = ["127.0.0.1"]
    with serving(fine("Yes")) as server:
        for host in ("2130706433", "0x7f000001", "0177.0.0.1", "127.1", "localtest.example.org"):
            said = asked(f"http://{host}:{server.server_port}/v1")
            refusals = ("127.0.0.1, an address inside a network", "is not", "an address such as")
            assert any(words in said for words in refusals), host
        assert not server.seen


def test_a_redirect_is_told_and_not_followed():
    with serving(fine("Secret")) as inner, serving(raw(b"", 307, Location=f"{inner.base_url}/x?token=1")) as server:
        assert f"points to {inner.base_url}/x: use that base_url" in asked(server.base_url)
        assert not inner.seen


def test_certificates_are_checked_and_read_once(tmp_path, monkeypatch):
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    lifetime = ("-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=own")
    files = ("-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate)
    subprocess.run(["openssl", "req", *lifetime, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with serving(fine("Yes")) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        url = f"https://127.0.0.1:{server.server_port}/v1"
        assert "certificate" in asked(url)
        assert not server.seen
        monkeypatch.setenv("SSL_CERT_FILE", certificate)
        assert asked(url) == "Yes"
        assert trust_for(httpx.URL(url)) is trust_for(httpx.URL("https://api.example.org/v1"))
        monkeypatch.delenv("SSL_CERT_FILE")
        assert "certificate" in asked(url)
        with httpx.Client(verify=NOBODY) as plain, pytest.raises(httpx.ConnectError, match="certificate"):
            plain.get(url)  # what an address of http would get by a change to https


@pytest.mark.django_db
def test_a_browser_adds_servers_that_are_named_and_no_others(settings):
    """An unlisted name could send the site's key to the person who named it."""
    admin = client_of("admin")
    form = {"slug": "vl", "name": "VL", "revision": ""}
    for host in ("api.example.org", "10.0.0.5", "127.0.0.1.example.org", "169.254.169.254", "[::1]:80@x"):
        options = f'{{"base_url": "http://{host}/v1", "model": "x", "key_variable": "OPENAI_API_KEY"}}'
        page = admin.post("/admin/evaluation/model/add/", form | {"options": options}).content.decode()
        assert "option base_url: " in page, host
        assert not Model.objects.exists()
    settings.MODEL_HOSTS = ["api.example.org"]
    options = '{"base_url": "https://API.example.org/v1", "model": "x"}'
    assert admin.post("/admin/evaluation/model/add/", form | {"options": options}).status_code == 302
    assert Model.objects.get().options["base_url"] == "https://API.example.org/v1"


@pytest.mark.django_db
def test_what_an_inner_server_says_is_for_staff_alone(pack):
    make_item(pack)
    secret = "root:x:0:0 of the database"
    with serving(raw({"error": {"message": secret}}, 404)) as server:
        options = {"base_url": server.base_url, "model": "tiny", "attempts": 1}
        model = make_model(kind="openai", options=options)
        run = start_run(model=model, pack=pack, strategy="binary", condition="question-only")
        work()
    run.refresh_from_db()
    assert secret in run.reason
    address = run.get_absolute_url()
    for role in ("reader", "submitter", "author"):
        client = client_of(role)
        told = [client.get(address + more).content.decode() for more in ("", "?part=live", "card.json", "?format=json")]
        assert not [page for page in told if secret in page or server.base_url in page], role
        assert "The model can&#x27;t be opened or asked." in told[0]
    assert secret not in Client().get(address).content.decode()
    admin = client_of("admin")
    assert secret in admin.get(address).content.decode()
    assert admin.get(f"{address}card.json").json()["reason"] == run.reason


@pytest.mark.parametrize("value", ["http://x", "10.0.0.1/8", "a b", "-x", "300.1.1.1", "*"])
def test_a_list_of_hosts_that_can_not_be_read_stops_the_start(value, tmp_path):
    done = manage(tmp_path, "check", MODEL_HOSTS=value)
    assert done.returncode == 2
    assert "is no host name, address or network" in done.stderr


def test_nothing_else_of_the_site_fetches_an_address_that_somebody_named():
    """A new HTTP client needs its guard, and then its file in this list."""
    clients = ("httpx", "requests", "urllib.request", "urllib3", "aiohttp", "http.client", "boto3", "botocore")
    clients += ("websockets", "ftplib", "paramiko")
    using = {
        str(path.relative_to(ROOT))
        for folder in CODE
        for path in (ROOT / folder).rglob("*.py")
        for line in path.read_text().splitlines()
        if line.strip().startswith(tuple(f"{word} {name}" for word in ("import", "from") for name in clients))
    }
    assert using == {
        "evaluation/adapters/hosts.py",
        "evaluation/adapters/openai/adapter.py",
        "evaluation/adapters/openai/options.py",
        "benchmarks/storage/s3.py",  # the store that MEDIA_STORE names
        "benchsite/serving/serve.py",  # our own pages, on this machine
        "humantrials/panels/prolific_api.py",  # Prolific's own address, by command
        "humantrials/simulation/browser.py",  # simulated people, by command
    }


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="Linux alone has it")
def test_what_can_not_be_delivered_is_given_up_before_another_worker_may_have_the_shard(settings):
    """Else the kernel delivers it when the link is back, and the answer is paid for twice."""
    settings.EVALUATION_LEASE_SECONDS = 60

    async def option_of(address: str) -> int:
        async with (
            httpx.AsyncClient(transport=transport_to(address, httpx.Limits())) as client,
            client.stream("POST", f"{address}/chat/completions", json={"messages": []}) as answer,
        ):
            connection = answer.extensions["network_stream"].get_extra_info("socket")
            return connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)

    with serving(fine()) as server:
        assert asyncio.run(option_of(server.base_url)) == 10_000
