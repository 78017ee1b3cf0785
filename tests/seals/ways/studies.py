"""Attacks by an author's own studies: live results, sums of right answers, attention items, pilots, drafts.

Each study comes by plain link and seals nothing; its author is each of its people.
"""

import hashlib
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, milp

from tests.seals.attacker import TAG, Answer, Attacker, Target, send
from tests.seals.ways.clips import addresses_of
from tests.seals.ways.listings import TITLES
from tests.seals.ways.people import Seat, sheet_of

NEW = "/trials/new/?protocol=grasp-plausibility"
ANSWERS_A_CLIP = 5  # where sums are read: enough to leave one way to answer
ATTENTION = 10  # items of a study
DRAFTS = 8


@dataclass
class Study:
    """One of the author's studies, with the clips that its people may recognise."""

    attacker: Attacker
    target: Target
    name: str
    item_of: Mapping[str, str]  # digest of a clip -> its item

    def page(self, rest: str = "") -> str:
        return self.attacker.author.get(f"/trials/{self.name}/{rest}").text

    def press(self, button: str) -> None:
        send(self.attacker.author, f"/trials/{self.name}/manage/{button}/", {})

    @property
    def pilots(self) -> str:
        """The link for pilots."""
        return re.findall(rf"/t/{self.name}/\?pilot=\w+", self.page("manage/"))[0]

    def person(self, number: int) -> str:
        """A participant's link."""
        return f"/t/{self.name}/?participant=person{number}"

    def take_part(self, link: str, choose: Callable[[], str] = lambda: "yes", *, patiently: bool = False) -> "Session":
        """Let somebody take part; before the clips' time has passed no answer counts, and the sheet is asked again."""
        session = Session()

        def answer(seat: Seat) -> str:
            if patiently:
                self.attacker.let_pass(seat.name.partition("/")[0])
            return session.answers.setdefault(self.item_of.get(_digest(seat.clip), ""), choose())

        *_, session.last = sheet_of(self.attacker, link, answer)
        return session


@dataclass
class Session:
    """Somebody's answers in order, by item, and the last page."""

    answers: dict[str, str] = field(default_factory=dict)
    last: Seat | None = None


def _made(attacker: Attacker, target: Target, name: str, pack: str = "", **settings: str) -> Study | None:
    """A draft over the target's pack or another one; None if the site refuses it."""
    options = rf'<option value="(\d+)"[^>]*>[^<]*\b{pack or target.pack}\b'
    found = re.search(options, attacker.author.get(NEW).text)
    fields = {"title": name, "slug": name, "seed": "1", "retention_days": "30", "seal": "false"}
    made = found and send(attacker.author, NEW, {**fields, "pack": found[1], **settings})
    if not made or made.address == NEW.partition("?")[0]:
        return None
    return Study(attacker, target, name, _items_by_clip(attacker, target))


def _items_by_clip(attacker: Attacker, target: Target) -> dict[str, str]:
    return {_digest(attacker.member.get(address)): item for item, address in addresses_of(attacker, target).items()}


def _digest(clip: Answer) -> str:
    return hashlib.sha256(clip.body).hexdigest()


def live_results(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the change of a study's results by test with each sheet, which has one clip of each test."""
    if not (study := _made(attacker, target, "live", replicates="1")):
        return None
    study.press("open")
    found: dict[str, str] = {}
    before: Mapping[str, int] = {}
    for number in range(max(map(list(target.tests.values()).count, TITLES))):
        session = study.take_part(study.person(number), patiently=True)
        attacker.wait()
        after = _right_by_test(study)
        for item in session.answers.keys() & set(target.ids):
            if (test := target.tests[item]) in after:
                found[item] = "yes" if after[test] > before.get(test, 0) else "no"
        before = after
    return found or None


def _right_by_test(study: Study) -> dict[str, int]:
    """How many clips of each test people were right about, by the table of results."""
    found = {}
    for row in map(_words, study.page().split("<tr>")):
        for test, title in TITLES.items():
            if seen := re.search(rf"{re.escape(title)} (?:\(.*?\) )?(\d+) % .*? (\d+) / \d+", row):
                found[test] = round(int(seen[1]) / 100 * int(seen[2]))
    return found


def own_scores(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from what the last page tells each person of all answers together."""
    if not (study := _made(attacker, target, "sums", replicates=str(ANSWERS_A_CLIP))):
        return None
    study.press("open")

    def right(session: Session) -> int | None:
        seen = re.search(r"You were right on (\d+) of", session.last.page if session.last else "")
        return int(seen[1]) if seen else None

    return _from_sums(study, map(study.person, range(_sheets(target))), right)


def pilots(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the share of right answers of a draft's pilots, which the page that plans its size starts from."""
    if not (study := _made(attacker, target, "pilots", replicates="1")):
        return None
    so_far = [0]

    def right(session: Session) -> int | None:
        page = study.page("plan/")
        share = re.search(r'name="share" value="([\d.]+)"', page)
        answers = re.search(r"Started from the pilot: \d+ people, (\d+) answers", _words(page))
        if not (share and answers):
            return None  # too few pilots
        so_far.append(round(float(share[1]) / 100 * int(answers[1])))
        return so_far[-1] - so_far[-2]

    return _from_sums(study, (study.pilots for _ in range(_sheets(target))), right)


def _sheets(target: Target) -> int:
    return ANSWERS_A_CLIP * max(map(list(target.tests.values()).count, TITLES))


def _from_sums(study: Study, links: Iterator[str], right: Callable[[Session], int | None]) -> dict[str, str] | None:
    """Guesses from how many answers were right, of one person or of all since the last time that it was told."""
    target, chance = study.target, random.Random(study.name)
    place = {item: number for number, item in enumerate(target.ids)}
    rows, sums = [np.zeros(len(place))], [0]
    for link in links:
        session = study.take_part(link, lambda: chance.choice(target.options), patiently=True)
        for item, answer in session.answers.items():
            if item in place:
                rows[-1][place[item]] += 1 if answer == target.options[0] else -1
            # The n right of a person are those to known items, and of each other item (1 + sign × label) / 2.
            sums[-1] -= 1 if item in place else 2 * (answer == target.known.get(item))
        if (n := right(session)) is not None:
            sums[-1] += 2 * n
            rows.append(np.zeros(len(place)))
            sums.append(0)
    is_first = _solved(np.array(rows[:-1]), np.array(sums[:-1]))
    return {item: target.options[0 if is_first[number] else 1] for item, number in place.items()} if is_first else None


def _solved(rows: NDArray[np.float64], sums: NDArray[np.float64]) -> list[bool] | None:
    """Labels of 1 (True) or -1 whose sums with these signs are those; None if there are none."""
    if not len(rows):
        return None
    # rows @ (2 x - 1) = sums, with each x 0 or 1
    wanted = (sums + rows.sum(1)) / 2
    free = np.zeros(rows.shape[1])
    found = milp(free, integrality=free + 1, bounds=(0, 1), constraints=LinearConstraint(rows, wanted, wanted))
    return None if found.x is None else [x > 0.5 for x in found.x]


def attention_items(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from an author's page on a participant, which says which attention items somebody got right."""
    found: dict[str, str] = {}
    for number, start in enumerate(range(0, len(target.ids), ATTENTION)):
        ids = target.ids[start : start + ATTENTION]
        named = {"attention": f"{target.pack}:{','.join(ids)}", "attention_items": str(len(ids))}
        named |= {"replicates": "1", "per_test": "2", "pack": "open"}  # a study's own questions are no attention items
        if study := _made(attacker, target, f"attention{number}", **named):
            study.press("open")
            session = study.take_part(study.person(0))
            order = [item for item in session.answers if item in ids]
            found |= dict(zip(order, _results_of_attention(study), strict=False))
    return found or None


def _results_of_attention(study: Study) -> list[str]:
    """The right answers by the page of the study's only person, who answered yes to all."""
    if not (person := re.search(rf"/trials/{study.name}/(people/\w+/)", study.page("people/"))):
        return []  # it could not be opened
    part = study.page(person[1]).partition("Attention items</dt>")[2].partition("</dd>")[0]
    return ["no" if "missed" in one else "yes" for one in _words(part).split(";") if "not measured" not in one]


def drafts(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from what drafts with other seeds would ask: of each test one clip of each half, if halves tell."""
    found: dict[str, str] = {}
    for seed in range(DRAFTS):
        if not (study := _made(attacker, target, f"draft{seed}", seed=str(seed), replicates="1", per_test="2")):
            return None
        link, asked = study.pilots, defaultdict[str, set[str]](set)
        for session in (study.take_part(link), study.take_part(link)):
            for item in session.answers:
                asked[target.tests[item]].add(item)
        for items in asked.values():
            if known := items & target.known.keys():
                other = target.other(target.known[known.pop()])
                found |= dict.fromkeys(items & set(target.ids), other)
    return found or None


def _words(page: str) -> str:
    return " ".join(TAG.sub(" ", page).split())
