"""One simulated participant: the behaviour is drawn from (seed, number), the requests go over the network."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

from humantrials.models import AuthoredText, Participant
from humantrials.participation.screening import SIDES, digits_for
from humantrials.planning.authored_texts import quiz_in
from humantrials.planning.questionnaires import read_questions
from humantrials.simulation.browser import JSON, PIECE, PageReader, PageReply, Visitor

ROAD = "/p/"  # begins the address of each participant's own pages
Key = Callable[[str], dict[int, str]]  # token -> right answer at each position
Log = Callable[[str, int, str], None]  # token, position, answer: an acknowledged answer


def hear(token: str) -> dict[str, str]:
    """The digits of the sound check, read from the database since nobody listens."""
    person = Participant.objects.get(token=token)
    return {side: digits_for(person, side) for side in SIDES}


def quiz_of(token: str) -> dict[str, str]:
    """The right answers to the quiz."""
    person = Participant.objects.select_related("trial").get(token=token)
    return {f"q{number}": one.right for number, one in enumerate(quiz_in(person.trial, person.language).questions)}


def answers_to(text: str, rng: random.Random) -> dict[str, str]:
    """An answer to each of the author's questions of this version."""
    found = {"text": text}
    for question in read_questions(AuthoredText.objects.get(pk=int(text)).body):
        some = str(rng.randint(question.low or 0, question.high or 99)) if question.kind == "number" else "simulated"
        found[f"q_{question.name}"] = rng.choice(question.options)[0] if question.options else some
    return found


@dataclass(frozen=True)
class Habits:
    """Probabilities with which a simulated participant does what real people do."""

    dropout: float = 0.0
    late: float = 0.0
    second_tab: float = 0.0
    doubled: float = 0.0
    accuracy: float = 0.8
    lag: float = 0.2  # of moments, seconds
    guesses: float = 0.1  # share of moments that are made up where nothing was seen
    careless: float = 0.0  # share of people who follow no instruction that replaces a question


@dataclass
class Person:
    """A simulated participant; `acknowledged` holds the answers that the site said it stored."""

    number: int
    seed: int
    habits: Habits
    log: Log = lambda token, position, answer: None
    rng: random.Random = field(init=False)
    step_path: str = ""
    outcome: str = "arriving"
    acknowledged: dict[int, str] = field(default_factory=dict)
    refused: int = 0
    sees_clips: bool = True

    def __post_init__(self) -> None:
        self.rng = random.Random(f"{self.seed}/{self.number}")  # noqa: S311  behaviour, not secrets
        fate = self.rng.random()
        self.leaves = fate < self.habits.dropout + self.habits.late
        self.is_late = self.habits.dropout <= fate < self.habits.dropout + self.habits.late
        self.has_second_tab = self.rng.random() < self.habits.second_tab

    @property
    def external_id(self) -> str:
        return f"simulated-{self.seed}-{self.number}"

    @property
    def token(self) -> str:
        return self.step_path.split("/")[2]

    def lost_answers(self) -> int:
        """The number of acknowledged answers that are not in the database."""
        columns = ("judgments__slot__position", "judgments__answer")
        stored = dict(Participant.objects.filter(token=self.token).values_list(*columns))
        return sum(stored.get(position) != answer for position, answer in self.acknowledged.items())

    def take_part(self, visitor: Visitor, slug: str, key: Key) -> None:
        """Take part from the entry to the code, or until this participant leaves."""
        door = f"/t/{slug}/?participant={self.external_id}"
        page = PageReader(visitor.get(door).text)
        reply = visitor.post(door, {**page.fields, "choice": "yes"}) if page.step == "consent" else None
        if reply is None or not reply.path.startswith(ROAD):
            self.outcome = "turned away"
            return
        self.step_path = reply.path
        self._prepare(visitor, reply)
        self._work(visitor, key(self.token), may_leave=self.leaves)

    def come_back(self, visitor: Visitor, key: Key) -> None:
        """Return hours later in the tab that was left open."""
        self._work(visitor, key(self.token), may_leave=False)

    def _prepare(self, visitor: Visitor, reply: PageReply) -> None:
        """Take the steps between the consent and the clips."""
        if PageReader(reply.text).step == "before":
            reply = self._fill_in(visitor, PageReader(reply.text))
        if PageReader(reply.text).step == "sound":
            reply = visitor.post(self.step_path, {"step": "sound", **hear(self.token)})
        reply = visitor.post(self.step_path, {"step": PageReader(reply.text).step})
        if PageReader(reply.text).step == "quiz":
            reply = visitor.post(self.step_path, {"step": "quiz", **quiz_of(self.token)})
        page = PageReader(reply.text)
        if page.step == "practised":
            for clip in page.clips[:1]:
                visitor.get(clip, PIECE)
            visitor.post(self.step_path, {"step": "practised", **self._practice_answer(page)})
            visitor.post(self.step_path, {"step": "practice"})

    def _practice_answer(self, page: PageReader) -> dict[str, str]:
        return {"answer": self.rng.choice(page.answers)}

    def _answer_fields(self, right: dict[int, str], position: int, answers: list[str]) -> dict[str, str]:
        """The fields of an answer at this position."""
        return {"answer": self._say(right, position, answers)}

    def _fill_in(self, visitor: Visitor, page: PageReader) -> PageReply:
        """Answer the author's questions."""
        return visitor.post(self.step_path, {"step": page.step, **answers_to(page.fields["text"], self.rng)})

    def _work(self, visitor: Visitor, right: dict[int, str], *, may_leave: bool) -> None:
        """Answer block after block, continuing at each break."""
        page = self._answer(visitor, right, may_leave=may_leave)
        while self.outcome != "left" and page.step == "break":
            visitor.post(self.step_path, {"step": "break", "block": page.fields["block"]})
            page = self._answer(visitor, right, may_leave=may_leave)

    def _answer(self, visitor: Visitor, right: dict[int, str], *, may_leave: bool) -> PageReader:
        """Answer the clips of this page, and return the page after them."""
        page = PageReader(visitor.get(self.step_path).text)
        last = self.rng.randrange(len(page.positions)) if may_leave and page.positions else None
        tab = self.rng.randrange(len(page.positions)) if self.has_second_tab and page.positions else None
        for count, position in enumerate(page.positions):
            if count == last:
                self.outcome = "left"
                return page
            if count == tab:
                visitor.get(self.step_path)
                self._send(visitor, position, self._answer_fields(right, position, _offered(page, position)))
            self._look(visitor, position)
            self._send(visitor, position, self._answer_fields(right, position, _offered(page, position)))
            if position in page.follow_ups:
                self._follow_up(visitor, position, *page.follow_ups[position])
        end = visitor.get(self.step_path).text
        if PageReader(end).step == "after":
            end = self._fill_in(visitor, PageReader(end)).text
        after = PageReader(end)
        if "data-code" in end:
            self.outcome = "finished"
        else:  # a late return without an answer may find all places taken
            self.outcome = "unfinished" if after.positions else "turned away"
        return after

    def _follow_up(self, visitor: Visitor, position: int, steps: int, asks_why: bool) -> None:
        """Say how sure this participant is, and why, sometimes twice."""
        fields = {"position": str(position), "seconds": f"{1 + self.rng.random():.3f}"}
        fields |= {"confidence": str(self.rng.randint(1, steps))} if steps else {}
        fields |= {"why": "simulated"} if asks_why else {}
        for _ in range(2 if self.rng.random() < self.habits.doubled else 1):
            visitor.post(f"{self.step_path}follow-up/", fields, JSON)

    def _look(self, visitor: Visitor, position: int) -> None:
        """Load what a browser loads before the answer: the question's clip, or the page with its pictures."""
        if self.sees_clips:
            visitor.get(f"{self.step_path}m/{position}", PIECE)
            return
        for address in PageReader(visitor.get(self.step_path).text).pictures:
            visitor.get(address)

    def _say(self, right: dict[int, str], position: int, answers: list[str]) -> str:
        wanted = right.get(position, "")  # unknown for attention items
        if self.rng.random() < self.habits.accuracy and wanted:
            return wanted
        return self.rng.choice([answer for answer in answers if answer != wanted])

    def _send(self, visitor: Visitor, position: int, answer: dict[str, str]) -> None:
        """Post the answer, sometimes twice, and remember what the site acknowledged."""
        seconds = 10 + self.rng.lognormvariate(0.7, 0.5)
        fields = {"position": str(position), **answer, "seconds": f"{seconds:.3f}", "watched": "1.000"}
        for _ in range(2 if self.rng.random() < self.habits.doubled else 1):
            reply = visitor.post(f"{self.step_path}answer/", {**fields, "clock": "simulated"}, JSON)
            if reply.status == 200 and f'"saved": {position}' in reply.text:
                stored = reply.text.partition('"answer": "')[2].partition('"')[0]
                self.acknowledged.setdefault(position, stored)
                self.log(self.token, position, stored)
            else:
                self.refused += 1


def _offered(page: PageReader, position: int) -> list[str]:
    return page.choices.get(position, page.answers)
