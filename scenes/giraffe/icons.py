"""Our own icons: each a few paths in a square of 100, in tones of the element's colour or in fixed colours.

Paths are written as M L Q C Z with absolute numbers (as in SVG), O x y r for a disc, E x y rx ry for an ellipse and
R x y width height radius for a rounded box.
"""

Layer = tuple[str, str]  # tone, path

ICONS: dict[str, tuple[Layer, ...]] = {
    "apple": (
        ("fill", "M50 30 C62 20 90 24 88 52 C86 78 66 96 50 90 C34 96 14 78 12 52 C10 24 38 20 50 30 Z"),
        ("brown", "M47 32 L45 12 L53 10 L53 32 Z"),
        ("dark", "M54 21 C60 6 76 6 82 11 C76 24 64 28 54 21 Z"),
    ),
    "pear": (
        ("fill", "M50 20 C62 20 64 36 68 46 C86 58 86 95 50 95 C14 95 14 58 32 46 C36 36 38 20 50 20 Z"),
        ("brown", "M47 22 L50 5 L57 7 L54 22 Z"),
    ),
    "cherry": (
        ("brown", "M27 66 L50 10 L54 12 L32 68 Z"), ("brown", "M68 62 L50 12 L54 10 L74 62 Z"),
        ("fill", "O 29 74 20"), ("fill", "O 71 70 20"),
    ),
    "heart": (("fill", "M50 90 C8 60 2 38 14 24 C26 10 44 16 50 32 C56 16 74 10 86 24 C98 38 92 60 50 90 Z"),),
    "star": (
        ("fill", "M50 5 L61 38 L96 38 L68 59 L79 93 L50 72 L21 93 L32 59 L4 38 L39 38 Z"),
    ),
    "moon": (("fill", "M66 8 C30 12 16 44 25 67 C34 90 64 97 84 82 C54 82 41 60 45 40 C47 26 55 15 66 8 Z"),),
    "bolt": (("fill", "M60 4 L20 57 L45 57 L36 96 L80 40 L55 40 Z"),),
    "arrow": (("fill", "M50 4 L84 42 L62 42 L62 96 L38 96 L38 42 L16 42 Z"),),
    "key": (
        ("fill", "O 50 24 22"), ("white", "O 50 24 10"), ("fill", "R 44 40 12 56 2"),
        ("fill", "R 52 68 22 9 1"), ("fill", "R 52 84 16 9 1"),
    ),
    "fish": (
        ("dark", "M72 50 L97 24 L97 76 Z"), ("fill", "E 44 50 40 25"), ("white", "O 22 44 7"), ("ink", "O 21 44 3.5"),
        ("dark", "M40 26 L58 8 L60 28 Z"),
    ),
    "car": (
        ("dark", "M24 48 L34 26 L66 26 L80 48 Z"), ("white", "M33 47 L39 32 L49 32 L49 47 Z"),
        ("white", "M54 47 L54 32 L63 32 L71 47 Z"), ("fill", "R 4 46 92 26 9"), ("ink", "O 26 72 12"),
        ("ink", "O 74 72 12"), ("white", "O 26 72 5"), ("white", "O 74 72 5"), ("yellow", "R 86 52 9 8 3"),
    ),
    "house": (
        ("fill", "R 18 44 64 52 1"), ("dark", "M50 6 L96 48 L4 48 Z"), ("white", "R 28 58 17 17 1"),
        ("brown", "R 56 62 17 34 1"), ("dark", "R 68 12 10 22 1"),
    ),
    "tree": (("brown", "R 43 62 14 34 1"), ("fill", "M50 4 L84 44 L66 44 L90 72 L10 72 L34 44 L16 44 Z")),
    "flower": (
        ("green", "M47 52 L53 52 L53 97 L47 97 Z"), ("green", "M53 84 C60 66 78 66 84 70 C80 84 66 90 53 84 Z"),
        ("fill", "O 50 17 13"), ("fill", "O 69 30 13"), ("fill", "O 62 51 13"), ("fill", "O 38 51 13"),
        ("fill", "O 31 30 13"), ("yellow", "O 50 36 11"),
    ),
    "leaf": (("fill", "M50 4 C92 28 88 74 50 84 C12 74 8 28 50 4 Z"), ("dark", "M48 22 L52 22 L53 98 L47 98 Z")),
    "umbrella": (
        ("ink", "M48 14 L52 14 L52 84 C52 98 74 98 74 82 L69 82 C69 92 57 92 57 84 L48 84 Z"),
        ("fill", "M50 8 C76 8 94 30 96 54 C88 46 78 46 73 54 C66 46 56 46 50 54 C44 46 34 46 27 54 C22 46 12 46 4 54 "
         "C6 30 24 8 50 8 Z"),
    ),
    "mug": (("dark", "O 72 52 22"), ("white", "O 72 52 13"), ("fill", "R 12 18 58 72 8"), ("light", "R 12 18 58 9 4")),
    "flag": (("brown", "R 16 4 8 94 2"), ("fill", "M24 8 L92 30 L24 54 Z")),
    "boat": (
        ("brown", "R 46 8 5 62 0"), ("fill", "M54 10 L88 62 L54 62 Z"), ("light", "M43 22 L43 62 L16 62 Z"),
        ("dark", "M6 68 L94 68 L78 94 L22 94 Z"),
    ),
    "balloon": (
        ("ink", "M49 72 L51 72 L55 98 L53 98 Z"), ("dark", "M42 80 L50 68 L58 80 Z"), ("fill", "E 50 38 31 36"),
        ("light", "E 38 26 7 11"),
    ),
    "bell": (
        ("dark", "O 50 84 11"), ("fill", "M50 10 C76 10 76 38 78 58 C80 70 88 72 92 80 L8 80 C12 72 20 70 22 58 "
         "C24 38 24 10 50 10 Z"), ("dark", "O 50 10 7"),
    ),
    "mushroom": (
        ("light", "R 38 50 24 46 8"), ("fill", "M4 56 C4 22 28 6 50 6 C72 6 96 22 96 56 Z"), ("white", "O 32 36 8"),
        ("white", "O 60 26 7"), ("white", "O 74 44 6"),
    ),
    "hammer": (("brown", "R 44 30 12 68 3"), ("fill", "M14 10 L66 10 L90 30 L66 34 L14 34 Z")),
    "pencil": (
        ("fill", "R 38 22 24 54 0"), ("pink", "R 38 6 24 12 3"), ("grey", "R 38 16 24 7 0"),
        ("light", "M38 76 L62 76 L50 98 Z"), ("ink", "M45 89 L55 89 L50 98 Z"),
    ),
    "spoon": (("fill", "E 50 22 18 20"), ("fill", "R 46 38 8 60 4"), ("light", "E 46 18 7 9")),
    "ball": (("fill", "O 50 50 46"), ("light", "E 34 32 11 8")),
    "cube": (
        ("light", "M50 4 L92 26 L50 48 L8 26 Z"), ("fill", "M8 26 L50 48 L50 97 L8 75 Z"),
        ("dark", "M92 26 L50 48 L50 97 L92 75 Z"),
    ),
    "circle": (("fill", "O 50 50 48"),),
    "square": (("fill", "R 4 4 92 92 0"),),
    "triangle": (("fill", "M50 6 L97 90 L3 90 Z"),),
    "diamond": (("fill", "M50 2 L86 50 L50 98 L14 50 Z"),),
    "hexagon": (("fill", "M26 8 L74 8 L98 50 L74 92 L26 92 L2 50 Z"),),
    "pentagon": (("fill", "M50 3 L97 38 L79 94 L21 94 L3 38 Z"),),
    "cross": (("fill", "M36 4 L64 4 L64 36 L96 36 L96 64 L64 64 L64 96 L36 96 L36 64 L4 64 L4 36 L36 36 Z"),),
    "block": (("dark", "R 0 0 100 100 0"), ("fill", "R 7 7 86 86 0"), ("light", "R 16 16 30 12 4")),
}  # fmt: skip

# Icons without symmetry, which look different in every rotation.
TURNABLE = (
    "arrow", "key", "fish", "car", "house", "tree", "flower", "umbrella", "mug", "flag", "boat", "bell", "mushroom",
    "hammer", "pencil", "spoon", "moon", "leaf", "apple",
)  # fmt: skip
COUNTABLE = (
    "apple", "pear", "cherry", "heart", "star", "moon", "fish", "car", "house", "tree", "flower", "leaf", "mug", "boat",
    "balloon", "bell", "mushroom", "key", "ball", "cube",
)  # fmt: skip
SHAPES = ("circle", "square", "triangle", "diamond", "hexagon", "pentagon", "cross", "star", "heart")

COLOURS: dict[str, tuple[int, int, int]] = {
    "red": (214, 48, 49),
    "orange": (240, 140, 32),
    "yellow": (247, 205, 46),
    "green": (46, 145, 72),
    "blue": (38, 98, 200),
    "purple": (126, 63, 178),
    "pink": (240, 130, 175),
    "brown": (128, 82, 46),
    "grey": (150, 154, 162),
    "black": (38, 40, 46),
    "white": (255, 255, 255),
}
STRONG = ("red", "orange", "green", "blue", "purple", "pink", "brown", "black")  # visible on white, unlike yellow
PLAIN = ("red", "yellow", "green", "blue", "purple", "black")  # easily distinguished, also side by side

# Strokes of the digits in a box 60 wide and 100 high; without a font of the machine, pictures are the same everywhere.
GLYPHS = {
    "0": "M30 6 C8 6 6 28 6 50 C6 72 8 94 30 94 C52 94 54 72 54 50 C54 28 52 6 30 6 Z",
    "1": "M12 26 L34 7 L34 94",
    "2": "M8 30 C8 -2 52 -2 52 30 C52 52 20 66 8 93 L54 93",
    "3": "M9 14 C24 -2 52 4 50 27 C48 43 36 46 24 46 C42 46 54 53 54 70 C54 97 20 102 6 82",
    "4": "M42 94 L42 8 L6 66 L56 66",
    "5": "M50 8 L16 8 L12 45 C28 33 54 40 54 66 C54 96 20 101 6 82",
    "6": "M49 11 C22 8 7 38 7 66 C7 104 54 103 54 68 C54 38 15 36 8 62",
    "7": "M6 8 L54 8 L24 94",
    "8": "M30 46 C4 42 8 6 30 6 C52 6 56 42 30 46 C0 50 0 94 30 94 C60 94 60 50 30 46 Z",
    "9": "M52 38 C44 66 6 64 6 33 C6 -4 53 -4 53 34 C53 62 38 92 12 90",
    "-": "M10 52 L50 52",
}
