"""Six readers of the attacked site, what each of them reads, and the same site with all hidden labels turned round."""

import logging
import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product, zip_longest
from urllib.parse import parse_qsl, urlsplit

from django.core.cache import caches
from django.db import transaction
from django.db.models import F
from django.http import Http404
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from accounts.models import User
from benchmarks.models import Clip, Item, ItemFacet, ItemQuerySet, Pack
from evaluation.models import Model, Reading, Run, Score
from humantrials.models import Judgment, Trial, TrialState
from leaderboard.board.cache import forget_versions
from leaderboard.models import SealedRound, Standing
from leaderboard.rounds.commitment import commitment
from leaderboard.standings.refresh import refresh
from tests.factories import answer_to, make_trial, sealed, set_expected
from tests.humantrials.plain_client import Walker
from tests.leaderboard.conftest import vote
from tests.seals.attacker import AT_FULL_SIZE, Attacker, wanted_items
from tests.seals.doors import InnerDoor
from tests.seals.site import EARLIER, STUDY
from tests.test_crawl import FORMATS, PLACES, addresses_of, inside, links_in, text_of

OF_REQUESTS = {"benchsite.logs.request_logging", "django.request"}
PLAIN_FIELDS = vars(logging.makeLogRecord({})).keys() | {"message", "asctime", "request"}
OTHER = {"yes": "no", "no": "yes", "object 1": "object 2", "object 2": "object 1"}
HALVES = {"plausible": "implausible", "implausible": "plausible"}
FOLDERS = {"P_": "IP_", "IP_": "P_"}
# Of each reader; in `make test` only its first pages.
MOST, OF_A_VIEW = (500, 4) if AT_FULL_SIZE else (45, 1)
STUDIES = ("closed", "simulated", "live")  # of the same pack as the withheld answers
# What differs at each reading of the same content: times, tokens, digests, and ids of requests.
PASSING = re.compile(
    r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)?|\d\d:\d\d:\d\d|\b\d+ seconds? ago|\b[0-9a-f]{12,64}\b"
    r"|(?:csrf\w*|token)\W+value=\W[\w-]+|\bnonce-[\w+/=-]+"
)
VERSION = re.compile(r'"answers_version": \d+')  # of a row, which a recount raises
NUMBERED = re.compile(r'(?<=[/=-])\d+\b|"run": ?\d+|\b[Rr]un \d+')  # rows that a rollback takes back, not their numbers
# Of /metrics, what tells of the site's content and not of its processes.
METRIC = re.compile(r"^benchsite_(?:runs|sheets|stale|queue|stud).*", re.MULTILINE)


@dataclass
class Reader:
    """Somebody with a browser; `sees_seals`: the questions that a study hides are no secret to them."""

    name: str
    client: Client
    first: list[str]
    sees_seals: bool = False


def readers_of() -> list[Reader]:
    """A visitor, a member, a submitter, a participant, an author of studies, and the staff."""
    pairs = (("visitor", ""), ("member", "ada"), ("submitter", "sender-of-round"), ("staff", "staff"))
    found = {name: Reader(name, _signed_in(username), [], name == "staff") for name, username in pairs}
    Trial.objects.filter(slug__in=STUDIES).update(author=User.objects.get(username="author"))
    desk = [f"/trials/{slug}/{name}/" for slug in STUDIES for name in ("watch", "people", "plan", "manage", "export")]
    desk += [f"/api/v1/trials/{slug}/export/" for slug in STUDIES]
    found["author"] = Reader("author", _signed_in("author"), desk)
    client = Client()
    walker = Walker(client, Trial.objects.get(slug=STUDY), name="somebody").reach_trials()
    road = [walker.road + rest for rest in ("", "leave/", "m/0", "m/1", "m/practice")]
    found["participant"] = Reader("participant", client, road)
    return list(found.values())


def _signed_in(username: str) -> Client:
    client = Client(raise_request_exception=False)
    if username:
        client.force_login(User.objects.get(username=username))
    return client


def add_studies() -> None:
    """A closed study, one of simulated people and a full live one, none of which seals what it asks."""
    pack = Pack.objects.get(name="round")
    items = list(pack.items.filter(kind="plausibility").prefetch_related("facets").order_by("pk"))
    told = sayings(items, by_test=AT_FULL_SIZE)
    for slug in STUDIES:
        state = TrialState.OPEN if slug == "live" else TrialState.CLOSED
        trial = make_trial(pack, slug=slug, state=state, settings={"seal": False}, is_simulated=slug == "simulated")
        Trial.objects.filter(pk=trial.pk).update(answers_version=1)
        for item in items:
            vote(trial, item, [told[item.pk], told[item.pk], OTHER[told[item.pk]]])


def add_rounds() -> None:
    """Two sealed rounds of the pack with withheld answers: one is committed to, one open with the study's clips.

    Two runs are of one model, so that its gap between the packs is shown.
    """
    public, fresh = (Pack.objects.get(name=name) for name in ("round", "open"))
    for day, pack in (("2027-01-01", None), ("2027-01-02", fresh)):
        made = {"benchmark": "grasp", "version": "1", "profile": "plain", "count": 1, "only": "", "size": [64, 48]}
        known = {"pack": public.name, "manifest": public.manifest_hash, "date": day, "source": "a beacon", "fps": 5}
        one = SealedRound(public=public, fresh=pack, definition=made | known, date=day)
        one.commitment = commitment(day * 8, one.definition)
        one.value, one.opened_at = ("", None) if pack is None else ("8e2c1a07d3f94b56", timezone.now())
        one.save()
    Run.objects.filter(model__name="Knows open").update(model=Model.objects.get(name="Knows round"))


def sayings(items: Iterable[Item], *, by_test: bool = False) -> dict[int, str]:
    """What most say of each of these items: the right answer where it is open, and to half of the hidden items.

    The first tests are right and the others wrong, so that turning the labels moves the figures of each test and leaves
    their sum as it is; or by test, where a site is so large that even the rounded figures of a concept are shown.
    """
    right = {item.pk: answer_to(item) or str(item.options[0]) for item in items}
    closed = [item for item in items if Item.objects.filter(sealed(), pk=item.pk).exists()]
    groups: dict[tuple[object, ...], list[Item]] = defaultdict(list)
    for item in sorted(closed, key=lambda item: (item.facet_values("test"), item.pk)):
        groups[item.pack_id, item.kind, *(item.facet_values("test") if by_test else ())].append(item)
    wrong = [item.pk for group in groups.values() for item in group[(len(group) + 1) // 2 :]]
    return right | {pk: OTHER[right[pk]] for pk in wrong}


def settle() -> None:
    """Let runs say these things; who was asked few of the hidden items, unevenly, wasn't asked them."""
    Judgment.objects.filter(trial__slug=EARLIER, item__in=Item.objects.filter(sealed())).delete()
    every = sayings(Item.objects.prefetch_related("facets"), by_test=AT_FULL_SIZE)
    closed = Reading.objects.filter(response__cell__item__in=Item.objects.filter(sealed()))
    for pk, item in closed.values_list("pk", "response__cell__item"):
        Reading.objects.filter(pk=pk).update(answer=every[item])
    rescore()


def rescore() -> None:
    """Score replies and compute rows as if the labels had always been these."""
    known: dict[int, str | None] = {item.pk: answer_to(item) for item in Item.objects.all()}
    rows = Score.objects.select_related("reading__response__cell")
    for score in rows:
        score.value = float(score.reading.answer == known[score.reading.response.cell.item_id])
    Score.objects.bulk_update(rows, ["value"], batch_size=500)
    Run.objects.update(answers_version=F("answers_version") + 1)
    Standing.objects.all().delete()
    for cache in caches.all():
        cache.clear()
    forget_versions()
    refresh()


def turn_round(items: ItemQuerySet) -> None:
    """Give these items the other label, with all that hangs on it: facets, official keys, and facts of their clips."""
    every = list(items.prefetch_related("media__clip", "facets").order_by("pk"))
    for item in every:
        set_expected([item], OTHER[answer_to(item) or ""])
        for facet in item.facets.all():
            if facet.value in HALVES:
                ItemFacet.objects.filter(pk=facet.pk).update(value=HALVES[facet.value])
    by_place = {(item.pack_id, item.key, item.kind, item.variant): item for item in every}
    clips: dict[int, tuple[Clip, Clip]] = {}
    for (pack, key, kind, variant), item in by_place.items():
        twin = by_place.get((pack, _turned(key), kind, variant))
        if twin and item.pk < twin.pk:
            _exchange(Item, item, twin, "key")
            if item.clip and twin.clip:
                clips[item.clip.pk] = (item.clip, twin.clip)
    for pair in clips.values():
        _exchange(Clip, *pair, "key", "facts", "trajectory")


def _turned(key: str) -> str:
    return re.sub(r"\b(P_|IP_)", lambda match: FOLDERS[match[1]], key)


def _exchange(table: type[Item] | type[Clip], first: Item | Clip, second: Item | Clip, *names: str) -> None:
    """Exchange these fields of two rows; their keys are unique."""
    table.objects.filter(pk=first.pk).update(key="between")
    for row, other in ((second, first), (first, second)):
        table.objects.filter(pk=row.pk).update(**{name: getattr(other, name) for name in names})


# --- what is read ---


def values() -> dict[str, list[str]]:
    """Values for the parameters of all addresses: hidden and public items of each pack, runs, studies, models."""
    hidden = [pack.items.filter(sealed()).order_by("public_id")[0] for pack in Pack.objects.order_by("pk")]
    shown = Pack.objects.get(name="round").items.filter(~sealed(), kind="plausibility").order_by("public_id")[0]
    runs = Run.objects.order_by("pk")
    slugs = ["grasp", "pacs", STUDY, EARLIER, *STUDIES, *(run.model.slug for run in runs.select_related("model")[:2])]
    return PLACES | {
        "slug": slugs,
        "pack": ["round", "open", "pairs"],
        "public_id": [*(item.public_id for item in hidden), shown.public_id],
        "pk": [str(run.pk) for run in runs],
        "name": ["round", "grasp-table-1", "human-vs-model:grasp", "by-test"],
    }


def starts() -> Iterator[str]:
    """Pages that are empty without a query, of each pack and row."""
    for pack in ("round", "open"):
        board = f"/leaderboard/grasp/?level=2&pack={pack}"
        yield from (f"{board}&group={group}" for group in ("test", "concept", "polarity"))
        yield from (f"{board}&format={name}" for name in FORMATS if name != "xlsx")
        yield f"/leaderboard/grasp/tables/human-vs-model:grasp/?pack={pack}"
        yield from (f"/explore/?benchmark=grasp&pack={pack}&who={who}" for who in ("people-right", "models-wrong"))
        yield f"/benchmarks/grasp/?pack={pack}"
        yield from (f"/benchmarks/grasp/items/?pack={pack}&polarity={half}" for half in HALVES)
    rows = [f"run-{pk}" for pk in Run.objects.order_by("pk").values_list("pk", flat=True)]
    rows += [f"trial-{slug}" for slug in (*STUDIES, EARLIER)]
    yield from ("/benchmarks/grasp/pack.tar?pack=round", "/leaderboard/grasp/rounds/", "/api/v1/rounds/")
    lists = "/leaderboard/grasp/items/?pack=round&row="
    yield from (f"{lists}{row}&show={show}" for row in rows for show in ("all", "wrong"))
    for kind in ("/compare/", "/api/v1/compare/"):
        yield from (f"{kind}?a={rows[2]}&b={row}" for row in rows[3:])
    yield from (f"/trials/{slug}/?exclude=none" for slug in STUDIES)
    yield from (f"/api/v1/trials/{slug}/votes/" for slug in (*STUDIES, EARLIER, STUDY))
    for item in Item.objects.filter(sealed()).order_by("pack", "public_id").select_related("pack")[::40]:
        yield f"/benchmarks/{item.pack.benchmark}/items/{item.public_id}/?answer=1"
        yield f"/api/v1/items/{item.public_id}/"
    yield from ("/api/v1/items/?pack=round&page_size=500", "/api/v1/items/?facet=polarity:plausible", "/metrics")
    yield from (f"/api/v1/runs/{row[4:]}/responses/?page_size=500" for row in rows if row.startswith("run-"))


def found_by(reader: Reader, most: int = MOST) -> dict[str, str]:
    """Address -> text of what this reader finds from the starts, without what changes at each reading."""
    found: dict[str, str] = {}
    alike: Counter[object] = Counter()
    named = [*reader.first, *starts(), *addresses_of(values())[0]]
    waiting, first = deque(named), set(named[:most])
    while waiting and len(found) < most:
        address = waiting.popleft()
        kind = _kind(address)
        if address in found or kind is None or (address not in first and alike[kind] >= OF_A_VIEW):
            continue
        alike[kind] += 1
        found[address], links = read(reader, address)
        waiting.extend(links)
    return found


def read(reader: Reader, address: str) -> tuple[str, list[str]]:
    """The text at the address without what changes at each reading, and the addresses on it."""
    with logged() as lines:
        answer = reader.client.get(address)
        if answer.status_code == 429:
            caches["limits"].clear()
            answer = reader.client.get(address)
    assert answer.status_code < 500, address
    text = text_of(answer)
    links = [place for link in links_in(text, answer) if (place := inside(address, link))]
    text = "\n".join(METRIC.findall(text)) if address == "/metrics" else text
    return PASSING.sub("…", "\n".join((f"{answer.status_code} {text}", *lines))), links


@contextmanager
def logged() -> Iterator[list[str]]:
    """The log lines meanwhile, with their fields; not those of requests themselves, which time decides."""
    lines: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if record.name not in OF_REQUESTS:
                fields = {name: value for name, value in vars(record).items() if name not in PLAIN_FIELDS}
                lines.append(f"{record.name} {record.levelname} {record.getMessage()} {fields}")

    handler = Handler()
    logging.getLogger().addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)


def _kind(address: str) -> object:
    parts = urlsplit(address)
    try:
        view = resolve(parts.path)
    except Http404:
        return None
    fields = dict(parse_qsl(parts.query))
    is_dated = fields.get("format") in ("pdf", "png", "xlsx")  # files with the time of making
    if parts.path.startswith(("/docs/", "/admin/jsi18n")) or is_dated or "sign-out" in parts.path:
        return None
    return view.view_name or parts.path, tuple(sorted(fields)), fields.get("format", "")


def heard(door: InnerDoor) -> dict[str, str]:
    """What the websockets of boards and runs send."""
    runs = [f"/ws/runs/{pk}/" for pk in Run.objects.order_by("pk").values_list("pk", flat=True)]
    messages = {address: " ".join(door.hear(address)) for address in (*runs[:3], "/ws/boards/grasp/")}
    return {address: PASSING.sub("…", VERSION.sub("", text)) for address, text in messages.items()}


def answered(attacker: Attacker) -> dict[str, str]:
    """What a sender reads of files that are refused or stored: reports, dry runs and the pages of a private run."""
    found: dict[str, str] = {}
    attacker.uploads = 0
    with transaction.atomic():
        for target in attacker.targets:
            for item, option, by_page in product(target.ids[:2], target.options, (True, False)):
                rows = [{"item": item, "answer": option}]
                found[f"{target.name} {item} {option} {by_page}"] = attacker.upload(target, rows, by_page=by_page).text
            every = wanted_items(attacker, target)
            whole = attacker.upload(target, [{"item": item, "answer": target.options[0]} for item in every])
            run = str(whole.json().get("run"))
            for address in (f"/submit/{run}/", f"/runs/{run}/", f"/runs/{run}/card.json"):
                found[f"{target.name} {address.replace(run, 'RUN')}"] = attacker.member.get(address).text
            listed = attacker.member.get("/api/v1/submissions/").text.split(
                "},{"
            )  # in any order: all are of one moment
            found[f"{target.name} submissions"] = "\n".join(
                sorted(NUMBERED.sub("N", one.strip("[]{}")) for one in listed)
            )
        transaction.set_rollback(True)
    return {name: PASSING.sub("…", NUMBERED.sub("N", text)) for name, text in found.items()}


def changed(readers: Iterable[Reader], before: dict[str, dict[str, str]], items: ItemQuerySet | None) -> list[str]:
    """`reader address` of all that differs once these labels are turned round, or after a mere recount (None)."""
    with transaction.atomic():
        if items is not None:
            turn_round(items)
        rescore()
        found = [
            f"{reader.name} {address}"
            for reader in readers
            for address, text in before[reader.name].items()
            if read(reader, address)[0] != text
        ]
        transaction.set_rollback(True)
    for cache in caches.all():
        cache.clear()
    forget_versions()
    return found


def unlike(first: dict[str, str], second: dict[str, str]) -> list[str]:
    """Of each text that differs, its name and the first lines that do."""
    found = []
    for name in first.keys() | second.keys():
        pairs = zip_longest(first.get(name, "").splitlines(), second.get(name, "").splitlines(), fillvalue="")
        line = next((f"{one.strip()[:200]} | {other.strip()[:200]}" for one, other in pairs if one != other), "")
        found += [f"{name}: {line}"] if line else []
    return sorted(found)
