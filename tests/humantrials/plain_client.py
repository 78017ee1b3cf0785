"""A participant whose browser has no JavaScript and no cookies."""

from django.test import Client

from humantrials.models import Participant, Trial
from humantrials.simulation.browser import PageReader
from humantrials.studies.attention_checks import find_question
from humantrials.studies.viewing_evidence import media_counts, note_fetch


class Walker:
    """Holds the current page; every press returns the walker."""

    def __init__(self, client: Client, trial: Trial, name: str = "w", **parameters: str) -> None:
        self.client = client
        self.page = client.get(f"/t/{trial.slug}/", {"participant": name, **parameters}, follow=True)
        self.road = self.page.request["PATH_INFO"]

    @property
    def person(self) -> Participant:
        return Participant.objects.get(token=self.road.split("/")[2])

    @property
    def reader(self) -> PageReader:
        return PageReader(self.page.content.decode())

    def look(self) -> "Walker":
        self.page = self.client.get(self.road)
        return self

    def press(self, **fields: str) -> "Walker":
        self.page = self.client.post(self.road, fields, follow=True)
        return self

    def agree(self) -> "Walker":
        return self.press(step="consent", choice="yes", digest=self.reader.fields["digest"])

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
        fields = {"position": str(position), "answer": value, **fields}
        self.page = self.client.post(f"{self.road}answer/", fields, follow=True)
        return self

    def fetch(self, position: int) -> None:
        """Record requests for the question's clips or pictures, as the server would: the tests' clips have no file."""
        person = self.person
        asked = find_question(person, position)
        if asked is None:
            return
        for place in range(media_counts(person.trial).get(asked.item_id, 1)):
            note_fetch(person, asked.item_id, place)
