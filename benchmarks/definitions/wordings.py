"""Other wordings of a benchmark's prompts: replaced sentences, and options in another order."""

from dataclasses import dataclass

ORDER, WORDS = "order of the options", "wording"


@dataclass(frozen=True)
class PromptWording:
    """One wording of a question: each sentence in `put` is replaced by its value wherever it occurs.

    With `rotated` the pictures to choose from move by that many places. `ours` is true unless a paper gives these
    words.
    """

    name: str
    put: tuple[tuple[str, str], ...] = ()
    rotated: int = 0
    what: str = WORDS
    ours: bool = True

    def of(self, text: str) -> str:
        """The prompt in this wording; texts without any of the sentences stay unchanged."""
        for written, put in self.put:
            text = text.replace(written, put)
        return text

    def option_meant(self, answer: str | None, options: tuple[str, ...]) -> str | None:
        """The option that an answer means: letters of rotated pictures are mapped back."""
        if not self.rotated or answer not in options:
            return answer
        return options[(options.index(answer) + self.rotated) % len(options)]


AS_WRITTEN = PromptWording("as written", ours=False)
