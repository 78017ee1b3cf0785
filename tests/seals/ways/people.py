"""Attacks by taking part: the order of clips on a sheet, the files that are played, and attention items of a study."""

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import av
import numpy as np
from numpy.typing import NDArray

from benchmarks.definitions.papers.grasp_prompts import LEVEL_2 as QUESTIONS
from humantrials.protocols.designs.balanced import PoolItem, draw_by_group, one_of_each_group_evened
from humantrials.simulation.browser import PageReader
from tests.seals.attacker import AT_FULL_SIZE, TAG, Answer, Attacker, Target, downloaded, manifest_of, send
from tests.seals.learning import rule_of
from tests.seals.ways import clips
from tests.seals.ways.ids import draw_key_of, official_keys

PARTICIPANTS = 4 if AT_FULL_SIZE else 2  # with a slot for each test
SEEDS, REPLICATES, OF_A_FOLDER = range(6), range(1, 4), range(1, 6)  # likely settings of a study

# The question in each test's prompt, which people are asked word for word.
ASKED = {
    test: next(part for part in re.split(r"(?<=[.?!])\s+", text) if part.endswith("?"))
    for test, text in QUESTIONS.items()
}


@dataclass
class Seat:
    """One slot of a sheet, as its participant saw it."""

    name: str  # "TOKEN/POSITION"
    page: str
    clip: Answer


def design_from_the_source(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the study's design, drawn again from guessed seeds and from ids computed from official keys.

    If a sheet of the design asks in the order that a participant saw, its answers are known.
    """
    manifest = manifest_of(attacker, target)
    key_of = {draw_key_of(target.benchmark, manifest, key): key for key, _ in official_keys(target)}
    seats = seats_of(attacker)
    best: dict[str, str] = {}
    for design in _designs(key_of):
        if len(found := _fitting(seats, design, key_of)) > len(best):
            best = found
    return best or None


def first_pictures(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from public clips that begin with the same picture: a twin has the other answer."""
    public = [(_first_picture(clip.body), item) for item, clip in public_clips(attacker, target)]
    found = {}
    for seat in (seat for seats in seats_of(attacker) for seat in seats):
        own = _first_picture(seat.clip.body)
        nearest = sorted((float(np.abs(picture - own).mean()), item) for picture, item in public)[:2]
        if len(nearest) == 2 and nearest[0][0] < nearest[1][0] / 2:
            found[seat.name] = target.other(_told_by_its_page(attacker, target, nearest[0][1]))
    return found or None


def public_clips(attacker: Attacker, target: Target) -> Iterator[tuple[str, Answer]]:
    """Each item of the pack whose clip anybody may see, with that clip."""
    for row in downloaded(attacker.visitor, target):
        if row["clip"]:
            yield row["item"], attacker.visitor.get(row["clip"])


def _first_picture(body: bytes) -> NDArray[np.float64]:
    with av.open(io.BytesIO(body), "r") as container:
        return next(container.decode(video=0)).to_ndarray(format="rgb24").astype(float)


def _told_by_its_page(attacker: Attacker, target: Target, item: str) -> str:
    page = attacker.visitor.get(f"/benchmarks/{target.benchmark}/items/{item}/?answer=1").text
    found = re.search(r'class="head-answer">(\w+)<|Right answer: <b>(\w+)<', page)
    return (found[1] or found[2]).lower() if found else ""


def _fitting(seats: list[list["Seat"]], design: Sequence, key_of: Mapping[str, str]) -> dict[str, str]:
    """The answers of the seats whose order of questions is in the design."""
    # The first page contains the questions of all tests; the others are enough to distinguish sheets.
    sheets = {tuple(ASKED[_test_of(key_of[slot.item])] for slot in sheet[1:]): sheet for sheet in design}
    found = {}
    for sheet in seats:
        for seat, slot in zip(sheet, sheets.get(tuple(asked_on(seat.page) for seat in sheet[1:]), ()), strict=False):
            found[seat.name] = "no" if "/IP_" in key_of[slot.item] else "yes"
    return found


def _designs(key_of: Mapping[str, str]) -> Iterator[Sequence]:
    """Every design with small settings."""
    name_of = {key: name for name, key in key_of.items()}
    for in_folder in OF_A_FOLDER:
        pool = [
            PoolItem(name, _test_of(key), "implausible" if "/IP_" in key else "plausible", pair=_pair_of(key, name_of))
            for name, key in sorted(key_of.items())
            if int(key.rpartition("/")[2]) < in_folder
        ]
        for seed in SEEDS:
            for wanted in range(2, 2 * in_folder + 1, 2):
                drawn = set(draw_by_group(pool, wanted, seed))
                for replicates in REPLICATES:
                    yield one_of_each_group_evened([one for one in pool if one.item in drawn], replicates, seed)


def _pair_of(key: str, name_of: Mapping[str, str]) -> str:
    return min(name_of[key.replace("/IP_", "/P_")], name_of[key.replace("/P_", "/IP_")])


def _test_of(key: str) -> str:
    return key.split("/")[1].partition("_")[2]


def asked_on(page: str) -> str:
    """The question of a test that is on the page; "" if there is none."""
    return next((question for question in ASKED.values() if question in page), "")


def files_of_seats(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the files that are played, by a rule learned on the files of open items."""
    rule = rule_of(target, clips.features_of(attacker, target), target.public)
    if rule is None:
        return None
    guesses = {
        seat.name: rule.guess(dict(clips.features(seat.clip, seat.clip)))
        for seats in seats_of(attacker)
        for seat in seats
    }
    return {name: guess for name, guess in guesses.items() if guess} or None


def seats_of(attacker: Attacker) -> list[list[Seat]]:
    """The slots that several participants see, from entry to the last clip."""
    names = [f"guess{attacker.uploads}-{number}" for number in range(PARTICIPANTS)]
    return [list(sheet_of(attacker, f"/t/{attacker.study}/?participant={name}"))[:-1] for name in names]


def sheet_of(attacker: Attacker, entry: str) -> Iterator[Seat]:
    """The slots that a newcomer sees who comes by this link and answers yes to each clip; then the last page."""
    door = attacker.newcomer()
    road = door.post(entry, {**reader_of(door.get(entry)).fields, "choice": "yes"}).address
    token = road.split("/")[2]
    attacker.tokens.append(token)
    page = door.post(road, {"step": "instructions"})
    if reader_of(page).step == "practised":
        page = door.post(road, {"step": "practised", "answer": reader_of(page).answers[0]})
    page = door.post(road, {"step": "practice"})
    while positions := reader_of(page).positions:
        yield Seat(f"{token}/{positions[0]}", page.words, door.get(f"{road}m/{positions[0]}"))
        fields = {"position": str(positions[0]), "answer": "yes", "seconds": "0.5"}
        page = door.post(f"{road}answer/", fields)
    yield Seat("", page.words, page)


def reader_of(page: Answer) -> PageReader:
    return PageReader(page.body.decode())


# --- an author's own study, which comes by plain link and seals nothing ---

NEW = "/trials/new/?protocol=grasp-plausibility"
ATTENTION = 10  # items of a study


def attention_items(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from an author's page on a participant, which says which attention items somebody got right."""
    addresses = clips.addresses_of(attacker, target)
    item_of = {attacker.member.get(address).body: item for item, address in addresses.items()}
    options = re.search(r'<option value="(\d+)"[^>]*>[^<]*\bopen\b', attacker.author.get(NEW).text)
    found: dict[str, str] = {}
    for start in range(0, len(target.ids), ATTENTION):
        ids, name = target.ids[start : start + ATTENTION], f"attention{start}"
        named = {"attention": f"{target.pack}:{','.join(ids)}", "attention_items": str(len(ids)), "per_test": "2"}
        named |= {"title": name, "slug": name, "seed": "1", "retention_days": "30", "seal": "false", "replicates": "1"}
        made = options and send(attacker.author, NEW, named | {"pack": options[1]})  # no item of the attention's pack
        if made and made.address != NEW.partition("?")[0]:  # else the site refuses it
            send(attacker.author, f"/trials/{name}/manage/open/", {})
            *seats, _ = sheet_of(attacker, f"/t/{name}/?participant=person")
            order = [item for seat in seats if (item := item_of.get(seat.clip.body, "")) in ids]
            found |= dict(zip(order, _results_of_attention(attacker, name), strict=False))
    return found or None


def _results_of_attention(attacker: Attacker, name: str) -> list[str]:
    """The right answers by the page of the study's only person, who answered yes to all."""
    people = attacker.author.get(f"/trials/{name}/people/").text
    if not (person := re.search(rf"/trials/{name}/people/\w+/", people)):
        return []  # it could not be opened
    part = attacker.author.get(person[0]).text.partition("Attention items</dt>")[2].partition("</dd>")[0]
    words = " ".join(TAG.sub(" ", part).split())
    return ["no" if "missed" in one else "yes" for one in words.split(";") if "not measured" not in one]
