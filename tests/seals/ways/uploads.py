"""Attacks by uploads, before anything is listed: reports on refused files, and scores of stored ones."""

import re
from collections.abc import Iterator
from typing import Any

from tests.seals.attacker import Answer, Attacker, Target
from tests.seals.learning import guesses, with_absent

NUMBER = re.compile(r"\d+(?:\.\d+)?")
CELL = re.compile(r"<t[rdh][^>]*>|\n|</?(?:dd|dt|li|p)[^>]*>")
SEEDS, HALF = 16, 8
WEIGHTS = (1, 2, 4, 8)  # so many answers of 16 above half; their signed sum in the score reveals each of four answers


def report_page(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from the report on a file with one answer, which is refused but has a table of the answers."""
    return _one_by_one(attacker, target, by_page=True)


def report_of_the_api(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """The same by the API, which also returns a dry-run score."""
    return _one_by_one(attacker, target, by_page=False)


def _one_by_one(attacker: Attacker, target: Target, *, by_page: bool) -> dict[str, str] | None:
    items = [*target.ids, *target.told]
    found = {}
    for item in items:
        answer = attacker.upload(target, [{"item": item, "answer": target.options[0]}], by_page=by_page)
        found[item] = set(_said(answer, item))
    return guesses(target, with_absent(found, items))


def _said(answer: Answer, item: str) -> Iterator[str]:
    """Everything in the response, by table row or line, without names and lists of missing items."""
    yield f"status {answer.status}"
    if "json" in answer.headers.get("content-type", ""):
        facts = answer.json()
        problems = facts.pop("problems", []) if isinstance(facts, dict) else []
        yield f"{len(problems)} problems"
        yield from (f"{problem['line']} {problem['what']}" for problem in problems if problem.get("line"))
        yield str(facts).replace(item, "ITEM")
        return
    text = re.sub(r"(?s)<tbody>.*?</tbody>", "", answer.text, count=1)  # the problems: one line for each missing item
    for row in re.split(r"</tr>|</dd>|</p>|</li>", text):
        words = " ".join(re.sub(r"<[^>]*>", " ", row).split())
        yield re.sub(r"Guess \d+", "Guess", words.replace(item, "ITEM"))


def weights_by_seeds(attacker: Attacker, target: Target) -> dict[str, str] | None:
    """Guesses from complete files in which four items have different weights, which the score adds up."""
    return _weighed(attacker, target, files=-(-len(target.ids) // len(WEIGHTS)))


def _weighed(attacker: Attacker, target: Target, *, files: int) -> dict[str, str] | None:
    every = wanted_items(attacker, target)
    found: dict[str, str] = {}
    for start in range(0, files * len(WEIGHTS), len(WEIGHTS)):
        chosen = target.ids[start : start + len(WEIGHTS)]
        yes = {item: HALF + weight for item, weight in zip(chosen, WEIGHTS, strict=False)}
        rows = [
            {"item": item, "seed": seed, "answer": target.options[0 if seed < yes.get(item, HALF) else 1]}
            for item in every
            for seed in range(SEEDS)
        ]
        answer = attacker.upload(target, rows)
        for score in _scores(attacker, answer):
            if told := decoded(score, len(every) * SEEDS, len(chosen)):
                found |= {
                    item: target.options[0] if is_first else target.options[1]
                    for item, is_first in zip(chosen, told, strict=True)
                }
                break
        if not found:
            return None  # if the first file revealed nothing, the others won't
    return found


def decoded(score: float, rows: int, chosen: int) -> list[bool] | None:
    """Whether each weight was added (True) or subtracted; None if the score is no such sum."""
    total = score * rows
    if abs(total - round(total)) > 1e-6:
        return None
    rest = round(total) - rows // 2
    signs = []
    for weight in WEIGHTS[:chosen][::-1]:
        signs.append(rest > 0)
        rest -= weight if rest > 0 else -weight
    return signs[::-1] if rest == 0 else None


def _scores(attacker: Attacker, answer: Answer) -> Iterator[float]:
    """Every share between 0 and 1 that any page or response has about the stored file."""
    facts = answer.json()
    yield from numbers(facts)
    if run := facts.get("run"):
        for address in (f"/runs/{run}/card.json", "/api/v1/submissions/"):
            yield from numbers(attacker.member.get(address).json())
        for address in (f"/submit/{run}/", f"/runs/{run}/", f"/runs/{run}/?part=live"):
            yield from (float(number) / 100 for number in NUMBER.findall(attacker.member.get(address).words))


def numbers(facts: Any) -> Iterator[float]:
    """All floats between 0 and 1 anywhere in these facts."""
    if isinstance(facts, dict):
        facts = list(facts.values())
    if isinstance(facts, list):
        for each in facts:
            yield from numbers(each)
    elif isinstance(facts, float) and 0 < facts < 1:
        yield facts


def wanted_items(attacker: Attacker, target: Target) -> list[str]:
    """Every item that a file must answer, read from the submission template."""
    header = {name: value for name, value in target.header.items() if name not in ("model", "benchmark", "pack")}
    query = "&".join(f"{name}={value}" for name, value in header.items())
    lines = attacker.member.get(f"/submit/empty/?pack={target.benchmark}/{target.pack}&{query}").text.splitlines()
    return re.findall(r'"item": "([a-z0-9]+)"', "\n".join(lines))
