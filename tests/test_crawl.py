"""Crawls every page and API response, by the URL patterns and by links, and finds no secret in them.

The secrets are words that occur nowhere else, so that a text search over all responses finds any leak.
"""

import io
import re
import zipfile
from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from itertools import islice, product
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest
from django.test import Client
from django.urls import NoReverseMatch, Resolver404, get_resolver, resolve, reverse

from accounts.models import User
from benchmarks.disclosure import PUBLIC, Fact, open_to
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item
from benchmarks.models.answers import ItemSeal
from evaluation.models import Run
from evaluation.submissions.store.submit import submit
from leaderboard.standings.refresh import refresh
from tests.evaluation.submissions.uploads import json_lines, upload
from tests.factories import answer_to, make_answer, make_clip, make_item, make_model, make_pack, make_run
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_metrics")]

HIDDEN, SEALED, PERSON, LETTER = "zqxhiddenanswer", "zqxsealedanswer", "zqxperson4711", "zqxletter@example.org"
OFFICIAL, SAID, DRAWN = "zqxofficialkey", "zqxsaidtohidden", "zqxdraw"
FORMATS = ("csv", "json", "md", "latex", "xlsx")
LINK = re.compile(r"""(?:href|src|action|data-live-part|data-[a-z-]*url|poster)\s*=\s*["']([^"'<>]+)["']""")
IN_JSON = re.compile(r'"((?:https?://testserver)?/[a-z][^"\s\\]*)"')
PLACES = {  # values of URL parameters that do not depend on the site's content
    "what": ["test", "concept"],
    "response": ["1"],
    "position": ["0"],
    "place": ["0", "1"],
    "uid": ["1"],
    "key": ["0" * 32, "x"],
    "code": ["x"],
    "order": ["0", "1"],
    "token": ["nobody"],
    "side": ["left"],
    "uidb36": ["1"],
    "path": ["x"],
    "kind": ["mp4"],
    "number": ["0"],
    "part": ["consent"],
    "language": ["en"],
    "version": ["1"],
    "answer": ["1"],
    "judge": ["phyjudge"],
}
ALIKE, OF_A_VIEW, MOST = 2, 4, 620  # pages per view and set of query fields, per view without a query, and in all


@dataclass
class World:
    """The site's content: values for URLs, and the secrets that no page may show."""

    secrets: dict[str, str]  # word -> what it is
    values: dict[str, list[str]]  # name of a URL parameter -> possible values
    trial: object
    submitter: User
    own_mail: str = "zqxown@example.org"


@pytest.fixture
def world(db):
    pack = make_pack(name="world")
    shown, hidden, sealed = (_item(pack, number, word) for number, word in enumerate(("yes", HIDDEN, SEALED)))
    ItemSeal.objects.create(item=hidden, by=WITHHELD)
    ItemSeal.objects.create(item=sealed, by="trial:elsewhere")
    trial = running_trial(physics_pack(tests=2, name="asked"), slug="asked", replicates=1)
    for item in Item.objects.filter(pack=trial.pack):
        item.key = item.clip.key = f"{OFFICIAL if item == hidden else 'public'}-{item.pk}"
        item.save()
        item.clip.save()
    for page in _pages_of_a_road(Walker(Client(), trial, name=PERSON)):
        assert page.status_code == 200
    runs = [_run(pack, (shown, hidden, sealed), number) for number in range(2)]
    other = User.objects.create_user("zed", LETTER, "a long password 1")
    submitter = User.objects.create_user("ada", World.own_mail, "a long password 1")
    sent = [_sent(pack, user) for user in (submitter, other)]
    refresh()
    secrets = {
        HIDDEN: "an answer of a hidden split",
        SEALED: "an answer of a sealed item",
        PERSON: "a panel's id of a person",
        LETTER: "somebody else's address",
        OFFICIAL: "an official key, which tells a secret answer",
        SAID: "a reply to an item that is out of sight",
        DRAWN: "what draws go by",
        sealed.clip.renditions.get().name: "the file of a sealed clip",
    }
    values = {
        "slug": ["grasp", "pacs", "asked", runs[0].model.slug, "world", sent[0].model.slug],
        "pack": ["world"],
        "public_id": [shown.public_id, hidden.public_id, sealed.public_id],
        "pk": [str(run.pk) for run in (*runs, *sent)],
        "name": ["world", "asked", "grasp-table-1", "by-test", shown.clip.renditions.get().name, "grasp-figure-3"],
    }
    return World(secrets, PLACES | values, trial, submitter)


def _item(pack, number, expected):
    name = f"level1/{OFFICIAL if expected in (HIDDEN, SEALED) else 'public'}/{number}"
    return make_item(
        pack,
        clip=make_clip(pack, key=name),
        key=name,
        public_id=f"zqxitem{number}",
        expected=expected,
        draw_key=f"{DRAWN}{number}",
    )


def _run(pack, items, number):
    run = make_run(pack, model=make_model(name=f"Asked {number}"))
    for item in items:
        response = make_answer(run, item, answer_to(item)).reading.response
        response.raw = answer_to(item) if item == items[0] else SAID
        response.save()
        response.readings.update(answer="yes" if item == items[0] else "")
    return run


def _sent(pack, user):
    header = {"benchmark": "grasp", "pack": pack.name, "model": f"Sent by {user.username}"}
    header |= {"strategy": "binary", "condition": "video", "split": "all"}
    rows = (
        {"item": item.public_id, "reply": f"Hm, {user.username}."}
        for item in pack.items.filter(open_to(PUBLIC, Fact.EXISTENCE))
    )
    return submit(file=upload(json_lines(header, *rows)), user=user)


@dataclass
class Crawl:
    """Requests every address once and records findings; of pages with the same view and fields only a few."""

    client: Client
    world: World
    looks: int = 0
    seen: set[str] = field(default_factory=set)
    alike: Counter = field(default_factory=Counter)
    views: Counter = field(default_factory=Counter)
    leaks: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def walk(self, starts) -> None:
        waiting = deque(starts)
        while waiting and self.looks < MOST:
            address = waiting.popleft()
            if self._is_news(address):
                self.looks += 1
                waiting.extend(self.look(address))

    def _is_news(self, address: str) -> bool:
        path = urlsplit(address).path
        try:
            view = resolve(path)
        except Resolver404:
            return False
        fields = tuple(sorted(name for name, _ in parse_qsl(urlsplit(address).query)))
        told = dict(parse_qsl(urlsplit(address).query)).get("format", "")
        kind = (view.view_name or path, tuple(sorted(view.kwargs)), fields, told)
        if address in self.seen or "/sign-out/" in path:
            return False
        self.seen.add(address)
        self.alike[kind] += 1
        return self.alike[kind] <= (ALIKE if fields else OF_A_VIEW)

    def look(self, address: str) -> list[str]:
        """Read one page, record leaks, and return the addresses on it."""
        answer = self.client.get(address)
        assert answer.status_code < 500, address
        text = text_of(answer)
        head = " ".join(f"{name}: {value}" for name, value in answer.headers.items())
        self.examine(address, text + head)
        if answer.status_code < 300:
            self.views[resolve(urlsplit(address).path).view_name] += 1
        links = [answer["Location"]] if answer.has_header("Location") else []
        return [place for link in (*links, *links_in(text, answer)) if (place := inside(address, link))]

    def examine(self, address: str, text: str) -> None:
        folded = text.casefold()
        for secret, what in self.world.secrets.items():
            own_address = secret in address.casefold()  # an error page may repeat what the address contains
            if secret.casefold() in folded and not own_address:
                self.leaks.append((address, what))


def text_of(answer) -> str:
    """The whole response as text; zip files are unpacked."""
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    if body.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = b"\n".join(name.encode() + archive.read(name) for name in archive.namelist())
    return unescape(body.decode("utf-8", "replace"))


def links_in(text: str, answer) -> list[str]:
    kind = answer.get("Content-Type", "")
    return LINK.findall(text) if "html" in kind else IN_JSON.findall(text) if "json" in kind else []


def inside(address: str, link: str) -> str:
    """The path of a link within the site, without fragment; '' for other sites and static files."""
    joined = urlsplit(urljoin(f"http://testserver{address}", link.strip()))
    path = joined.path + (f"?{joined.query}" if joined.query else "")
    return path if joined.netloc == "testserver" and not path.startswith("/static/") else ""


def addresses_of(values: Mapping[str, list[str]]) -> tuple[list[str], set[str]]:
    """Addresses of all URL patterns, filled with these values; and the names of the patterns."""
    found, names = [], set()
    for name, places in _names(get_resolver()):
        names.add(name)
        choices = [values[place] for place in places]  # a new URL parameter needs its values above
        for chosen in islice(product(*choices), 60):
            try:
                found.append(reverse(name, kwargs=dict(zip(places, chosen, strict=True))))
            except NoReverseMatch:
                continue
    return found, names


def _names(resolver, prefix="", given=()):
    for pattern in resolver.url_patterns:
        places = (*given, *pattern.pattern.regex.groupindex)
        if hasattr(pattern, "url_patterns"):
            own = f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix
            if pattern.namespace != "admin":
                yield from _names(pattern, own, places)
        elif pattern.name:
            yield prefix + pattern.name, places


WITH_FIELDS = (  # pages that are empty without a query
    "/submit/empty/?pack=grasp/world&strategy=binary&split=all",
    "/api/v1/trials/asked/votes/",
    "/api/v1/responses/?benchmark=grasp",
    *(f"/leaderboard/grasp/?pack=world&format={name}" for name in FORMATS),
    *(f"/leaderboard/grasp/items/?pack=world&row={row}&show=all" for row in range(1, 5)),
    *(f"/api/v1/compare/?a={a}&b={b}" for a in (1, 2) for b in (2, 3)),
)


def crawled(crawl: Crawl, more=()) -> Crawl:
    addresses, crawl.names = addresses_of(crawl.world.values)
    crawl.walk([*more, *WITH_FIELDS, *addresses])
    assert crawl.leaks == []
    return crawl


def test_the_search_finds_what_is_there(world):
    """Checks the crawl itself: without seals it finds the words."""
    ItemSeal.objects.all().delete()
    crawl = Crawl(Client(), world)
    for public_id in world.values["public_id"]:
        crawl.look(f"/benchmarks/grasp/items/{public_id}/")
    found = {what for _address, what in crawl.leaks}
    assert {world.secrets[HIDDEN], world.secrets[SEALED], world.secrets[SAID]} <= found


def test_a_visitor_who_takes_part_in_a_study_learns_no_secret(world):
    """One crawl for both: a road knows its person by its address alone, so all other pages are those of a visitor."""
    client = Client()
    walker = Walker(client, world.trial, name=f"{PERSON}-too")
    crawl = Crawl(client, world)
    for page in _pages_of_a_road(walker):
        crawl.examine(f"{page.request['PATH_INFO']}?{page.request['QUERY_STRING']}", text_of(page))
    assert not client.cookies
    road = [walker.road + rest for rest in ("", "leave/", "code/", "m/0", "m/1", "m/practice", "m/0/0")]
    crawled(crawl, road)
    assert len(crawl.views) > 40, sorted(crawl.names - set(crawl.views))
    assert {"home", "board", "item", "api-responses", "api-items", "model", "run", "compare"} <= set(crawl.views)
    assert "road" in crawl.views


def test_a_submitter_learns_no_secret(world):
    client = Client()
    client.force_login(world.submitter)
    crawl = crawled(Crawl(client, world))
    assert {"submission", "submit", "account", "empty-submission", "api-submissions"} <= set(crawl.views)
    assert Run.objects.filter(owner=world.submitter).exists()


def _pages_of_a_road(walker):
    yield walker.page
    yield walker.agree().page
    yield walker.press(step="instructions").page
    yield walker.practise().page
    while walker.reader.positions:
        yield walker.answer("yes").page
