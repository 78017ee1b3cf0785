"""However often, from wherever and however spelt they come: there are as many people as persons who agreed."""

import unicodedata
from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from humantrials.identities import SIMULATOR_HEADER
from humantrials.models import Participant, Sheet, SheetState, Trial
from humantrials.panels.invited import SECRET, invitation
from tests.humantrials.assignment.test_invariants import UNSHRUNK
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.plain_client import Walker

pytestmark = pytest.mark.django_db
NAMES = ("Zo\u00eb-7", "student 17", "5f3a\u0661b")
SPELLINGS = (
    str,
    lambda name: unicodedata.normalize("NFD", name),
    lambda name: f" {name[:2]}\u200b{name[2:]}\u00ad ",
    lambda name: name.replace("7", "\uff17").replace("1", "\u0661"),
    str.upper,
)
LOOKS = ("scanned", "previewed")  # mail scanners and prefetchers, link previews: no press
AGREES = ("agrees", "agrees twice", "presses twice")
COMES = st.tuples(
    st.sampled_from(range(len(NAMES))),
    st.sampled_from(SPELLINGS),
    st.sampled_from(("home", "phone", "library")),
    st.sampled_from((*LOOKS, *AGREES, "agrees", "guesses", "opens a bookmark")),
)


class Town:
    """Persons with their devices; each browser keeps the keys of the pages that were opened in it."""

    def __init__(self, trial: Trial) -> None:
        self.trial, self.is_invited = trial, trial.panel == "invited"
        self.keys: dict[tuple[str, int], str] = {}  # (device, person) -> address of their own pages
        self.receipts: dict[int, str] = {}

    def link(self, person: int, spelling) -> str:
        if self.is_invited:  # letter case belongs to the signature
            code = invitation(self.trial.panel_settings[SECRET], person + 1)
            visit = {"invitation": code if spelling is str.upper else spelling(code)}
        else:
            visit = {"participant": spelling(NAMES[person])}
        return f"/t/{self.trial.slug}/?{urlencode(visit)}"

    def come(self, person: int, spelling, device: str, act: str) -> None:
        client = Client(HTTP_USER_AGENT=device, headers={SIMULATOR_HEADER: ""})
        link = self.link(person, spelling)
        if act in LOOKS:
            look = client.head if act == "previewed" else client.get
            assert look(link, follow=True).status_code == 200
        elif act == "guesses" and not self.is_invited:  # somebody who knows the id and no more
            assert client.post(link, {"step": "return", "code": "AAAAA"}).status_code == 404
        elif act == "opens a bookmark" and person in self.receipts:
            own = next(address for (_device, owner), address in self.keys.items() if owner == person)
            assert client.get(own).status_code == 200
        elif act in AGREES:
            for _ in range(2 if act == "agrees twice" else 1):
                self.agree(Walker.at(client, link), person, device, presses=2 if act == "presses twice" else 1)

    def agree(self, walker: Walker, person: int, device: str, presses: int) -> None:
        """Go on by the browser's key or the signed link; else agree, and prove a known id by the receipt."""
        page = walker.reader.fields
        if key := self.keys.get((device, person)):
            walker.press(step="return", code=key.split("/")[2])
        elif person in self.receipts and self.is_invited:
            walker.press(**page)
        else:
            for _ in range(presses):  # of the button on one page
                again = Walker.at(walker.client, walker.road)
                again.press(choice="yes", **page)
            walker = again
            if person in self.receipts and not walker.road.startswith("/p/"):
                assert walker.page.status_code == 409
                walker.press(step="return", code=f" {self.receipts[person].lower().replace('-', ' ')}")
        assert walker.road.startswith("/p/")
        assert self.receipts.setdefault(person, walker.person.receipt_code) == walker.person.receipt_code
        self.keys[device, person] = walker.road


@pytest.mark.parametrize("panel", ["generic", "invited"])
def test_there_are_as_many_people_as_persons_who_agreed(panel):
    town = running_trial(physics_pack(tests=2), replicates=3)
    town.panel, town.panel_settings = panel, {SECRET: "s", "invitations": len(NAMES)} if panel == "invited" else {}
    town.save()

    @settings(UNSHRUNK, max_examples=8)
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
