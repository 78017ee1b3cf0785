"""Sounds by modal synthesis: a thing is a bank of damped oscillators, tuned by its material and size.

The lowest mode's pitch is proportional to the speed of sound in the material (the root of stiffness over density)
divided by the size. A mode's decay depends on its frequency and on the material's loss. Stiffness sets the duration of
a blow's contact, and so its hardness. Shape has no influence: it is visible but not audible.
"""

import math
from functools import cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.signal import butter, fftconvolve, lfilter, sosfilt

from scenes.scene import STEP
from scenes.tapped.sounds.loudness import at_broadcast_loudness
from scenes.tapped.things import AcousticMaterial, TappedObject
from scenes.tapped.touching import Touches

RATE = 44_100  # Hz
MODES = 24
HIGHEST = 16_000.0  # Hz: higher modes are left out
THINNESS = 0.055  # thickness of the ringing part, as a share of the thing's size
DEAD = 14.0  # 1/s: damping of every body, by the air and by lying on a table
GRAIN_SCRAPED, GRAIN_ROLLED = 0.00035, 0.0016  # metres between two bumps of the table's surface
ROOM = 10 ** (-66 / 20)  # noise of the room, as a share of the loudest sample
ECHOES = {"study": (0.24, 1), "kitchen": (0.34, 2)}  # seconds until an echo has faded by 60 dB, and a seed
ECHO_AFTER, ECHO_BELOW, ECHO_ENERGY = 0.004, 4_000.0, 2.0  # seconds, Hz, and strength relative to the direct sound
Sound = NDArray[np.float64]


def _in_a_room(sound: Sound, rng: Generator) -> Sound:
    return sound + ROOM * np.abs(sound).max() * rng.standard_normal(len(sound))


def _sound_alone(thing: TappedObject, touches: Touches, seconds: float, rng: Generator) -> Sound:
    count = round(seconds * RATE)
    force = _blows(thing.made_of, touches, count, rng)
    force += _rubbed(touches.rubbing, GRAIN_SCRAPED, thing.made_of.friction * thing.mass, thing.made_of, count, rng)
    force += _rubbed(touches.rolling, GRAIN_ROLLED, 0.2 * thing.mass, thing.made_of, count, rng)
    return _rung(force, *modes_of(thing, rng)) + _table(force)


def clip_sound_of(thing: TappedObject, touches: Touches, seconds: float, rng: Generator) -> Sound:
    """The sound of a clip at RATE, in step with the picture and at its loudness, with the room's echo and noise."""
    return _in_a_room(at_broadcast_loudness(echoed(_sound_alone(thing, touches, seconds, rng), thing.room), RATE), rng)


def echoed(sound: Sound, room: str) -> Sound:
    """The sound from across the table, with the echo of the room, which is the same for a group."""
    return sound + np.asarray(fftconvolve(sound, _echo(room))[: len(sound)])


@cache
def _echo(room: str) -> Sound:
    """Decaying noise, like diffuse echoes, without the highest frequencies, which walls absorb."""
    seconds, seed = ECHOES[room]
    after = np.arange(round(1.2 * seconds * RATE)) / RATE
    noise = np.random.default_rng(seed).standard_normal(len(after)) * 10 ** (-3 * after / seconds)
    noise[after < ECHO_AFTER] = 0.0
    soft = sosfilt(butter(1, ECHO_BELOW, fs=RATE, output="sos"), noise)
    return np.asarray(soft * math.sqrt(ECHO_ENERGY / (soft**2).sum()))


def modes_of(thing: TappedObject, rng: Generator) -> tuple[Sound, Sound, Sound]:
    """Frequencies in Hz, dampings in 1/s and strengths of the modes."""
    material = thing.made_of
    lowest = 1.03 * THINNESS / thing.edge * math.sqrt(material.stiffness / material.density)
    numbers = np.arange(1, MODES + 1)
    frequencies = lowest * numbers**1.25 * np.exp(rng.normal(0, 0.02, MODES))
    dampings = math.pi * frequencies * material.loss + DEAD
    strengths = np.asarray(rng.uniform(0.5, 1.0, MODES) * rng.choice((-1.0, 1.0), MODES) / numbers**0.6, dtype=float)
    keep = (frequencies < HIGHEST) & (frequencies > 20)
    return np.asarray(frequencies[keep]), np.asarray(dampings[keep]), np.asarray(strengths[keep])


def contact_seconds(material: AcousticMaterial) -> float:
    """Seconds that a blow lasts: softer bodies stay in contact for longer."""
    return min(0.00022 * (2e11 / material.stiffness) ** 0.25, 0.014)


def _blows(material: AcousticMaterial, touches: Touches, count: int, rng: Generator) -> Sound:
    """The force of all blows, each a half sine of the contact's length."""
    force = np.zeros(count)
    length = max(3, round(contact_seconds(material) * RATE))
    pulse = np.sin(np.pi * np.arange(1, length + 1) / (length + 1))
    pulse /= pulse.sum()
    for blow in touches.blows:
        start = round(blow.seconds * RATE)
        part = force[start : start + length]
        part += blow.impulse * pulse[: len(part)]
    return force


def _rubbed(speeds: Sound, grain: float, press: float, material: AcousticMaterial, count: int, rng: Generator) -> Sound:
    """Noise whose brightness follows the speed over a surface with this distance between bumps."""
    top = float(speeds.max(initial=0.0))
    if top <= 0:
        return np.zeros(count)
    here = np.interp(np.arange(count) / RATE, np.arange(len(speeds)) * STEP, speeds)
    edge = min(top / grain * (0.4 + material.roughness), RATE * 0.45)
    noise = sosfilt(butter(2, edge, fs=RATE, output="sos"), rng.standard_normal(count))
    return 1e-4 * press * here * np.asarray(noise)


def _rung(force: Sound, frequencies: Sound, dampings: Sound, strengths: Sound) -> Sound:
    """The sum of all modes' responses to the force."""
    sound = np.zeros(len(force))
    for frequency, damping, strength in zip(frequencies, dampings, strengths, strict=True):
        radius, angle = math.exp(-damping / RATE), 2 * math.pi * frequency / RATE
        poles = [1.0, -2 * radius * math.cos(angle), radius**2]
        sound += strength * np.asarray(lfilter([0.0, radius * math.sin(angle)], poles, force))
    return sound


def _table(force: Sound) -> Sound:
    """The table's own dull response, equal for all things."""
    poles = [1.0, -2 * math.exp(-90 / RATE) * math.cos(2 * math.pi * 160 / RATE), math.exp(-180 / RATE)]
    return 0.02 * np.asarray(lfilter([1.0], poles, force)) * 160 / RATE
