"""Equipment checks before the clips: gates, and people of one address."""

import pytest
from django.test import Client

from humantrials.models import Participant, ParticipantState, SheetState, Trial
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Mobile/15E148 Safari/604.1"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"


def trial_with(**settings) -> Trial:
    return running_trial(physics_pack(tests=2), replicates=2, **settings)


def test_who_lacks_the_device_or_browser_is_told_before_the_consent_and_loses_nothing():
    trial = trial_with(gates="computer firefox")
    walker = Walker(Client(HTTP_USER_AGENT=PHONE), trial)
    page = walker.text
    assert "This study needs other equipment" in page
    assert "Device: a computer" in page
    assert "Browser: Firefox" in page
    assert not trial.sheets.filter(state=SheetState.LEASED).exists()
    walker.press(step="consent", choice="yes", digest="x")
    assert not Participant.objects.exists()
    assert "Browser: Firefox" in Walker(Client(HTTP_USER_AGENT=CHROME), trial).text
    assert Walker(Client(HTTP_USER_AGENT=FIREFOX), trial).reader.step == "consent"


def test_a_page_that_is_too_narrow_or_tells_no_width_stays_outside():
    walker = Walker(Client(), trial_with(gates="width=800"))
    digest = walker.reader.fields["digest"]
    for width in ("", "799", "1e9"):
        page = walker.press(step="consent", choice="yes", digest=digest, page_width=width).text
        assert not Participant.objects.exists()
        assert walker.reader.step == "consent" or "JavaScript on: 800 px" in page
    wide = walker.press(step="consent", choice="yes", digest=digest, page_width="800")
    assert wide.person.state == ParticipantState.CONSENTED


def test_a_plain_link_takes_as_many_ids_of_one_address_as_the_trial_says():
    trial = trial_with(people_per_address="2")
    early = Walker(Client(), trial, name="early")
    people = [Walker(Client(), trial, name=f"invented{number}").agree() for number in range(2)]
    pages = [Walker(Client(), trial, name="late").page, early.agree().page]
    assert [page.status_code for page in pages] == [403, 403]
    assert "Several people came from your network" in pages[-1].content.decode()
    again = Walker(Client(), trial, name="invented0").press(step="return", code=people[0].person.receipt_code)
    assert again.road == people[0].road
    elsewhere = Walker(Client(REMOTE_ADDR="192.0.2.9"), trial, name="elsewhere").agree()
    assert elsewhere.page.status_code == 200
    assert "192.0.2.9" not in str(elsewhere.person.traces)
