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
