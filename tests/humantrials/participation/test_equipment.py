"""Equipment checks before the clips: gates, the headphone test, the screen's size, and people of one address."""

import io
import wave

import numpy as np
import pytest
from django.test import Client

from humantrials.errors import BadSetting
from humantrials.models import Participant, ParticipantState, SheetState, Trial
from humantrials.participation.headphone_test import RATE, TRIALS, recording, target
from humantrials.protocols.settings import read_settings
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile/15E148 Safari/604.1"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"


def trial_with(**settings) -> Trial:
    return running_trial(physics_pack(tests=2), replicates=2, **settings)


def tones(walker: Walker, off: int = 0) -> dict[str, str]:
    """Answers to the headphone test; `off` makes them wrong."""
    return {f"tone{n}": str((target(walker.person, n) + off - 1) % 3 + 1) for n in range(1, TRIALS + 1)}


def test_who_lacks_the_device_or_browser_is_told_before_the_consent_and_loses_nothing():
    trial = trial_with(gates="computer firefox")
    walker = Walker(Client(HTTP_USER_AGENT=PHONE), trial)
    page = walker.page.content.decode()
    assert "This study needs other equipment" in page
    assert "Device: a computer" in page
    assert "Browser: Firefox" in page
    assert not trial.sheets.filter(state=SheetState.LEASED).exists()
    walker.press(step="consent", choice="yes", digest="x")
    assert walker.person.state == ParticipantState.ARRIVED
    assert "Browser: Firefox" in Walker(Client(HTTP_USER_AGENT=CHROME), trial).page.content.decode()
    assert Walker(Client(HTTP_USER_AGENT=FIREFOX), trial).reader.step == "consent"
    assert Participant.objects.count() == 1


def test_a_page_that_is_too_narrow_or_tells_no_width_stays_outside():
    walker = Walker(Client(), trial_with(gates="width=800"))
    digest = walker.reader.fields["digest"]
    for width in ("", "799", "1e9"):
        page = walker.press(step="consent", choice="yes", digest=digest, page_width=width).page.content.decode()
        assert walker.person.state == ParticipantState.ARRIVED
        assert walker.reader.step == "consent" or "JavaScript on: 800 px" in page
    wide = walker.press(step="consent", choice="yes", digest=digest, page_width="800")
    assert wide.person.state == ParticipantState.CONSENTED


def test_the_headphone_test_has_huggins_pitch_in_one_interval_alone(trial):
    walker = Walker(Client(), trial_with(slug="heard", headphone_test="yes")).agree()
    assert walker.reader.step == "headphones"
    number = 3
    with wave.open(io.BytesIO(recording(walker.person, number))) as file:
        assert (file.getnchannels(), file.getframerate()) == (2, RATE)
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).astype(float)
    step, differ = int(RATE * 1.5), []
    for place in range(3):
        left, right = samples[place * step : place * step + RATE].T
        same, other = np.fft.rfft(left), np.fft.rfft(right)
        assert np.abs(np.abs(same) - np.abs(other)).max() < 0.02 * np.abs(same).max()  # one ear alone is not enough
        differ.append(np.flatnonzero(np.abs(same - other) > np.abs(same) + 1e3))
    found = [place + 1 for place, band in enumerate(differ) if band.size]
    assert found == [target(walker.person, number)]
    band = differ[found[0] - 1]
    assert 560 <= band.min() <= band.max() <= 640  # Hz: the recording lasts a second


def test_the_result_is_kept_and_two_failures_lead_on_unless_headphones_are_demanded():
    trial = trial_with(headphone_test="yes")
    walker = Walker(Client(), trial).agree()
    assert walker.client.get(f"{walker.road}sound/1/").headers["Content-Type"] == "audio/wav"
    assert walker.client.get(f"{walker.road}sound/7/").status_code == 404
    assert "here are new recordings" in walker.press(step="headphones", **tones(walker, 1)).page.content.decode()
    assert walker.press(step="headphones", **tones(walker, 1)).reader.step == "instructions"
    assert walker.person.checks == {"headphones": 2, "headphones_right": 0}
    other = Walker(Client(), trial, name="other").agree()
    assert other.press(step="headphones", **tones(other)).reader.step == "instructions"
    assert other.person.checks == {"headphones": 1, "headphones_right": 6}


def test_who_has_no_headphones_where_they_are_demanded_gets_a_code_and_the_place_is_free():
    trial = trial_with(gates="headphones")
    walker = Walker(Client(), trial).agree()
    for _ in range(2):
        walker.press(step="headphones", **tones(walker, 1))
    assert walker.person.state == ParticipantState.SCREENED
    assert walker.person.partial_code.startswith("SCREENED-OUT")
    assert not trial.sheets.exclude(state=SheetState.OPEN).exists()


@pytest.mark.parametrize(
    ("sent", "kept"),
    [("324", 3.785), *((text, None) for text in ("", "99", "1e3", "9999")), pytest.param("9" * 5000, None, id="long")],
)
def test_the_card_gives_the_size_of_the_screen_or_nothing(sent, kept):
    walker = Walker(Client(), trial_with(card="yes")).agree()
    assert walker.reader.step == "card"
    assert walker.press(step="card", card_width=sent).reader.step == "instructions"
    assert walker.person.checks.get("px_per_mm") == kept


def test_nobody_answers_before_these_steps():
    walker = Walker(Client(), trial_with(card="yes", headphone_test="yes")).agree()
    for step in ("card", "headphones"):
        assert walker.reader.step == step
        answer = {"position": "0", "answer": "yes"}
        reply = walker.client.post(f"{walker.road}answer/", answer, HTTP_ACCEPT="application/json")
        assert reply.status_code == 409
        walker.press(step=step, **(tones(walker) if step == "headphones" else {}))
    assert walker.reader.step == "instructions"


def test_a_plain_link_takes_as_many_ids_of_one_address_as_the_trial_says():
    trial = trial_with(people_per_address="2")
    pages = [Walker(Client(), trial, name=f"invented{number}").page for number in range(4)]
    assert [page.status_code for page in pages] == [200, 200, 403, 403]
    assert "Several people came from your network" in pages[-1].content.decode()
    assert Walker(Client(), trial, name="invented0").page.status_code == 200  # earlier participants may return
    elsewhere = Walker(Client(REMOTE_ADDR="192.0.2.9"), trial, name="elsewhere")
    assert elsewhere.page.status_code == 200
    assert "192.0.2.9" not in str(elsewhere.person.traces)


@pytest.mark.parametrize("gates", ["laptop", "width=ten", "width=99999", "computer=1"])
def test_a_gate_that_is_none_is_refused(gates):
    with pytest.raises(BadSetting, match="equipment that people need"):
        read_settings({"gates": gates})
