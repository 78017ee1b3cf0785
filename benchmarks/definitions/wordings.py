"""Other wordings of a benchmark's prompts: sentences in place of others, and options in another order."""

from dataclasses import dataclass

ORDER, WORDS = "order of the options", "wording"


@dataclass(frozen=True)
class PromptWording:
    """One way to word a question: each sentence of `put` stands for the one before it, where that occurs.

    With `rotated` the pictures to choose from move on by so many places. `ours` unless a paper gives these words.
    """

    name: str
    put: tuple[tuple[str, str], ...] = ()
    rotated: int = 0
    what: str = WORDS
    ours: bool = True

    def of(self, text: str) -> str:
        """The prompt in this wording; texts without one of the sentences stay as they are."""
        for written, put in self.put:
            text = text.replace(written, put)
        return text

    def option_meant(self, answer: str | None, options: tuple[str, ...]) -> str | None:
        """The option that an answer names as the question was shown: letters of rotated pictures are moved back."""
        if not self.rotated or answer not in options:
            return answer
        return options[(options.index(answer) + self.rotated) % len(options)]


AS_WRITTEN = PromptWording("as written", ours=False)


YES_NO = "Answer only with yes or no."
TRUE, OF_VIDEO, OF_TEXT = (
    "Is this true?",
    "Your answer should be based on the events in the video and ignore the quality of the simulation.",
    "Do not assume that mechanisms or forces are at play other than the ones described in the text.",
)
GRASP = (
    AS_WRITTEN,
    PromptWording("no before yes", ((YES_NO, "Answer only with no or yes."),), what=ORDER),
    PromptWording("one word", ((YES_NO, "Reply with a single word: yes or no."),)),
    PromptWording(
        "asked otherwise",
        (
            (TRUE, "Is this statement correct?"),
            (OF_VIDEO, "Judge by what happens in the video, not by how well it was simulated."),
            (OF_TEXT, "Assume no mechanisms or forces but those that the text describes."),
        ),
    ),
    PromptWording(
        "asked otherwise, no before yes",
        (
            (TRUE, "True or not?"),
            (OF_VIDEO, "Go by the events in the video; how good the simulation looks does not matter."),
            (OF_TEXT, "Only what the text tells is at play."),
            (YES_NO, "Say no or yes and nothing else."),
        ),
    ),
)

TRUE_FALSE, SHAPE, COLOR, COUNT = (
    "Answer with one word: true or false.",
    "Answer with one word: cube, triangle or circle.",
    "Answer with one word: gray, red, blue, green, brown, purple, cyan or yellow.",
    "Answer with one whole number in digits.",
)
CRAFT = (
    AS_WRITTEN,
    PromptWording(
        "options from the end",
        (
            (TRUE_FALSE, "Answer with one word: false or true."),
            (SHAPE, "Answer with one word: circle, triangle or cube."),
            (COLOR, "Answer with one word: yellow, cyan, purple, brown, green, blue, red or gray."),
            (COUNT, "In digits, answer with one whole number."),
        ),
        what=ORDER,
    ),
    PromptWording(
        "reply with a single word",
        (
            (TRUE_FALSE, "Reply with a single word, true or false."),
            (SHAPE, "Reply with a single word, cube, triangle or circle."),
            (COLOR, "Reply with a single word, gray, red, blue, green, brown, purple, cyan or yellow."),
            (COUNT, "Reply with a single whole number, in digits."),
        ),
    ),
    PromptWording(
        "which of these",
        (
            (TRUE_FALSE, "Is it true or false? Say that word alone."),
            (SHAPE, "Is it a cube, a triangle or a circle? Say that word alone."),
            (COLOR, "Is it gray, red, blue, green, brown, purple, cyan or yellow? Say that word alone."),
            (COUNT, "How many is that? Say the number alone, in digits."),
        ),
    ),
)

OBJECTS = "Answer with Object 1 or Object 2."
PAIRS = (
    AS_WRITTEN,
    PromptWording("object 2 before object 1", ((OBJECTS, "Answer with Object 2 or Object 1."),), what=ORDER),
    PromptWording("one of the two", ((OBJECTS, "Reply with one of the two: Object 1 or Object 2."),)),
    PromptWording("which one", ((OBJECTS, "Which one is it? Say Object 1 or Object 2 and nothing else."),)),
)

LETTERS = "Answer with A, B, C or D."
CHOICES = (
    AS_WRITTEN,
    *(PromptWording(f"pictures moved on by {places}", rotated=places, what=ORDER) for places in (1, 2, 3)),
    PromptWording("a single letter", ((LETTERS, "Reply with a single letter: A, B, C or D."),)),
)
