"""Votes from worlds whose truth is known, and boards with one planted defect each (the dials of arenakit 0.1.1)."""

from itertools import combinations

import numpy as np

from measures.ratings.bradley_terry import Votes

SKILLS = np.linspace(1.2, -1.2, 6)
EVEN = {"votes": 6_000, "skills": SKILLS, "ties": 0.1, "people": 400, "prompts": 200}
LOUD = 0  # the person who casts many votes


def _odds(random, skills, people, sigma):
    return random.normal(0.0, sigma, (people, len(skills)))


def planted(seed=0, **dials):
    """Votes on six rows, drawn one at a time, with the dials of `EVEN` unless another is given."""
    known = {"order": 0.0, "favoured": None, "hedger": None, "pools": [range(6)], "weights": np.ones(6)}
    known |= {"tastes": 0.0, "heavy": (0, 0.0, 0.0), "loud": None, "cycle": False} | EVEN | dials
    random = np.random.default_rng(seed)
    tastes = _odds(random, known["skills"], known["people"], known["tastes"])
    heavy, heavy_share, heavy_tastes = known["heavy"]
    tastes[:heavy] = _odds(random, known["skills"], heavy, heavy_tastes)
    if known["loud"]:
        liked, disliked, odds = known["loud"]
        tastes[LOUD] = 0.0
        tastes[LOUD, [liked, disliked]] = odds / 2, -odds / 2
        heavy, heavy_share = 1, 0.35
    rows = []
    for _ in range(known["votes"]):
        pool = np.array(known["pools"][random.integers(len(known["pools"]))])
        weights = known["weights"][pool] / known["weights"][pool].sum()
        first, second = random.choice(pool, 2, replace=False, p=weights)
        if known["favoured"] in (first, second) and (first == known["favoured"]) != (random.random() < 0.98):
            first, second = second, first
        person = random.integers(heavy) if heavy and random.random() < heavy_share else random.integers(known["people"])
        odds = known["skills"][first] - known["skills"][second] + known["order"]
        if known["cycle"] and max(first, second) < 3:
            odds = 1.0 if (second - first) % 3 == 1 else -1.0
        odds += tastes[person, first] - tastes[person, second]
        ties = 0.85 if known["hedger"] in (first, second) else known["ties"]
        share = 0.5 if random.random() < ties else float(random.random() < 1 / (1 + np.exp(-odds)))
        rows.append((first, second, share, person, random.integers(known["prompts"])))
    first, second, share, people, prompts = map(np.array, zip(*rows, strict=True))
    return Votes(first, second, share.astype(float), people, prompts)


def moved(row, by):
    skills = SKILLS.copy()
    skills[row] += by
    return skills


# Each defect's dials, and the findings that name it.
DEFECTS = {
    "too few votes": ({"votes": 200}, {"unseparated", "wide-ranks"}),
    "first place favoured": (
        {"order": 0.9, "favoured": 2, "skills": moved(2, 0.33)},
        {"first-place", "first-place-decides"},
    ),
    "a row that draws": ({"hedger": 4}, {"ties-decide"}),
    "rock, paper, scissors": ({"cycle": True}, {"cycles"}),
    "two pools": ({"pools": [range(3), range(3, 6)]}, {"unconnected"}),
    "lopsided": ({"weights": np.exp(-0.6 * np.arange(6) * 8 / 5)}, {"uneven"}),
    "a few power voters": ({"people": 300, "tastes": 0.15, "heavy": (6, 0.35, 0.8)}, {"clustered"}),
    "one loud person": ({"people": 40, "skills": moved(3, 0.48), "loud": (3, 2, 4.0)}, {"clustered", "one-person"}),
}


def crossed_votes(random, skills, *, people, prompts, each):
    """Every pair of rows on every prompt `each` times, in both orders; prompts and people have tastes of their own."""
    of_prompts, of_people = random.normal(0, 0.5, (prompts, len(skills))), random.normal(0, 0.3, (people, len(skills)))
    pairs = [
        (*pair, at, turn)
        for at in range(prompts)
        for pair in combinations(range(len(skills)), 2)
        for turn in range(each)
    ]
    one, other, prompt, turn = np.array(pairs).T
    first, second = np.where(turn % 2, one, other), np.where(turn % 2, other, one)
    person = random.integers(people, size=len(first))
    worth = skills + of_prompts[prompt] + of_people[person]
    rows = np.arange(len(first))
    odds = worth[rows, first] - worth[rows, second] + 0.2
    share = np.where(random.random(len(rows)) < 0.2, 0.5, random.random(len(rows)) < 1 / (1 + np.exp(-odds)))
    return Votes(first, second, share.astype(float), person, prompt)
