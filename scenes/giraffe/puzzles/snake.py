"""Snake: it moves straight on, climbs a staircase, or grows by a square at its head in each image."""

from collections.abc import Sequence

from numpy.random import Generator

from scenes.giraffe.icons import STRONG
from scenes.giraffe.puzzle import MOVEMENT, NEXT, ORDER, QUANTITY, Picture, Puzzle, a, each_of, offered, units
from scenes.giraffe.puzzles.board import COUNTED, DIRECTIONS, PatternBoard, Place, spoken

TURNS = {"up": 0.0, "right": 90.0, "down": 180.0, "left": 270.0}
SIDEWAYS = {"up": ("left", "right"), "down": ("left", "right"), "left": ("up", "down"), "right": ("up", "down")}

WrongBody = tuple[Sequence[Place], str, str]  # its squares, where its head looks, and what is wrong


def draw(rng: Generator) -> Puzzle:
    board = PatternBoard(int(rng.integers(8, 11)), int(rng.integers(8, 11)))
    colour, length = str(rng.choice(STRONG)), int(rng.integers(3, 6))
    return (_straight, _stairs, _growing)[int(rng.integers(3))](rng, board, colour, length)


def _straight(rng: Generator, board: PatternBoard, colour: str, length: int) -> Puzzle:
    way, step, images = str(rng.choice(list(TURNS))), int(rng.integers(1, 3)), int(rng.integers(3, 5))
    path = _placed(rng, board, [way] * (length - 1 + step * images))
    bodies = [path[step * place : step * place + length] for place in range(images + 1)]
    rule = f"from one image to the next it creeps {units(step, 'square')} {_to(way)}"
    return _puzzle(board, colour, bodies, [way] * (images + 1), rule)


def _stairs(rng: Generator, board: PatternBoard, colour: str, length: int) -> Puzzle:
    """Alternately one square each in two directions; the body follows the head."""
    one, images = str(rng.choice(list(TURNS))), int(rng.integers(4, 6))
    other = str(rng.choice(SIDEWAYS[one]))
    ways = [(one, other)[place % 2] for place in range(images)]
    before = [(other, one)[place % 2] for place in reversed(range(length - 1))]  # the stairs are seen from the first
    path = _placed(rng, board, [*before, *ways])
    bodies = [path[place : place + length] for place in range(images + 1)]
    rule = f"from one image to the next it creeps one square, by turns {_to(one)} and {_to(other)}"
    return _puzzle(board, colour, bodies, [before[-1], *ways], rule)


def _growing(rng: Generator, board: PatternBoard, colour: str, length: int) -> Puzzle:
    way, images = str(rng.choice(list(TURNS))), int(rng.integers(3, 5))
    length = min(length, 8 - images)
    path = _placed(rng, board, [way] * (length - 1 + images))
    bodies = [path[: length + place] for place in range(images + 1)]
    rule = f"its tail stays where it is, and from one image to the next it grows by one square {_to(way)}"
    return _puzzle(board, colour, bodies, [way] * (images + 1), rule, grows=True)


def _puzzle(
    board: PatternBoard,
    colour: str,
    bodies: Sequence[Sequence[Place]],
    ways: Sequence[str],
    rule: str,
    *,
    grows: bool = False,
) -> Puzzle:
    def picture(body: Sequence[Place], way: str) -> Picture:
        squares = [board.mark("block", *place, share=0.92, colour=colour) for place in body]
        head = board.mark("eyes", *body[-1], share=0.9, turn=TURNS[way])
        return (board.grid, *squares, head)

    known, following, way = bodies[:-1], bodies[-1], ways[-1]
    wrong = _wrong(board, bodies, ways, grows=grows)
    length = f"{units(len(bodies[0]), 'square')} long{' in the first image' if grows else ''}"
    heads = [spoken(body[-1]) for body in known]
    more = f", and it will be {len(following)} squares long" if grows else ""
    return Puzzle(
        changes=(MOVEMENT, QUANTITY) if grows else (MOVEMENT,),
        images=tuple(picture(body, own) for body, own in zip(known, ways, strict=False)),
        following=picture(following, way),
        near_misses=offered([(picture(body, turn), what) for body, turn, what in wrong]),
        pattern=f"{each_of(len(known))} shows {a(colour)} snake, {length}, on a board of {board.rows} rows and"
        f" {board.columns} columns. {COUNTED} {ORDER} its head, which has the eyes, is in {'; '.join(heads[:-1])} and"
        f" {heads[-1]}: {rule}.",
        pred=f"{NEXT} the head of the snake will be in {spoken(following[-1])}{more}.",
    )


def _wrong(
    board: PatternBoard, bodies: Sequence[Sequence[Place]], ways: Sequence[str], *, grows: bool
) -> list[WrongBody]:
    """Bodies that are not the next one, those that are told first before others."""
    last, way = bodies[-2], ways[-1]
    wrong: list[WrongBody] = [(last, ways[-2], "the last image once more"), (bodies[-3], ways[-3], "a step back")]
    further: list[WrongBody] = []
    for other in (way, *SIDEWAYS[way]):
        for body, what in ((bodies[-1], "then a square more"), (last, "instead it creeps")):
            if moved := _moved(board, body, other, grows=grows):
                wrong.append((moved, other, f"{what} {_to(other)}"))
                further += [
                    (again, then, f"{what} {_to(other)}, and a square {_to(then)}")
                    for then in TURNS
                    if (again := _moved(board, moved, then, grows=grows))
                ]
    return [*wrong, *further, *_half_moved(board, last, ways[-2], way, grows=grows)]


def _half_moved(board: PatternBoard, last: Sequence[Place], looked: str, way: str, *, grows: bool) -> list[WrongBody]:
    """Bodies with only one end moved: nearer to the last picture than the right one."""
    head, end = _beside(last[-1], way), (2 * last[0][0] - last[1][0], 2 * last[0][1] - last[1][1])
    found: list[WrongBody] = []
    if len(last) > 2:
        found.append((last[1:], looked, "its tail goes on without its head"))
    if board.holds(*end) and end not in last:
        found.append(([end, *last], looked, "it grows by a square at its tail"))
    if not grows and board.holds(*head) and head not in last:
        found.append(([*last, head], way, "its head goes on without its tail"))
    return found


def _moved(board: PatternBoard, body: Sequence[Place], way: str, *, grows: bool) -> list[Place]:
    """The body after a square more in this direction; empty if it can't go there."""
    moved = [*body[0 if grows else 1 :], _beside(body[-1], way)]
    return moved if board.holds(*moved[-1]) and len(set(moved)) == len(moved) else []


def _beside(place: Place, way: str) -> Place:
    return place[0] + DIRECTIONS[way][0], place[1] + DIRECTIONS[way][1]


def _placed(rng: Generator, board: PatternBoard, ways: Sequence[str]) -> list[Place]:
    """Squares from the tail on in these directions, at a random place where they fit on the board; raises TooFew."""
    places = [(0, 0)]
    for way in ways:
        places.append(_beside(places[-1], way))
    return board.placed(rng, places)


def _to(way: str) -> str:
    return way if way in ("up", "down") else f"to the {way}"
