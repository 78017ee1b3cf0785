"""Predicts the next image from the words of a pattern only. It shares no code with the generators.

Each solver reads the numbers of the images and the stated rule, and applies the rule to the images, which detects texts
whose numbers do not follow their rule. It returns the facts that the prediction must state.
"""

import re

NAMES = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
WORDS = {word: number for number, word in enumerate(NAMES)}
UP_DOWN = {"up": (-1, 0), "down": (1, 0), "to the left": (0, -1), "to the right": (0, 1)}


class Unsolved(AssertionError):
    """The pattern can't be read, or its numbers do not follow its rule."""


def facts_in(text):
    """Times, numbers and names of colours, in order."""
    return re.findall(r"\d+:\d\d|\d+|\b(?:red|orange|yellow|green|blue|purple|pink|brown|black|grey)\b", text)


def solve(scenario, pattern):
    """The facts of the prediction, in the order in which it states them."""
    return SOLVERS[scenario](pattern)


def found(form, text):
    match = re.search(form, text)
    if not match:
        raise Unsolved(f"{form!r} is not in {text!r}")
    return match.groups()


def number(text):
    return int(text) if text.isdigit() else WORDS[text]


def series(text):
    return [int(one) for one in re.findall(r"\d+", text)]


def agree(told, worked_out):
    if told != worked_out:
        raise Unsolved(f"told are {told}, and the rule gives {worked_out}")


def continued(shown, step, ring=None):
    """The number after those shown, each of which is by this step from the one before, on a ring of this length."""
    *worked_out, following = (shown[0] + step * place for place in range(len(shown) + 1))
    agree(shown, [one % ring for one in worked_out] if ring else worked_out)
    return following % ring if ring else following


def clock(pattern):
    hours, times, way, lasting = found(r"(\d+)-hour .* it reads (.*?): from .* it goes (on|back) by (.*)\.$", pattern)
    shown = [int(hour) * 60 + int(minute) for hour, minute in re.findall(r"(\d+):(\d+)", times)]
    step = sum(
        int(count) * (60 if unit.startswith("hour") else 1) for count, unit in re.findall(r"(\d+) (\w+)", lasting)
    )
    step, day = (step if way == "on" else -step), int(hours) * 60
    hour, minute = divmod(continued([time % day for time in shown], step, day), 60)
    return [f"{hour:02}:{minute:02}" if hours == "24" else f"{hour or 12}:{minute:02}"]


def numbers(pattern):
    told, rule = found(r"the numbers are (.*?): (.*)\.$", pattern)
    shown = series(told)
    rest = series(rule)
    steps = {
        "each is .* more": lambda before: before[-1] + rest[0],
        "each is .* less": lambda before: before[-1] - rest[0],
        "each is twice": lambda before: before[-1] * 2,
        "each is three times": lambda before: before[-1] * 3,
        "each is half": lambda before: before[-1] // 2,
        "first .* is added, and then": lambda before: before[-1] + rest[0] + rest[1] * (len(before) - 1),
        "by turns": lambda before: before[-1] + (rest[0] if len(before) % 2 else -rest[1]),
        "from the third on": lambda before: before[-1] + before[-2],
    }
    following = next(step for form, step in steps.items() if re.match(form, rule))
    begun = 2 if rule.startswith("from the third") else 1
    worked_out = shown[:begun]
    while len(worked_out) < len(shown):
        worked_out.append(following(worked_out))
    agree(shown, worked_out)
    return [str(following(shown))]


def quantity(pattern):
    if "pizza" in pattern:
        _, told, step, way = found(r"into (\w+) slices.* on the plate is (.*?): (\w+) slices? (.*?) from one", pattern)
        return [str(continued(series(told), number(step) * (-1 if "taken" in way else 1)))]
    if "above" in pattern:
        one, other = re.findall(r"show (\w+) .* above and (\w+) ", pattern)[0]
        up, rule, down, other_rule = found(
            r"above is ([\d, and]+), as there (.*?) in each image, and .* below is ([\d, and]+), as there (.*?) in",
            pattern,
        )
        return [
            fact
            for told, what, colour in ((up, rule, one), (down, other_rule, other))
            for fact in (str(_next_count(series(told), what)), colour)
        ]
    colour, told, rule = found(r"images show (\w+) .* number is (.*?): there (.*?) in each image", pattern)
    return [str(_next_count(series(told), rule)), colour]


def _next_count(shown, rule):
    if "twice" in rule or "half" in rule:
        agree(shown[1:], [count * 2 if "twice" in rule else count // 2 for count in shown[:-1]])
        return shown[-1] * 2 if "twice" in rule else shown[-1] // 2
    size, way = found(r"(?:is|are) (\w+) (more|fewer)", rule)
    return continued(shown, number(size) * (1 if way == "more" else -1))


def rotation(pattern):
    if "on the left" in pattern:
        images, step = found(r"Each of these (\w+) images .* each by (\d+) degrees", pattern)
        one, other = re.findall(r"turns (clockwise|anticlockwise)", pattern)
        turned = number(images) * int(step)
        return [str((turned if way == "clockwise" else -turned) % 360) for way in (one, other)]
    told, rule = found(r"it is turned by (.*?) degrees clockwise from upright: (.*)\.$", pattern)
    shown, way = series(told), -1 if "anticlockwise" in rule else 1
    steps = series(rule)
    worked_out = shown[:1]
    for place in range(len(shown)):
        step = steps[0] if len(steps) == 1 else steps[0] + steps[1] * place
        worked_out.append((worked_out[-1] + way * step) % 360)
    agree(shown, worked_out[:-1])
    return [str(worked_out[-1])]


def shadow(pattern):
    told, way, step = found(r"points (.*?) degrees clockwise from the top: .* turns (\w+) by (\d+) degrees", pattern)
    return [str(continued(series(told), int(step) * (1 if way == "clockwise" else -1), 360))]


def _places(told):
    return [(int(row), int(column)) for row, column in re.findall(r"row (\d+), column (\d+)", told)]


def trajectory(pattern):
    if "o'clock" in pattern:
        told, way, step = found(r"stands at (.*?) o'clock: it goes round (\w+), (\w+) marks? from", pattern)
        change = number(step) * (1 if way == "clockwise" else -1)
        return [str(continued([hour % 12 for hour in series(told)], change, 12) or 12)]
    told, rule = found(r"stands in (.*?): (.*)\.$", pattern)
    shown = _places(told)
    edge = number(found(r"board of (\d+) rows", pattern)[0])
    worked_out = shown[:1]
    for place in range(len(shown)):
        worked_out.append(_moved(worked_out[-1], rule, place, edge))
    agree(shown, worked_out[:-1])
    return [str(one) for one in worked_out[-1]]


def _moved(place, rule, step, edge):
    if "along the border" in rule:
        way, squares = found(r"goes (\w+) along the border, (\w+) square", rule)
        for _ in range(number(squares)):
            place = _along(place, edge, way == "clockwise")
        return place
    if "each time by one square more" in rule:
        (way,) = found(r"it moves (up|down|to the left|to the right), first", rule)
        down, right = UP_DOWN[way]
        return place[0] + down * (step + 1), place[1] + right * (step + 1)
    if "by turns" in rule:
        columns, side, rows, first, _, second = found(
            r"moves (\w+) columns? (to the \w+) each time, and by turns (\w+) rows? (\w+) and (\w+) rows? (\w+)", rule
        )
        down = UP_DOWN[(first, second)[step % 2]][0]
        return place[0] + down * number(rows), place[1] + UP_DOWN[side][1] * number(columns)
    for count, _, way in re.findall(r"(\w+) (rows?|columns?) (up|down|to the left|to the right)", rule):
        place = place[0] + UP_DOWN[way][0] * number(count), place[1] + UP_DOWN[way][1] * number(count)
    return place


def _along(place, edge, clockwise):
    """The next square of the border."""
    row, column = place
    corners = {
        (1, 1): ((0, 1), (1, 0)),
        (1, edge): ((1, 0), (0, -1)),
        (edge, edge): ((0, -1), (-1, 0)),
        (edge, 1): ((-1, 0), (0, 1)),
    }
    if place in corners:
        down, right = corners[place][not clockwise]
    else:
        down, right = {1: (0, 1), edge: (0, -1)}.get(row) or {1: (-1, 0), edge: (1, 0)}[column]
        if not clockwise:
            down, right = -down, -right
    return row + down, column + right


def snake(pattern):
    told, rule = found(r"is in (row .*?): (.*)\.$", pattern)
    shown = _places(told)
    ways = re.findall(r"(up|down|to the left|to the right)", rule)
    squares = number(found(r"(?:creeps|grows by) (\w+) square", rule)[0])
    worked_out = shown[:1]
    for place in range(len(shown)):
        down, right = UP_DOWN[ways[place % len(ways)]]
        worked_out.append((worked_out[-1][0] + down * squares, worked_out[-1][1] + right * squares))
    agree(shown, worked_out[:-1])
    longer = []
    if "grows" in rule:
        longer = [str(number(found(r"snake, (\w+) squares long in the first", pattern)[0]) + len(shown))]
    return [*(str(one) for one in worked_out[-1]), *longer]


def tetris(pattern):
    rows, columns, rule = found(r"top row of the piece is (.*?), and its leftmost column is (.*?): (.*)\.$", pattern)
    tops, lefts = series(rows), series(columns)
    fall = number(found(r"falls by (\w+) row", rule)[0])
    side = 1 if "to the right" in rule else -1 if "to the left" in rule else 0
    turned = len(tops) % 4 * 90
    place = [str(continued(tops, fall)), str(continued(lefts, side))]
    return [*place, *([str(turned)] if "quarter turn" in rule and turned else [])]


def colour(pattern):
    if "take turns" in pattern:
        told, taking = found(r"it is (.*?): the colours (.*) take turns", pattern)
        shown, period = facts_in(told), facts_in(taking)
        agree(shown, [period[place % len(period)] for place in range(len(shown))])
        return [period[len(shown) % len(period)]]
    if "exchange" in pattern:
        images, one, other = found(r"these (\w+) images .* is (\w+) and the \w+ is (\w+)\. In the order", pattern)
        return [one, other] if number(images) % 2 == 0 else [other, one]
    told, lit, step = found(
        r"order of the images, (.*?) of them, .* are (\w+) and the others are grey: (\w+) more", pattern
    )
    return [str(continued(series(told), number(step))), lit]


def size(pattern):
    if "on the left" in pattern:
        up, down, step = found(
            r"size of the \w+ is ([\d, and]+) and that of the \w+ is ([\d, and]+) per .* by (\d+) per", pattern
        )
        return [str(continued(series(up), int(step))), str(continued(series(down), -int(step)))]
    told, rule = found(r"its size is (.*?) per cent of the width of the picture: (.*)\.$", pattern)
    shown, rest = series(told), series(rule)
    if "take turns" in rule:
        agree(shown, [rest[place % 2] for place in range(len(shown))])
        return [str(rest[len(shown) % 2])]
    return [str(continued(shown, rest[0] * (1 if "larger" in rule else -1)))]


SOLVERS = {
    "clock": clock,
    "snake": snake,
    "quantity": quantity,
    "number": numbers,
    "rotation": rotation,
    "trajectory": trajectory,
    "tetris": tetris,
    "shadow": shadow,
    "colour": colour,
    "size": size,
}
