"""The headphone test of Milne et al. (2021, Behavior Research Methods 53, 1551–1562): Huggins pitch.

Each trial has three intervals of white noise, one second each. One interval has a phase shift of 180° between the ears
within 6 % of 600 Hz: a faint tone over headphones, mere noise over loudspeakers. Somebody who gets all six trials right
passes. In the paper 80 % of people with headphones pass, and 20 % with loudspeakers.
"""

import hashlib
import hmac
import io
import wave
from collections.abc import Mapping

import numpy as np
from django.conf import settings
from django.db import transaction

from humantrials.assignment.exits import screen_out
from humantrials.assignment.leases import locked
from humantrials.models import Participant
from humantrials.participation.equipment import gates_for
from humantrials.participation.screening import HEADPHONES, note_check

TRIALS, INTERVALS, ATTEMPTS = 6, 3, 2
RATE = 44_100  # samples a second
SECONDS, GAP = 1.0, 0.5  # of an interval, and of the silence after it
CENTRE, WIDTH = 600.0, 0.06  # Hz, and share of it to either side
LOUDNESS = 0.1  # standard deviation of the noise, of full scale


def target(person: Participant, number: int) -> int:
    """Which of the three intervals of this trial has the tone, 1 to 3, in the participant's current attempt."""
    message = f"{person.token}/{person.checks.get('headphones', 0)}/{number}/tone"
    return hmac.digest(settings.SECRET_KEY.encode(), message.encode(), "sha256")[0] % INTERVALS + 1


def recording(person: Participant, number: int) -> bytes:
    """The stereo WAV file of this trial; a reload plays the same one."""
    seed = hashlib.sha256(f"{person.token}/{person.checks.get('headphones', 0)}/{number}".encode()).digest()
    rng, length = np.random.default_rng(list(seed)), int(RATE * SECONDS)
    pieces = []
    for place in range(1, INTERVALS + 1):
        noise = rng.standard_normal(length) * LOUDNESS
        other = shifted(noise) if place == target(person, number) else noise
        pieces += [np.stack([noise, other]), np.zeros((2, int(RATE * GAP)))]
    samples = np.clip(np.concatenate(pieces, axis=1).T * 32767, -32767, 32767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(samples.tobytes())
    return file.getvalue()


def shifted(noise: np.ndarray) -> np.ndarray:
    """The noise of one ear with its phase turned by 180° in the band around the centre."""
    spectrum, hertz = np.fft.rfft(noise), np.fft.rfftfreq(len(noise), 1 / RATE)
    spectrum[np.abs(hertz - CENTRE) <= WIDTH * CENTRE] *= -1
    return np.fft.irfft(spectrum, len(noise))


@transaction.atomic
def check_headphones(*, participant: Participant, posted: Mapping[str, str]) -> bool:
    """Whether the test is over: passed, or failed twice. Failing ends the study only if headphones are required."""
    person = locked(participant)
    if person.step != HEADPHONES:
        return False
    right = sum(posted.get(f"tone{number}") == str(target(person, number)) for number in range(1, TRIALS + 1))
    attempts = person.checks.get("headphones", 0) + 1
    note_check(person, headphones=attempts, headphones_right=max(right, person.checks.get("headphones_right", 0)))
    if right == TRIALS:
        return True
    if attempts >= ATTEMPTS and gates_for(person.trial).headphones:
        screen_out(participant=person)
        return False
    return attempts >= ATTEMPTS
