"""However often, from wherever and however spelt they come: there are as many people as persons who agreed."""

import unicodedata
from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from humantrials.models import Participant, Sheet, SheetState, Trial
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
NAMES = ("Zo\u00eb-7", "student 17", "5f3a\u0661b")
SPELLINGS = (
    str,
    str.upper,
    lambda name: unicodedata.normalize("NFD", name),
    lambda name: f" {name[:2]}\u200b{name[2:]}\u00ad ",
    lambda name: name.replace("7", "\uff17").replace("1", "\u0661"),
)
COMES = st.tuples(
    st.sampled_from(range(len(NAMES))),
    st.sampled_from(SPELLINGS),
    st.sampled_from(("home", "phone", "library")),
    st.sampled_from(("scanned", "previewed", "agrees", "agrees", "agrees twice", "guesses")),
)


class Town:
    """Persons with their devices; each browser keeps the keys of the pages that were opened in it."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self.keys: dict[tuple[str, int], str] = {}  # (device, person) -> address of their own pages
        self.receipts: dict[int, str] = {}

    def come(self, person: int, spelling, device: str, act: str) -> None:
        client = Client(HTTP_USER_AGENT=device)
        link = f"/t/{self.trial.slug}/?{urlencode({'participant': spelling(NAMES[person])})}"
        if act in ("scanned", "previewed"):
            look = client.head if act == "previewed" else client.get
            assert look(link, follow=True).status_code == 200
        elif act == "guesses":  # somebody who knows the id and no more
            assert client.post(link, {"step": "return", "code": "AAAAA"}).status_code == 404
        else:
            for _ in range(2 if act == "agrees twice" else 1):
                self.agree(Walker.at(client, link), person, device)

    def agree(self, walker: Walker, person: int, device: str) -> None:
        """Go on by the browser's key; else agree, and where the id is known, prove it by the receipt."""
        if key := self.keys.get((device, person)):
            walker.press(step="return", code=key.split("/")[2])
        else:
            walker.agree()
            if person in self.receipts:
                assert walker.page.status_code == 409
                walker.press(step="return", code=self.receipts[person])
        assert walker.road.startswith("/p/")
        assert self.receipts.setdefault(person, walker.person.receipt_code) == walker.person.receipt_code
        self.keys[device, person] = walker.road


@pytest.fixture
def town(db) -> Trial:
    return running_trial(physics_pack(tests=2), replicates=3)


def test_there_are_as_many_people_as_persons_who_agreed(town):
    @settings(
        max_examples=8,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=[HealthCheck.too_slow],
    )
    @given(st.lists(COMES, max_size=12))
    def every_order(visits) -> None:
        Participant.objects.all().delete()
        Sheet.objects.update(state=SheetState.OPEN, holder=None)
        people = Town(town)
        for visit in visits:
            people.come(*visit)
        persons = len(people.receipts)
        taken = Sheet.objects.exclude(state=SheetState.OPEN).count()
        assert (Participant.objects.count(), taken) == (persons, persons)

    every_order()
