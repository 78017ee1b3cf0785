"""Non-interference: with the labels of hidden items turned round, a visitor reads the same pages of people's results.

Tests A and B are hidden; all labels are yes, and most people say yes to A and no to B. Turned round, all labels are no:
as many answers are right as before, so that the rounded overall figure stays, and every other figure moves.
"""

import re
from collections import Counter, deque
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.contrib.auth.models import Permission
from django.core.cache import cache
from django.db.models import F
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils import timezone

from benchmarks.disclosure import hide
from benchmarks.disclosure.readers import WITHHELD
from benchmarks.models import Item, ItemFacet
from benchmarks.models.answers import ItemSeal
from evaluation.models import Run, Score
from humantrials.models import TrialState
from leaderboard.board.cache import forget_versions
from leaderboard.models import Standing
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_model, make_pack, make_run, make_trial, sealed, set_expected
from tests.humantrials.fixtures import physics_item
from tests.leaderboard.conftest import answer_all, vote
from tests.test_crawl import _inside, links_in, text_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("empty_metrics")]

A, B, OPEN = "Gravity", "Collision", "Unchangeableness"
OF_A_TEST = 12
TURNED = {"yes": "no", "no": "yes"}
HALVES = {"yes": "plausible", "no": "implausible"}
# What differs at each reading of the same content: times, tokens, digests, and ids of requests.
PASSING = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?|\d\d:\d\d:\d\d|\b\d+ seconds? ago|\b[0-9a-f]{12,64}\b"
    r"|(?:csrf\w*|token)\W+value=\W[\w-]+"
)
MOST, OF_A_VIEW = 70, 1
STUDIES = ("closed", "simulated", "live")


@pytest.fixture
def world():
    """Two runs, a closed study, one of simulated people and a live one that is full, over hidden and public items."""
    pack = make_pack(name="ni")
    for number in range(OF_A_TEST):
        physics_item(pack, A, is_plausible=True)
        physics_item(pack, B, is_plausible=True)
        physics_item(pack, OPEN, is_plausible=bool(number % 2))
    items = list(pack.items.prefetch_related("facets").order_by("pk"))
    for number, item in enumerate(one for one in items if one.facet_values("test")[0] in (A, B)):
        if number // 2 % 2:
            ItemSeal.objects.create(item=item, by=WITHHELD)
        else:
            hide([item.pk], by="trial:elsewhere")
    for slug in STUDIES:
        state = TrialState.OPEN if slug == "live" else TrialState.CLOSED
        own = {"seal": False} if slug == "live" else {}
        trial = make_trial(pack, slug=slug, state=state, settings=own, is_simulated=slug == "simulated")
        trial.answers_version = 1
        trial.save()
        for item in items:
            vote(trial, item, [said(item), said(item), TURNED[said(item)]])
    for name in ("One", "Two"):
        answer_all(make_run(pack, strategy="plausibility", model=make_model(name=name, slug=name.lower())), said)
    rescore()
    return pack


def said(item: Item) -> str:
    """What most say, whatever the hidden label is."""
    test = item.facet_values("test")[0]
    return {A: "yes", B: "no"}.get(test, answer_to(item) or "")


def rescore() -> None:
    """Score replies and compute rows as if the labels had always been these."""
    for score in Score.objects.select_related("reading__response__cell__item"):
        expected = answer_to(score.reading.response.cell.item)
        Score.objects.filter(pk=score.pk).update(value=float(score.reading.answer == expected))
    Run.objects.update(answers_version=F("answers_version") + 1)
    Standing.objects.all().delete()
    cache.clear()
    forget_versions()
    refresh()


def turn_round(items: Iterable[Item]) -> None:
    """Give these items the other label, with what hangs on it."""
    for item in items:
        set_expected([item], TURNED[answer_to(item) or ""])
        ItemFacet.objects.filter(item=item, name="polarity").update(value=HALVES[answer_to(item) or ""])


def starts(pack) -> list[str]:
    board = f"/leaderboard/grasp/?level=2&pack={pack.name}"
    items = Item.objects.filter(sealed()).order_by("public_id").values_list("public_id", flat=True)
    runs = [f"run-{pk}" for pk in Run.objects.order_by("pk").values_list("pk", flat=True)]
    rows = [*runs, *(f"trial-{slug}" for slug in STUDIES)]
    lists = f"/leaderboard/grasp/items/?pack={pack.name}"
    return [
        *("/", "/concepts/", "/feed.atom", "/trials/", "/models/", "/compare/", "/leaderboard/"),
        *(f"/trials/{slug}/" for slug in STUDIES),
        *(f"/trials/{slug}/?exclude=none" for slug in STUDIES),
        *(f"/api/v1/trials/{slug}/votes/" for slug in STUDIES),
        *("/api/v1/standings/", "/api/v1/standings/?format=csv", "/api/v1/trials/", "/api/v1/boards/grasp/?level=2"),
        *(f"{board}&group={group}" for group in ("test", "concept", "polarity")),
        *(f"{board}&format={name}" for name in ("csv", "json", "md", "latex")),
        *(f"{lists}&row={row}&show={show}" for row in rows for show in ("all", "wrong")),
        *(f"/compare/?a={runs[0]}&b={row}" for row in rows[1:]),
        *(f"/api/v1/compare/?a={runs[0]}&b={row}" for row in rows[1:]),
        f"/leaderboard/grasp/tables/human-vs-model:grasp/?pack={pack.name}",
        *(f"/explore/?benchmark=grasp&pack={pack.name}&who={who}" for who in ("people-right", "models-wrong")),
        *(f"{place}/{one}/" for one in items[:4] for place in ("/benchmarks/grasp/items", "/api/v1/items")),
    ]


def crawl(client: Client, pack) -> dict[str, str]:
    """Address -> text of everything that can be found from the starts, without what changes at each reading."""
    found: dict[str, str] = {}
    alike: Counter = Counter()
    first = starts(pack)
    waiting = deque(first)
    while waiting and len(found) < MOST:
        address = waiting.popleft()
        kind = _kind(address)
        if address in found or kind is None or (address not in first and alike[kind] >= OF_A_VIEW):
            continue
        alike[kind] += 1
        answer = client.get(address)
        assert answer.status_code < 500, address
        text = text_of(answer)
        found[address] = PASSING.sub("…", f"{answer.status_code} {text}")
        waiting.extend(place for link in links_in(text, answer) if (place := _inside(address, link)))
    return found


def _kind(address: str) -> tuple | None:
    parts = urlsplit(address)
    try:
        view = resolve(parts.path)
    except Resolver404:
        return None
    fields = dict(parse_qsl(parts.query))
    is_dated = fields.get("format") in ("pdf", "png", "xlsx")  # files with the time of making
    if parts.path.startswith(("/media/", "/docs/")) or "page" in fields or is_dated:
        return None
    return view.view_name or parts.path, tuple(sorted(fields)), fields.get("format", "")


def differing(before: dict[str, str], after: dict[str, str]) -> list[str]:
    assert list(before) == list(after)
    return [address for address, text in before.items() if after[address] != text]


def test_a_visitor_reads_the_same_whatever_the_hidden_labels_are(world, client):
    before = crawl(client, world)
    turn_round(Item.objects.filter(sealed()))
    rescore()
    assert differing(before, crawl(client, world)) == []
    rows = {row.identity: row.overall for row in Standing.objects.filter(split="all", trial__isnull=False)}
    assert set(rows) == {"trial:closed", "trial:simulated"}  # a live one waits for its close
    assert all(cell["step"] == 0.2 and "d_prime" not in cell for cell in rows.values())


def test_the_author_of_a_study_watches_the_same_whatever_the_hidden_labels_are(
    world, client, django_user_model, monkeypatch
):
    at = timezone.now()
    monkeypatch.setattr("django.utils.timezone.now", lambda: at)  # the bars of arrivals have one more each minute
    author = django_user_model.objects.create_user("author")
    author.user_permissions.add(Permission.objects.get(codename="add_trial"))
    world.trials.update(author=author)
    client.force_login(author)
    names = ("watch", "people", "plan", "manage", "export", "sheets")
    addresses = [f"/trials/{slug}/{name}/" for slug in STUDIES for name in names]
    addresses += [f"/api/v1/trials/{slug}/export/" for slug in STUDIES]

    def read() -> dict[str, str]:
        cache.clear()
        return {address: PASSING.sub("…", text_of(client.get(address))) for address in addresses}

    before = read()
    turn_round(Item.objects.filter(sealed(WITHHELD)).with_facet("test", A))  # no page of a desk rounds a figure
    assert differing(before, read()) == []
