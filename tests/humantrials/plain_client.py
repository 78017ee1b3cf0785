"""A participant whose browser has no JavaScript and no cookies."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from django.db.models import F
from django.test import Client

from humantrials.assignment.viewing_evidence import media_counts, note_fetch
from humantrials.judging.attention_checks import question_at
from humantrials.models import Participant, Trial
from humantrials.simulation.browser import PageReader


def a_second_passes(person: Participant) -> None:
    """Let a second pass since the person's last act: a form that follows at once is taken for a double click."""
    second = timedelta(seconds=1)
    for relation in ("judgments", "attention_answers", "pilot_answers", "follow_ups"):
        getattr(person, relation).update(created_at=F("created_at") - second)
    person.clip_fetches.update(at=F("at") - second)
    Participant.objects.filter(pk=person.pk).update(consented_at=F("consented_at") - second)


class Walker:
    """Holds the current page; every press returns the walker."""

    def __init__(self, client: Client, trial: Trial, name: str = "w", **parameters: str) -> None:
        self.enter(client, f"/t/{trial.slug}/?{urlencode({'participant': name, **parameters})}")

    @classmethod
    def at(cls, client: Client, address: str) -> "Walker":
        """Somebody at this address, such as that of a preview."""
        walker = cls.__new__(cls)
        walker.enter(client, address)
        return walker

    def enter(self, client: Client, address: str) -> None:
        """Look at the door; whoever agrees there goes on at an address of their own."""
        self.client, self.road = client, address
        self.page: Any = client.get(address)

    @property
    def person(self) -> Participant:
        return Participant.objects.get(token=self.road.split("/")[2])

    @property
    def reader(self) -> PageReader:
        return PageReader(self.text)

    @property
    def text(self) -> str:
        return self.page.content.decode()

    def look(self) -> "Walker":
        self.page = self.client.get(self.road)
        return self

    def press(self, **fields: str) -> "Walker":
        self.page = self.client.post(self.road, fields, follow=True)
        if self.page.redirect_chain:
            self.road = self.page.request["PATH_INFO"]
        return self

    def agree(self) -> "Walker":
        return self.press(choice="yes", **self.reader.fields)

    def practise(self, answer: str = "") -> "Walker":
        """Answer the practice clip if it is shown, and continue after its feedback."""
        if self.reader.step == "practised":
            self.press(step="practised", answer=answer or self.reader.answers[0])
        return self.press(step="practice")

    def reach_trials(self) -> "Walker":
        self.agree().press(step="instructions")
        return self.practise()

    def answer(self, value: str = "yes", **fields: str) -> "Walker":
        position = self.reader.positions[0]
        self.fetch(position)
        self.wait()
        fields = {"position": str(position), "answer": value, **fields}
        self.page = self.client.post(f"{self.road}answer/", fields, follow=True)
        return self

    def wait(self) -> None:
        a_second_passes(self.person)

    def post_answer(self, position: int, answer: str = "yes") -> int:
        """Look, and send an answer as the page's script does; load no page. Returns the status."""
        self.fetch(position)
        self.wait()
        return self.send("answer/", position=str(position), answer=answer).status_code

    def send(self, path: str, **fields: str | None) -> Any:
        """What the page's script gets for these fields, at once and without a look at the clip."""
        return self.client.post(f"{self.road}{path}", fields, HTTP_ACCEPT="application/json")

    def fetch(self, position: int) -> None:
        """Record requests for the question's clips or pictures, as the server would: the tests' clips have no file."""
        person = self.person
        asked = question_at(person, position)
        if asked is None:
            return
        for place in range(media_counts(person.trial).get(asked.item_id, 1)):
            note_fetch(person, asked.item_id, place)
