"""Rounds: questions that follow from pack and sets, nothing left after a failure, nothing that tells a generator."""

import re
from collections import Counter
from html import unescape
from pathlib import Path

import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure.seals import hide, show
from benchmarks.errors import ContentRefused
from benchmarks.models import BenchmarkFile, Clip, Item, ItemFacet, Pack, PackFile, Production, Rendition
from benchmarks.storage.store import store
from extensions.generated.models import ClipSet, ClipSetState, RatedClip, RatingRound
from extensions.generated.rating.designs import turns_of
from extensions.generated.rounds import make_round as making
from extensions.generated.rounds.compile import RoundClip, _pairs, definition_of, triples_of
from extensions.generated.rounds.make_round import make_ordered, make_round, order_round, unmade
from humantrials.running.lifecycle import create_trial, open_trial
from tests.site import wait_for

pytestmark = pytest.mark.django_db
KINDS = ("clip", "pair", "break", "triple")


@pytest.fixture
def made(pack, listed):
    yield make_round(pack, listed, "Autumn", KINDS)
    BENCHMARKS.put_files({})


def facets(item):
    return {name: item.facet_values(name) for name in ("level", "prompt", "law", "cell")}


def test_round_is_a_benchmark_whose_questions_follow_from_the_pack(made):
    benchmark = BENCHMARKS["falling"]
    items = Item.objects.filter(pack=made.questions)
    assert (made.questions.name, made.questions.title, benchmark.title) == ("autumn", "Autumn", "Falling things")
    assert [(dimension.name, dimension.level) for dimension in benchmark.dimensions] == [("PC", "d1"), ("SA", "d2")]
    assert Counter(items.values_list("kind", flat=True)) == {"clip": 12, "pair": 12, "break": 6, "triple": 12}
    assert [way.name for way in benchmark.strategies] == ["falling-rate-PC", "falling-rate-SA", "falling-pair"]
    assert [level.number for level in benchmark.levels] == ["d1", "d2", "p", "b"]
    assert not benchmark.has_boards
    assert benchmark.media_policy == "participants"


def test_hidden_dimensions_are_asked_before_the_prompt_is_shown(made):
    asked = RatedClip.objects.filter(clip__prompt__key="ball", clip__clip_set__slug="sora-9-1", item__kind="clip")
    items = sorted((row.item for row in asked), key=lambda item: item.facet_values("cell"))
    first, second = ({"text": item.text} | facets(item) for item in items)
    assert (first["text"], first["level"]) == ("How do you rate this clip?", ["d1"])
    assert (second["text"], second["level"]) == ("A ball falls, and bounces.", ["d2"])
    assert first["prompt"] == ["p001"]
    assert first["law"] == ["collision", "gravity"]
    assert re.fullmatch(r"s[123]\.1\.1", first["cell"][0])
    assert second["cell"][0] == first["cell"][0][:-1] + "2"


def test_pairs_are_asked_in_both_orders_and_cells_name_the_left_one_first(made):
    codes = {
        row.clip.clip_set_id: row.item.facet_values("cell")[0].split(".")[0]
        for row in made.asked_clips.filter(item__kind="clip")
    }
    sides = Counter()
    for item in Item.objects.filter(pack=made.questions, kind="pair"):
        left, right = item.asked_clips.order_by("place")
        assert left.clip.prompt == right.clip.prompt
        assert item.facet_values("cell") == [f"{codes[left.clip.clip_set_id]}-{codes[right.clip.clip_set_id]}.1"]
        shown = [media.clip.sha256 for media in item.media.all()]
        assert len(set(shown)) == 2
        sides[frozenset((left.clip_id, right.clip_id))] += 1
    assert set(sides.values()) == {2}
    assert len(sides) == 6


def test_each_question_shows_the_clip_that_the_table_says(made):
    """A clip of the round has the pictures of its clip in the set: both are copies of one stream."""
    by_clip = {}
    for row in made.asked_clips.all():
        media = row.item.media.get(position=row.place).clip
        assert by_clip.setdefault(row.clip_id, media.pk) == media.pk
    assert len(set(by_clip.values())) == len(by_clip) == 6


def test_judges_are_asked_one_dimension_with_its_anchors(made):
    texts = {way.name: way.prompt for way in BENCHMARKS["falling"].strategies}
    assert texts["falling-rate-PC"].endswith("4 = Most\n5 = All of it\nAnswer with the number alone.")
    assert "{question}" not in texts["falling-rate-PC"]
    assert texts["falling-rate-SA"].startswith("The clip was made for this text: “{question}”\n")
    assert texts["falling-pair"].startswith("{question}\na = the first clip")


def test_second_round_with_another_set_has_the_same_definition(made, pack, listed):
    before = BenchmarkFile.objects.get().text
    second = make_round(pack, listed[:2], "Winter", ["clip"])
    assert BenchmarkFile.objects.get().text == before
    assert second.questions.items.count() == 8
    assert make_round(pack, listed[:2], "Winter", ["clip"]) == second
    assert definition_of(pack) == before


def test_laws_choose_dimensions(pack, listed):
    pack.preset, pack.definition = "phyground", []
    pack.save()
    made = make_round(pack, listed, "Laws", ["clip"])
    levels = {tuple(item.facet_values("level")) for item in made.questions.items.all()}
    names = {tuple(BENCHMARKS["falling"].dimensions[int(level[1:]) - 1].name for level in each) for each in levels}
    assert {frozenset(each) for each in names} == {
        frozenset(("persistence", "SA", "PTV", "gravity", "collision")),
        frozenset(("persistence", "SA", "PTV", "gravity")),
    }
    BENCHMARKS.put_files({})


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"title": "—"}, "letters from a to z"),
        ({"kinds": ()}, "choose clip sets, and kinds"),
        ({"kinds": ("clip", "quadruple")}, "choose clip sets, and kinds"),
        ({"sets": []}, "choose clip sets, and kinds"),
        ({"count": 1}, "pairs need two clip sets"),
        ({"count": 2}, "triples need three clip sets"),
    ],
)
def test_what_can_t_be_made_is_refused(pack, listed, change, what):
    wanted = {"sets": listed[: change.pop("count", 3)], "title": "Autumn", "kinds": KINDS} | change
    with pytest.raises(ContentRefused, match=what):
        make_round(pack, **wanted)


def test_unlisted_set_is_refused(pack, listed):
    ClipSet.objects.filter(pk=listed[0].pk).update(state=ClipSetState.WITHDRAWN)
    listed[0].refresh_from_db()
    with pytest.raises(ContentRefused, match="Sora 9 1 is no listed clip set for Falling things"):
        make_round(pack, listed, "Autumn", KINDS)


def test_failure_leaves_nothing(pack, listed, monkeypatch):
    before = store().names("clips/")
    monkeypatch.setattr(making, "_store", lambda *arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        make_round(pack, listed, "Autumn", KINDS)
    counts = [table.objects.count() for table in (Pack, Item, BenchmarkFile, RatingRound, RatedClip, Rendition)]
    assert counts == [0] * 6
    assert "falling" not in BENCHMARKS
    assert store().names("clips/") == before


def test_order_is_made_by_a_worker_once(pack, listed):
    production = order_round(pack, listed, "Autumn", ["clip"])
    assert unmade() == [production.pk]
    make_ordered(production.pk)
    make_ordered(production.pk)
    production.refresh_from_db()
    assert (production.state, production.note, unmade()) == ("done", "12 clips asked", [])
    assert RatingRound.objects.count() == 1
    BENCHMARKS.put_files({})


@pytest.mark.django_db(transaction=True)
def test_page_says_how_far_a_round_is(pack, listed, admin_client, monkeypatch):
    production, usual = order_round(pack, listed, "Autumn", ["clip"]), making.make_round

    def slow(*arguments, progress, **options):
        progress(3, 7)
        wait_for(lambda: Production.objects.get().clips_done == 3)
        page = " ".join(admin_client.get("/leaderboard/generated/rounds/").content.decode().split())
        assert "Autumn: 3 of 7 clips are made. You may close this page." in page
        return usual(*arguments, progress=progress, **options)

    monkeypatch.setattr(making, "make_round", slow)  # outside its transaction, which keeps SQLite from other writers
    monkeypatch.setattr(making, "BEAT", 0.05)
    make_ordered(production.pk)
    assert Production.objects.get().state == "done"
    BENCHMARKS.put_files({})


def test_failed_order_says_why(pack, listed, monkeypatch):
    production = order_round(pack, listed, "Autumn", ["clip"])
    ClipSet.objects.filter(pk=listed[0].pk).update(state=ClipSetState.WITHDRAWN)
    with pytest.raises(ContentRefused):
        make_ordered(production.pk)
    production = Production.objects.get()
    assert production.state == "failed"
    assert "is no listed clip set" in production.note


def round_clips(sets, prompts):
    return [
        RoundClip(None, f"s{number}", 1, f"p{prompt:03}", "") for prompt in range(prompts) for number in range(sets)
    ]


@pytest.mark.parametrize("sets", [2, 3, 6, 7])
def test_turns_of_has_every_pair_once(sets):
    codes = [str(number) for number in range(sets)]
    pairs = [frozenset(pair) for turn in turns_of(codes) for pair in turn]
    assert len(pairs) == len(set(pairs)) == sets * (sets - 1) // 2
    assert all(len({code for pair in turn for code in pair}) == 2 * len(turn) for turn in turns_of(codes))


@pytest.mark.parametrize("sets", [2, 3, 4, 7, 11])
def test_every_clip_stands_once_in_each_place_of_a_triple(sets):
    triples = list(triples_of(round_clips(sets, 2)))
    places = [Counter((one.code, one.prompt) for one in each) for each in zip(*triples, strict=True)]
    assert [set(each.values()) for each in places] == ([{1}] * 3 if sets > 2 else [])
    assert all(len({one.code for one in three}) == 3 and len({one.prompt for one in three}) == 1 for three in triples)
    if sets == 7:  # each meets each other once on a prompt
        met = Counter(frozenset((a.code, b.code)) for three in triples for a in three for b in three if a != b)
        assert (len(met), set(met.values())) == (21, {2 * 2})


def test_too_many_pairs_become_balanced_blocks():
    rows = [cells for cells, _ in _pairs(round_clips(8, 28), most=28 * 56 // 2)]
    assert len(rows) <= 28 * 56 // 2
    pairs = Counter(frozenset(row["cell"].split(".")[0].split("-")) for row in rows)
    assert len(pairs) == 28
    assert len(set(pairs.values())) == 1
    lefts = Counter(row["cell"].split("-")[0] for row in rows)
    assert len(set(lefts.values())) == 1
    assert len([*_pairs(round_clips(8, 28), most=28 * 56)]) == 28 * 56


SECRETS = ("Sora 9", "Veo 9", "Six in ten", "sora-9-1", "veo-9-1", "six-in-ten-1", "clips/a.mp4", "clips/b.mp4")
PLACES = (
    "/benchmarks/falling/",
    "/benchmarks/falling/items/",
    "/benchmarks/falling/items.jsonl",
    "/leaderboard/falling/",
    "/leaderboard/",
    "/trials/",
    "/trials/autumn/",
    "/benchmarks/",
    "/api/v1/items/?benchmark=falling",
    "/api/v1/",
    "/api/schema/",
    "/sitemap.xml",
)
LINK = re.compile(r"""(?:href|src|poster)=["'](/[^"'#]*)|"(?:http://testserver)(/[^"\s]+)""")


def fetched(client):
    """All public pages, files and answers of the API around the round, by address."""
    found, left = {}, list(PLACES)
    while left:
        address = left.pop()
        if (
            address in found or len(found) > 150 or address.startswith(("/static/", "/leaderboard/generated/"))
        ):  # boards name rows
            continue
        response = client.get(address)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        found[address] = (response, body.decode(errors="replace"))
        if "html" in response.headers.get("Content-Type", "") or "json" in response.headers.get("Content-Type", ""):
            links = (unescape(one or other) for one, other in LINK.findall(found[address][1]))
            left += [
                link for link in links if any(word in link for word in ("falling", "autumn", "/media/", "/clips/"))
            ]
    return found


@pytest.mark.parametrize("is_asked", [False, True])
def test_nothing_tells_a_generator_before_the_close(made, client, is_asked):
    if is_asked:
        open_trial(trial=create_trial(slug="autumn", protocol="falling-break", pack=made.questions))
    pages = fetched(client)
    keys = [clip_set.key for clip_set in ClipSet.objects.all()]
    cells = list(ItemFacet.objects.filter(name="cell").values_list("value", flat=True))
    told = [
        (address, word)
        for address, (response, body) in pages.items()
        for word in (*SECRETS, *keys, *(f">{cell}<" for cell in cells), *(f'"{cell}"' for cell in cells))
        if word in body or word in str(response.headers)
    ]
    assert told == []
    assert pages["/benchmarks/falling/"][0].status_code == 200
    assert len(pages) > 10


def test_names_in_the_database_tell_nothing_either(made):
    """Keys of items and clips, names of files, and their order: exports of staff have them."""
    keys = [*Item.objects.values_list("key", flat=True), *Clip.objects.values_list("key", flat=True)]
    paths = set(PackFile.objects.values_list("path", flat=True)) - {"benchmark.toml", "items.csv"}
    names = [key.removesuffix(".mp4") for key in keys] + [Path(path).stem for path in paths]
    assert [name for name in names if not re.fullmatch("[0-9a-f]{16,24}", name)] == []
    order = list(
        RatedClip.objects.filter(item__kind="break").order_by("item_id").values_list("clip__clip_set", flat=True)
    )
    sizes = Rendition.objects.filter(kind="original").values_list("size", flat=True)
    assert order != sorted(order) or order != sorted(order, reverse=True)
    assert len(set(sizes)) == 1


def test_files_of_clips_are_closed_to_the_public(made, client, admin_client):
    rendition = Rendition.objects.filter(kind="original").first()
    (asked,) = RatedClip.objects.filter(item__kind="break", clip__clip_set__slug="sora-9-1")[:1]
    clip = f"/leaderboard/generated/sets/sora-9-1/clips/{asked.clip_id}/"
    assert client.get(rendition.get_absolute_url()).status_code == 404
    assert client.get(clip).status_code == 404
    assert (
        "shown when the studies that ask about them are over"
        in client.get("/leaderboard/generated/sets/sora-9-1/").content.decode()
    )
    assert admin_client.get(clip).status_code == 200


def test_clips_are_shown_before_any_round_and_after_the_close(pack, listed, client, make_closed_trial):
    (clip,) = listed[0].clips.all()[:1]
    address = f"/leaderboard/generated/sets/sora-9-1/clips/{clip.pk}/"
    assert client.get(address).headers["Content-Type"] == "video/mp4"
    made = make_round(pack, listed, "Autumn", ["clip"])
    assert client.get(address).status_code == 404
    trial = make_closed_trial(made.questions)
    assert client.get(address).status_code == 200
    hide(made.questions.items.values_list("pk", flat=True), by="trial:other")
    assert client.get(address).status_code == 404
    show(by="trial:other")
    trial.state = "open"
    trial.save()
    assert client.get(address).status_code == 404
    BENCHMARKS.put_files({})
