"""A red team: how often programs are flagged, and people; and each detector is needed for one of them."""

import random
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import expect

from humantrials.judging import programs
from humantrials.judging.exclusion_rules import planned
from humantrials.judging.programs import DETECTORS, copies, signs_of
from tests.humantrials.browser_participant import Seat
from tests.humantrials.fixtures import physics_pack, running_trial
from tests.humantrials.judging.test_viewing_evidence import CLIPS, Behaviour, behave, names

SESSIONS, LENGTH = 500, 8.0  # sessions of each kind; seconds of a clip
Session = list[dict[str, Any]]


def answers(rng: random.Random, wait: Callable[[], float], n: int = CLIPS, **records: Any) -> Session:
    """A session of n answers: the time after each clip's end, and what its page recorded."""
    found = []
    for _ in range(n):
        after = max(0.02, wait())
        found.append({"seconds": round(LENGTH + after, 3), "after_end": round(after, 3), "inputs": 9, **records})
    return found


def person(rng: random.Random) -> Session:
    """Times of decisions are skewed to the right; the median person takes 1.2 s, and people differ."""
    middle, spread = rng.lognormvariate(0.2, 0.4), rng.uniform(0.35, 0.9)
    own = answers(rng, lambda: middle * rng.lognormvariate(0, spread))
    for one in own:
        one["inputs"] = rng.randint(1, 300)
    return own + checks(rng, looker(rng), pairs=6, again=6, options=2)


def plain_http(rng: random.Random) -> Session:
    return [{"seconds": None} for _ in range(CLIPS)]


def forged_http(rng: random.Random) -> Session:
    """Plain HTTP that claims times, without the fields that it does not know."""
    return [{"seconds": LENGTH + rng.lognormvariate(0, 0.5)} for _ in range(CLIPS)]


def headless(rng: random.Random) -> Session:
    wait = rng.choice((lambda: 1.0 + rng.uniform(-0.05, 0.05), lambda: rng.gauss(1.2, 0.4)))
    return answers(rng, wait, automation="webdriver headless", inputs=2)


def headed(rng: random.Random) -> Session:
    """In view, with waits as people have them; the driver says what it is."""
    return answers(rng, lambda: rng.lognormvariate(0.2, 0.5), automation="webdriver", inputs=4)


def reads_text(rng: random.Random) -> Session:
    """An agent in a browser that hides its driver, and does what the page's source asks of programs."""
    return [{**one, "remark": "yes"} for one in answers(rng, lambda: rng.lognormvariate(1.0, 0.5), inputs=4)]


def presses_by_script(rng: random.Random) -> Session:
    """A script in the page itself: no hand touches anything."""
    return answers(rng, lambda: rng.lognormvariate(0.2, 0.5), inputs=0)


def paced(rng: random.Random) -> Session:
    """A browser that hides its driver and waits by the clock."""
    pause = rng.uniform(0.5, 2.0)
    return answers(rng, lambda: pause * rng.gauss(1, 0.08), inputs=4)


def checks(rng: random.Random, answer: Callable[[int, int], int], *, pairs: int, again: int, options: int) -> Session:
    """Attention items: both clips of so many pairs, and so many questions twice.

    `answer` gets the right answer and the number of answers.
    """
    draws = [rng.sample(range(options), 2) for _ in range(pairs + again)]
    found = [(2 * n + place, f"pair {n}", draws[n][place]) for n in range(pairs) for place in range(2)]
    found += [(-1 - n, "", draws[pairs + n][0]) for n in range(again) for _ in range(2)]
    session = answers(rng, lambda: rng.lognormvariate(0.2, 0.6), n=len(found))
    for one, (item, pair, right) in zip(session, found, strict=True):
        given = answer(right, options)
        one |= {"item": item, "pair": pair, "answer": given, "options": options, "is_right": given == right}
    return session


def looker(rng: random.Random) -> Callable[[int, int], int]:
    """Somebody who errs at one easy question of twenty."""
    return lambda right, options: right if rng.random() < 0.95 else (right + 1) % options


def guesser(rng: random.Random) -> Callable[[int, int], int]:
    return lambda right, options: rng.randrange(options)


def reader(rng: random.Random) -> Callable[[int, int], int]:
    """The same question has the same answer, whatever the clip shows."""
    return lambda right, options: 0


def reads_question(rng: random.Random) -> Session:
    """An agent that hides its driver, waits as people do and never looks, in a study with six pairs of twins."""
    return watches_frames(rng) + checks(rng, reader(rng), pairs=6, again=0, options=2)


def guesses_again(rng: random.Random) -> Session:
    """The same agent, guessing, in a study that asks six of its questions of four answers twice."""
    return watches_frames(rng) + checks(rng, guesser(rng), pairs=0, again=6, options=4)


def watches_frames(rng: random.Random) -> Session:
    """An agent that hides its driver, looks at frames and waits as people do: nothing here tells it from a person."""
    return answers(rng, lambda: rng.lognormvariate(1.0, 0.5), inputs=rng.randint(3, 40))


KINDS = {
    "plain HTTP": plain_http,
    "HTTP, forged times": forged_http,
    "headless browser": headless,
    "browser in view, human-like waits": headed,
    "agent that reads the page's text": reads_text,
    "script in the page": presses_by_script,
    "hidden driver, even waits": paced,
    "agent that reads the question alone": reads_question,
    "agent that guesses, asked twice": guesses_again,
    "agent that watches frames": watches_frames,
    "people": person,
}
FOUND = [kind for kind in KINDS if kind not in ("people", "agent that watches frames")]
# The kind that only this detector finds.
NEEDS = {
    "steered": "browser in view, human-like waits",
    "without-script": "plain HTTP",
    "without-input": "script in the page",
    "regular": "hidden driver, even waits",
    "trapped": "agent that reads the page's text",
    "misses-twins": "agent that reads the question alone",
    "inconsistent": "agent that guesses, asked twice",
}


def rate(kind: str, only: str = "") -> float:
    """The share of sessions of this kind that are flagged, by any detector or by one alone."""
    rng = random.Random(f"{kind}/7")
    sessions = [KINDS[kind](rng) for _ in range(SESSIONS)]
    return sum(bool(DETECTORS[only](own) if only else signs_of(own)) for own in sessions) / SESSIONS


def test_programs_are_flagged_and_people_are_not():
    print("\n| session | flagged |", *(f"{name} |" for name in DETECTORS))
    for kind in KINDS:
        print(f"| {kind} | {rate(kind):.0%} |", *(f"{rate(kind, name):.0%} |" for name in DETECTORS))
    assert all(rate(kind) >= 0.95 for kind in FOUND)
    assert rate("people") <= 0.05


@pytest.mark.parametrize("detector", DETECTORS)
def test_each_detector_is_needed(monkeypatch, detector):
    left = {name: one for name, one in DETECTORS.items() if name != detector}
    assert rate(NEEDS[detector]) >= 0.95
    monkeypatch.setattr(programs, "DETECTORS", left)
    assert rate(NEEDS[detector]) <= 0.05


@pytest.mark.parametrize(("detector", "options"), [("misses-twins", 2), ("inconsistent", 2), ("inconsistent", 4)])
def test_people_pass_and_who_guesses_is_found_the_more_often_the_more_is_asked(detector, options):
    found: dict[str, list[float]] = {}
    for who, n in product((looker, guesser, reader), (1, 2, 4, 6, 10)):
        rng = random.Random(f"{detector}/{n}")
        pairs, again = (n, 0) if detector == "misses-twins" else (0, n)
        sessions = [checks(rng, who(rng), pairs=pairs, again=again, options=options) for _ in range(2 * SESSIONS)]
        share = sum(bool(DETECTORS[detector](own)) for own in sessions) / len(sessions)
        found.setdefault(who.__name__, []).append(share)
    print(*(f"\n{detector}, {options} | {who} | {[f'{share:.0%}' for share in own]}" for who, own in found.items()))
    assert max(found["looker"]) <= 0.05
    assert found["guesser"] == sorted(found["guesser"])
    assert found["guesser"][0] == 0  # one pair or question proves nothing


def test_copies_of_one_session_are_found_among_people():
    rng = random.Random(3)
    times = {number: [one["seconds"] for one in person(rng)] for number in range(SESSIONS)}
    assert copies(times) == {}
    coarse = {number: [round(time, 1) for time in own] for number, own in times.items()}
    assert len(copies(coarse)) <= 0.05 * SESSIONS  # browsers that tell tenths of a second
    copied = times | {SESSIONS: times[0], SESSIONS + 1: [*times[1][:30], *times[2][30:]]}
    assert set(copies(copied)) == {0, 1, SESSIONS, SESSIONS + 1}


@pytest.mark.django_db
def test_a_sign_is_a_flag_with_its_figure_and_leaves_out_only_where_a_rule_says_so(staff):
    pack = physics_pack(tests=CLIPS)
    steered = Behaviour(records=(("automation", "webdriver"),))
    for slug, rules, is_out in (("plain", "", False), ("ruled", "program", True)):
        trial = running_trial(pack, slug=slug, replicates=1, **({"rules": rules} if rules else {}))
        person = behave(trial, steered)
        assert names(trial, person) == {"program"}
        assert "webdriver in 16 of 16 answers" in staff.get(f"/trials/{slug}/people/{person.code}/").content.decode()
        assert person.completion_code
        assert ("program" in planned(trial)) is is_out


@pytest.mark.browser
def test_a_browser_that_is_steered_says_so_in_what_its_page_records(seat: Seat):
    (stored,) = seat.reach_trials().watch().save()
    assert "webdriver" in stored["playback"]["automation"].split()
    assert "untrusted" not in stored["playback"]["automation"]
    assert stored["playback"]["inputs"] > 0
    seat.watch()
    seat.page.wait_for_timeout(1100)
    seat.answers.first.evaluate("(button) => button.click()")
    expect(seat.outbox).to_have_text("Saved: video 2")
    assert "untrusted" in seat.judgments()[1]["playback"]["automation"].split()
