"""Signal detection for yes/no answers: sensitivity (d') and response bias (criterion)."""

from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True)
class Detection:
    """`d_prime` is 0 for guessing and grows with sensitivity; a `criterion` above 0 leans to no, below 0 to yes."""

    d_prime: float
    criterion: float


def detection(hits: float, positives: float, false_alarms: float, negatives: float) -> Detection | None:
    """d' and criterion from yes answers to items whose answer is yes (`hits`) or no (`false_alarms`).

    d' = z(H) - z(F), c = -(z(H) + z(F)) / 2 with rates (hits + 0.5) / (positives + 1) and the like, which stay finite
    at 0 and 1 (Hautus 1995, Behavior Research Methods 27). None if one of the two kinds is missing. Raises ValueError
    if more answers are counted than questions.
    """
    if not (0 <= hits <= positives and 0 <= false_alarms <= negatives):
        raise ValueError(f"{hits} yes to {positives} and {false_alarms} yes to {negatives} questions can't be")
    if positives <= 0 or negatives <= 0:
        return None
    normal = NormalDist()
    hit, alarm = normal.inv_cdf((hits + 0.5) / (positives + 1)), normal.inv_cdf((false_alarms + 0.5) / (negatives + 1))
    return Detection(hit - alarm, -(hit + alarm) / 2)
