"""PACS' human study on the real validation questions with stand-in clips: crossed, without shared clips, k = 5."""

import itertools
from collections import Counter
from io import BytesIO

import av
import pytest

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.models import Clip, Item, ItemMedia, Rendition, RenditionKind
from benchmarks.packs.import_release import import_release
from benchmarks.storage.access import path_of
from humantrials.assignment.item_pool import pool_items
from humantrials.errors import EmptyPool
from humantrials.models import Participant
from humantrials.protocols.catalogue.pacs_audio import PACS_AUDIO
from humantrials.protocols.designs.balanced import PoolItem
from humantrials.protocols.designs.crossed import connected, crossed_sheets, draw_apart, two_subsets
from humantrials.results.figures import summaries
from humantrials.results.methods_section import methods_of
from humantrials.running.lifecycle import close_trial, create_trial
from humantrials.running.verification import verify
from leaderboard.standings.human_rows import rows_of_trial
from tests.benchmarks.pacs_releases import FOUR, official, small
from tests.factories import make_participant
from tests.humantrials.fixtures import running_trial
from tests.humantrials.plain_client import Walker
from tests.humantrials.results.test_judgments import closed_trial, full_trial, right, turned
from tests.markup import compact

pytestmark = pytest.mark.django_db


def stand_in_clips(pack) -> None:
    """Give every object a clip with a box, and attach it to the questions like the importer."""
    items = list(pack.items.filter(kind="pair"))
    pairs = {item.pk: item.key.partition("/")[0].split("_") for item in items}
    facts = {"box": [320, 180, 960, 540], "box_in": [1280, 720]}
    names = sorted({name for pair in pairs.values() for name in pair})
    shape = {"width": 1280, "height": 720, "fps": 30.0, "frames": 60, "seconds": 2.0, "facts": facts}
    clips = Clip.objects.bulk_create([Clip(pack=pack, key=name, sha256=name, **shape) for name in names])
    Rendition.objects.bulk_create(
        Rendition(clip=clip, kind=kind, name=f"{pack.pk}-{clip.key}-{kind}", sha256=clip.key, size=65536)
        for clip, kind in itertools.product(clips, (RenditionKind.ORIGINAL, RenditionKind.POSTER))
    )
    by_name = {clip.key: clip for clip in clips}
    ItemMedia.objects.bulk_create(
        ItemMedia(item_id=pk, clip=by_name[name], role="object", position=place)
        for pk, pair in pairs.items()
        for place, name in enumerate(pair)
    )


@pytest.fixture
def questions(tmp_path):
    """Two pairs without a clip in common, with two questions each."""
    pack = import_release(BENCHMARKS["pacs"], small(tmp_path, val_data=FOUR, val_data_mat=None, objects=None)).pack
    stand_in_clips(pack)
    return pack


def test_the_real_questions_are_crossed_and_no_clip_is_met_both_ways(tmp_path):
    pack = import_release(BENCHMARKS["pacs"], official(tmp_path), split="val").pack
    stand_in_clips(pack)
    trial = create_trial(slug="pacs", protocol="pacs-audio", pack=pack, seed=3)
    report = verify(trial)
    assert report.broken == []
    assert (report.facts["sheets"], report.facts["slots"]) == (10, 2430)
    wanted = Counter(trial.slots.values_list("item", "condition"))
    assert len(wanted) == 2 * 243
    assert set(wanted.values()) == {5}
    pool = pool_items(PACS_AUDIO, Item.objects.filter(slots__trial=trial).distinct())
    one, other = two_subsets(pool, trial.draw_seed)
    clips = {each.item: set(each.clips) for each in pool}
    assert not set().union(*(clips[item] for item in one)) & set().union(*(clips[item] for item in other))
    assert abs(len(one) - len(other)) <= 3


def test_a_pool_that_hangs_together_is_cut_where_it_costs_little():
    ring = [PoolItem(f"i{n:03}", clips=(f"c{n}", f"c{(n + 1) % 60}")) for n in range(60)]
    kept = draw_apart(ring, 30, seed=1)
    parts = list(connected([one for one in ring if one.item in kept]))
    assert len(kept) == 30
    assert len(parts) >= 2


def test_each_person_meets_each_question_once_in_two_blocks():
    pool = [PoolItem(f"i{n}", clips=(f"a{n}", f"b{n}")) for n in range(8)]
    sheets = crossed_sheets(pool, 2, seed=5)
    for sheet in sheets:
        conditions = [slot.condition for slot in sheet]
        assert len({slot.item for slot in sheet}) == 8
        assert sum(one != two for one, two in itertools.pairwise(conditions)) == 1
    assert sheets == crossed_sheets(pool, 2, seed=5) != crossed_sheets(pool, 2, seed=6)


def test_a_smaller_pool_and_fewer_people(questions):
    trial = create_trial(slug="few", protocol="pacs-audio", pack=questions, settings={"replicates": 1, "items": 4})
    assert [sheet.slots.count() for sheet in trial.sheets.all()] == [4, 4]
    assert verify(trial).broken == []


def test_one_row_with_sound_and_one_without(questions):
    how = {"protocol": "pacs-audio", "replicates": 1}
    trial = closed_trial(lambda slot: (right if slot.condition == "audio" else turned)(slot), questions, **how)
    rows = {(row.condition, row.split): row for row in rows_of_trial(trial)}
    scores = {condition: row.overall["score"] for (condition, split), row in rows.items() if split == "val"}
    assert scores == {"audio": 1.0, "no-audio": 0.0}
    assert {row.kind for row in rows.values()} == {"human"}
    assert "object" not in rows["audio", "val"].cells


def test_the_methods_count_what_was_judged_in_any_condition(questions):
    trial = full_trial(pack=questions, protocol="pacs-audio", replicates=1)
    trial.judgments.filter(slot__sheet=trial.sheets.last()).delete()
    close_trial(trial=trial)
    procedure = methods_of(trial, summaries(trial)).procedure
    assert procedure.startswith("People judged 4 questions of PACS")
    assert "one participant was wanted for every question in each condition." in procedure


def test_questions_without_their_clips_are_not_asked(tmp_path):
    pack = import_release(BENCHMARKS["pacs"], small(tmp_path)).pack
    with pytest.raises(EmptyPool, match="2 are there without their clips"):
        create_trial(slug="none", protocol="pacs-audio", pack=pack)


def test_only_people_on_the_list_come_in_and_the_list_holds_no_id(questions, client):
    trial = running_trial(questions, slug="few", protocol="pacs-audio", qualified="anna ben")
    assert "anna" not in str(trial.settings)
    assert client.get("/t/few/", {"participant": "carl"}).status_code == 403
    assert client.get("/t/few/").status_code == 403
    assert not Participant.objects.exists()
    assert Walker(client, trial, "anna").agree().person.state == "consented"


def test_the_page_shows_both_clips_each_with_its_box(questions, client):
    trial = running_trial(questions, slug="few", protocol="pacs-audio", qualified="anna")
    person = Walker(client, trial, "anna").agree().person
    Participant.objects.update(state="consented", step="trials")
    page = compact(client.get(f"/p/{person.token}/").content.decode())
    assert page.count("data-player") == 2
    assert page.count('<rect data-box x="320" y="180" width="640" height="360"') == 2
    assert "Which is heavier?" in page
    assert "Answer with Object 1" not in page
    assert page.count('data-note="With sound"') + page.count('data-note="Without sound') == 2  # of the first block


@pytest.mark.requirement("P9")
@pytest.mark.parametrize(("condition", "streams"), [("audio", 1), ("no-audio", 0)])
def test_a_trial_without_sound_gets_a_file_without_a_sound_stream(
    questions, client, settings, tmp_path, condition, streams
):
    settings.MEDIA_ROOT = tmp_path / "media"
    trial = running_trial(questions, slug="few", protocol="pacs-audio", replicates=1)
    slot = trial.slots.filter(condition=condition).select_related("sheet", "item").first()
    media = slot.item.media.select_related("clip").get(position=1)
    original = media.clip.rendition(RenditionKind.ORIGINAL)
    write_sounding(path_of(original))
    Rendition.objects.filter(pk=original.pk).update(size=path_of(original).stat().st_size + 4096)
    person = make_participant(trial, state="consented", step="trials", sheet=slot.sheet)
    reply = client.get(f"/p/{person.token}/m/{slot.position}/1")
    served = BytesIO(b"".join(reply.streaming_content) if reply.streaming else reply.content)
    with av.open(served) as read:
        assert len(read.streams.video) == 1
        assert len(read.streams.audio) == streams


def write_sounding(path) -> None:
    """Write half a second of picture and silence as MP4."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format="mp4") as file:
        video, sound = file.add_stream("libx264", rate=10), file.add_stream("aac", rate=16000)
        video.width, video.height, video.pix_fmt = 64, 48, "yuv420p"
        for _ in range(5):
            file.mux(video.encode(av.VideoFrame(64, 48, "yuv420p")))
        heard = av.AudioFrame(format="fltp", layout="mono", samples=1024)
        heard.sample_rate = 16000
        heard.planes[0].update(bytes(heard.planes[0].buffer_size))
        file.mux(sound.encode(heard))
        file.mux(video.encode(None))
        file.mux(sound.encode(None))
