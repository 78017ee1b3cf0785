"""A simulated participant who answers with numbers or moments: right with the habits' probability, else a guess."""

from humantrials.protocols.trial_types import SECONDS
from humantrials.simulation.participant import Person
from measures.scores.moment_answers import NOTHING_WRONG
from measures.scores.number_answers import number_in

FAR = 3.0  # how far a guess lies from the right number, at most
FIELDS = {SECONDS: "moment"}  # the field of a button, if it is not of the button's name


class NumberTeller(Person):
    """Answers with the middle of the right range, or with a number near it."""

    def _answer_fields(self, right: dict[int, str], position: int, answers: list[str]) -> dict[str, str]:
        wanted = right.get(position, "")
        is_right = self.rng.random() < self.habits.accuracy
        if wanted == NOTHING_WRONG and is_right:
            return {"answer": NOTHING_WRONG}
        low, _, high = wanted.partition("..")
        ends = [float(end) for end in (low, high or low) if number_in(end)] or [0.0]
        number = sum(ends) / len(ends)
        if not is_right:
            number = abs(number + self.rng.uniform(0.5, FAR))
        button = answers[0]
        return {"answer": button, FIELDS.get(button, button): f"{number:.2f}"}
