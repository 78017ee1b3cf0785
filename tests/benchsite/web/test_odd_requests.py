"""Headers, queries and paths that no browser sends: refused or ignored, never a server error."""

import os
from itertools import product

import pytest
from django.test import Client

from benchmarks.models import Rendition
from benchmarks.storage.access import path_of
from humantrials.models import Participant, ParticipantState
from humantrials.participation.pilots import pilot_key
from tests.factories import make_clip
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_metrics")]
# As a server passes them on: bytes of the network decoded as Latin-1.
WORDS = ("é", "\xff\xfe", "a" * 20_000, "\x00", "http://[")
PLAIN = "X_BENCHSITE_SIMULATOR X_FORWARDED_FOR X_REQUEST_ID ACCEPT_LANGUAGE ORIGIN REFERER USER_AGENT CACHE_CONTROL"
PLAIN += " X_CSRFTOKEN IF_RANGE ACCEPT_ENCODING IF_MATCH"
OF_A_HEADER: dict[str, tuple[str, ...]] = {
    **{f"HTTP_{name}": () for name in PLAIN.split()},
    "HTTP_AUTHORIZATION": ("Token é", "Token \xff", "Token a b", "Bearer é", "Basic é", "Basic aaa", "Token "),
    "HTTP_COOKIE": ("sessionid=é; csrftoken=é", "sessionid=" + "a" * 5000, "=;;="),
    "HTTP_ACCEPT": ("*/*;q=x", "text/html;q=9", "application/json;charset=é", "/"),
    "HTTP_RANGE": ("bytes=-", "bytes=0-" + "9" * 5000, "bytes=a-b", "bytes=5-1", "bytes=0-0,2-3", "lines=1-2"),
    "HTTP_IF_NONE_MATCH": ("*", '"', '"é"', ",,,"),
    "HTTP_IF_MODIFIED_SINCE": ("Sun, 99 Foo 0000", "Sun, 06 Nov 99999 08:49:37 GMT"),
    "CONTENT_TYPE": ("multipart/form-data", "multipart/form-data; boundary=é", "application/json; charset=nope"),
    "CONTENT_LENGTH": ("-5", "1e3", "é"),
    "QUERY_STRING": ("page=\x00", "page=" + "9" * 5000, "lang=é", "pilot=\xff", "a=%ff&b=%00", "format=%00", "&&=&"),
}
WITH_A_BODY = ("CONTENT_TYPE", "CONTENT_LENGTH")
ARE_ALL = os.environ.get("ODD_REQUESTS") == "all"  # `make soak PART=odd-requests`: every value on every page


@pytest.fixture
def pages(visitor) -> list[str]:
    trial = running_trial(pack := physics_pack(tests=1))
    person = Walker.at(visitor, f"/t/{trial.slug}/?pilot={pilot_key(trial)}").agree().person
    Participant.objects.update(state=ParticipantState.CONSENTED)
    name = make_clip(pack).renditions.get().name
    for rendition in Rendition.objects.filter(clip__pack=pack):
        path_of(rendition).parent.mkdir(parents=True, exist_ok=True)
        path_of(rendition).write_bytes(bytes(1000))
    assert {visitor.get(page).status_code for page in (f"/media/{name}", f"/p/{person.token}/m/0")} == {200}
    return [
        *("/readyz", "/metrics", "/static/css/site.css", f"/media/{name}", f"/t/{trial.slug}/", f"/p/{person.token}/"),
        *(f"/p/{person.token}/m/0", "/leaderboard/grasp/", "/api/v1/items/", "/account/sign-in/", "/withdraw/"),
    ]


def asked(pages, words):
    """Pages with words; in `make test` each word goes to all files and to a third of the pages, the next to others."""
    for (place, page), (number, word) in product(enumerate(pages), enumerate(words)):
        is_file = page.startswith(("/static/", "/media/")) or "/m/" in page
        if ARE_ALL or is_file or not (place + number) % 3:
            yield page, word


@pytest.mark.parametrize("header", OF_A_HEADER)
def test_no_value_of_a_header_is_an_error_of_ours(settings, pages, header):
    settings.DEBUG = False
    client = Client(raise_request_exception=False)
    methods = ("GET", "POST") if header in WITH_A_BODY else ("GET",)
    asked_for = asked(pages, (*WORDS, *OF_A_HEADER[header]))
    answers = {
        (method, page, word[:40]): client.generic(method, page, b"x=1" if method == "POST" else b"", **{header: word})
        for method, (page, word) in product(methods, asked_for)
    }
    assert [key for key, answer in answers.items() if answer.status_code >= 500] == []


def test_no_path_is_an_error_of_ours(settings, pages):
    settings.DEBUG = False
    client = Client(raise_request_exception=False)
    paths = [page + word for page in pages for word in (*WORDS, "\r\n", "\u2028".encode().decode("latin-1"), "//", "?")]
    assert [path for path in paths if client.get("/", PATH_INFO=path).status_code >= 500] == []
