"""Notation for pictures: elements separated by semicolons, each a kind, a colour and, if needed, a place.

```text
key blue @30,50 *40 /45; ball red @70,50          a blue key, turned by 45 degrees, beside a red ball
clock green =7:40                                 number =12    pizza =3/8    grid =5x5 *92
```
"""

import re

from scenes.giraffe.drawing import KINDS, PARTS
from scenes.giraffe.icons import COLOURS, GLYPHS
from scenes.giraffe.puzzle import Picture, PictureElement

SIZES = {"clock": 88.0, "pizza": 84.0, "grid": 92.0, "dial": 80.0}
WRITTEN = {  # the text after = for the kinds that need one
    "clock": (re.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d"), "hours and minutes, such as 7:40"),
    "number": (re.compile(rf"[{''.join(GLYPHS)}]{{1,6}}"), "up to six digits"),
    "pizza": (re.compile(r"\d{1,2}/[1-9]\d?"), "slices left and slices in all, such as 3/8"),
    "grid": (re.compile(r"[1-9]\d?x[1-9]\d?"), "rows and columns, such as 5x5"),
}
PLACE = re.compile(r"@(-?\d+(?:\.\d+)?),(-?\d+(?:\.\d+)?)")
NUMBER = re.compile(r"[*/](-?\d+(?:\.\d+)?)")
MOST = 60  # elements in each picture


class BadNotation(ValueError):
    """The message names the wrong element and what is allowed there."""


def read_picture(text: str) -> Picture:
    """The elements in their order; BadNotation names the first invalid one."""
    parts = [part.strip() for part in text.split(";")]
    parts = [part for part in parts if part]
    if not parts:
        raise BadNotation("a picture needs at least one mark, such as: ball red")
    if len(parts) > MOST:
        raise BadNotation(f"{len(parts)} marks: a picture has at most {MOST}")
    return tuple(map(read_element, parts))


def read_element(text: str) -> PictureElement:
    kind, *words = text.split()
    if kind not in KINDS:
        raise BadNotation(f"{text!r}: there is no {kind!r}; there is: {', '.join(KINDS)}")
    fields: dict[str, object] = {"size": SIZES.get(kind, 60.0)}
    for word in words:
        fields |= _element_facts(word, text)
    _check(kind, str(fields.get("text", "")), text)
    mark = PictureElement(kind, **fields)  # type: ignore[arg-type]
    if not (0 <= mark.x <= 100 and 0 <= mark.y <= 100 and 1 <= mark.size <= 100):
        raise BadNotation(f"{text!r}: places lie between 0 and 100, sizes between 1 and 100")
    return mark


def _element_facts(word: str, where: str) -> dict[str, object]:
    if word in COLOURS:
        return {"colour": word}
    if found := PLACE.fullmatch(word):
        return {"x": float(found[1]), "y": float(found[2])}
    if found := NUMBER.fullmatch(word):
        return {"size": float(found[1])} if word[0] == "*" else {"turn": float(found[1]) % 360}
    if word[0] == "=":
        return {"text": word[1:]}
    raise BadNotation(
        f"{where!r}: {word!r} is no colour ({', '.join(COLOURS)}), no @x,y, no *size, no /turn and no =text"
    )


def _check(kind: str, text: str, where: str) -> None:
    if kind not in WRITTEN:
        if text:
            raise BadNotation(f"{where!r}: {kind} takes no text after =")
        return
    form, expected = WRITTEN[kind]
    if not form.fullmatch(text):
        raise BadNotation(f"{where!r}: {kind} needs {expected} after =")
    if kind == "pizza" and int(text.partition("/")[0]) > int(text.partition("/")[2]):
        raise BadNotation(f"{where!r}: more slices left than there are")


def written(picture: Picture) -> str:
    """The picture in this notation."""
    return "; ".join(map(_element_text, picture))


def _element_text(mark: PictureElement) -> str:
    parts = [mark.kind]
    if mark.kind not in PARTS or mark.kind in ("clock", "number"):
        parts.append(mark.colour)
    if (mark.x, mark.y) != (50, 50):
        parts.append(f"@{mark.x:g},{mark.y:g}")
    if mark.size != SIZES.get(mark.kind, 60.0):
        parts.append(f"*{mark.size:g}")
    if mark.turn:
        parts.append(f"/{mark.turn:g}")
    if mark.text:
        parts.append(f"={mark.text}")
    return " ".join(parts)
