"""People choose which of four pictures comes next: picture addresses reveal nothing, one vote per person."""

import re

import pytest
from django.core.management import call_command

from benchmarks.definitions.registry import BENCHMARKS
from benchmarks.disclosure import SCORER, open_answers
from benchmarks.packs.import_release import import_release
from humantrials.assignment.item_pool import displayable_items
from humantrials.models import Judgment, Trial
from humantrials.protocols import find_protocol
from humantrials.running.lifecycle import close_trial, create_trial, open_trial
from humantrials.running.verification import verify
from leaderboard.standings.refresh import refresh
from tests.benchmarks.definitions.importers.test_giraffe import make_release
from tests.factories import answer_to, make_clip, make_item, make_pack
from tests.humantrials.plain_client import Walker
from tests.markup import compact

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_release(tmp_path_factory.mktemp("patterns"), only=("clock", "quantity"))


@pytest.fixture
def trial(made) -> Trial:
    import_release(BENCHMARKS["giraffe"], made, pack_name="small")
    call_command("create_trial", "pick", "--protocol", "giraffe-choice", "--pack", "small")
    trial = Trial.objects.get(slug="pick")
    open_trial(trial=trial)
    return trial


def test_people_choose_among_the_pictures_and_their_row_is_on_the_board(trial, client, visitor):
    for number in range(3):
        walker = Walker(client, trial, f"w{number}").agree().press(step="instructions")
        while walker.reader.positions:
            page = compact(walker.text)
            pictures = re.findall(r'<img src="([^"]+)"', page)
            assert len(pictures) == len(set(pictures)) in (7, 8, 9)
            for address in pictures:
                shown = client.get(address)
                assert (shown.status_code, shown["Content-Type"], "ETag" in shown) == (200, "image/png", False)
                assert b"".join(shown.streaming_content).startswith(b"\x89PNG")
            item = trial.sheets.get(holder=walker.person).slots.get(position=walker.reader.positions[0]).item
            assert not any(word in page for word in (item.public_id, item.key, "clock", "quantity"))
            walker.answer(answer_to(item) if number else "a", seconds="0.2")
    assert Judgment.objects.filter(counts=True).count() == 6
    assert verify(trial).broken == []
    close_trial(trial=trial)
    refresh()
    rows = visitor.get("/leaderboard/giraffe/", {"level": "4", "format": "json"}).json()["rows"]
    assert [(row["kind"], row["overall"]["score"], row["overall"]["n"]) for row in rows] == [("human", 1.0, 2)]
    assert visitor.get(f"/trials/{trial.slug}/").status_code == 200
    page = visitor.get(trial.pack.items.filter(kind="choice").first().get_absolute_url()).content.decode()
    assert re.search("majority: [A-D]", page)  # the letters that stand under the pictures
    assert re.search(r"\bA: \d", compact(page))


@pytest.mark.parametrize(("language", "counted"), [("en", "2 questions"), ("de", "2 Fragen"), ("ar", "سؤالان (2)")])
def test_nobody_is_promised_videos_where_there_are_none(trial, client, language, counted):
    door = client.get("/t/pick/", {"lang": language}).content.decode()
    consent = client.get("/t/pick/", {"participant": "w", "lang": language}, follow=True).content.decode()
    assert counted in consent
    assert not [word for word in ("short video", "kurze Videos", "مقاطع قصيرة") if word in door + consent]


def test_nobody_else_gets_the_pictures(trial, client):
    walker = Walker(client, trial, "w").agree().press(step="instructions")
    address = re.findall(r'<img src="([^"]+)"', walker.text)[0]
    assert client.get(address.replace(walker.person.token, "x" * 20)).status_code == 404
    assert client.get(re.sub(r"/m/\d+/", "/m/99/", address)).status_code == 404


def test_a_page_about_the_same_pictures_is_out_of_sight_while_people_choose(trial, visitor):
    item = trial.pack.items.filter(kind="images").first()
    page = visitor.get(item.get_absolute_url())
    assert page.status_code == 404
    reference = open_answers([item], to=SCORER)[item.pk].reference
    assert reference
    assert not [text for text in reference.values() if str(text) in page.content.decode()]
    close_trial(trial=trial)
    assert "/media/" in visitor.get(item.get_absolute_url()).content.decode()


def test_a_pattern_that_the_study_does_not_ask_is_practised_with_its_pictures(made, client):
    report = import_release(BENCHMARKS["giraffe"], made, pack_name="more")
    trial = create_trial(slug="one", protocol="giraffe-choice", pack=report.pack, settings={"items": "1"})
    assert trial.practice is not None
    assert not trial.slots.filter(item=trial.practice).exists()
    open_trial(trial=trial)
    walker = Walker(client, trial, "practising").agree().press(step="instructions")
    page = walker.text
    assert "does not count" in page
    pictures = re.findall(r'<img src="([^"]+/m/practice/[^"]+/picture)"', page)
    assert {client.get(picture).status_code for picture in pictures} == {200}
    assert re.findall(r'data-key="(.)"', page) == ["A", "B", "C", "D"]
    told = walker.press(step="practised", answer="a").text
    assert "The answer is" in told
    assert "Start with the first question" in told
    assert walker.press(step="practice").reader.positions == [0]
    assert client.get(pictures[0].replace(f"/{walker.road.split('/')[2]}/", "/nobody/")).status_code == 404


def test_questions_with_one_picture_are_asked_and_those_without_are_not(trial):
    protocol, pack = find_protocol(trial.protocol), make_pack()
    shown, _bare = make_item(pack, clip=make_clip(pack)), make_item(pack)
    assert list(displayable_items(protocol, pack.items.all())) == [shown]
