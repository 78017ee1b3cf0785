"""Sounds by modal synthesis: a thing is a bank of damped oscillators, tuned by its material and size.

The lowest mode's pitch follows the speed of sound in the material, the root of stiffness over density, divided by the
size; a mode's decay follows its frequency and the material's loss; the hardness of a blow follows the stiffness, which
sets the duration of the contact. Shape has no influence, so that it can be seen but not heard.
"""

import math

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.signal import butter, lfilter, sosfilt

from scenes.scene import STEP
from scenes.tapped.materials import AcousticMaterial
from scenes.tapped.things import TappedObject
from scenes.tapped.touching import Touches

RATE = 44_100  # Hz
MODES = 24
HIGHEST = 16_000.0  # Hz: higher modes are left out
THINNESS = 0.055  # thickness of the ringing part, as a share of the thing's size
DEAD = 14.0  # 1/s: damping of every body, by the air and by lying on a table
GRAIN_SCRAPED, GRAIN_ROLLED = 0.00035, 0.0016  # metres between two bumps of the table's surface
ROOM = 10 ** (-66 / 20)  # noise of the room, as a share of the loudest sample
Sound = NDArray[np.float64]


def sound_of(thing: TappedObject, touches: Touches, seconds: float, rng: Generator) -> Sound:
    """The thing's sound at RATE, synchronous with the picture, before its loudness is set."""
    count = round(seconds * RATE)
    force = _blows(thing.made_of, touches, count, rng)
    force += _rubbed(touches.rubbing, GRAIN_SCRAPED, thing.made_of.friction * thing.mass, thing.made_of, count, rng)
    force += _rubbed(touches.rolling, GRAIN_ROLLED, 0.2 * thing.mass, thing.made_of, count, rng)
    heard = _rung(force, *modes_of(thing, rng)) + _table(force)
    return heard + ROOM * np.abs(heard).max() * rng.standard_normal(count)


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
    heard = np.zeros(len(force))
    for frequency, damping, strength in zip(frequencies, dampings, strengths, strict=True):
        radius, angle = math.exp(-damping / RATE), 2 * math.pi * frequency / RATE
        poles = [1.0, -2 * radius * math.cos(angle), radius**2]
        heard += strength * np.asarray(lfilter([0.0, radius * math.sin(angle)], poles, force))
    return heard


def _table(force: Sound) -> Sound:
    """The table's own dull response, the same for everything."""
    poles = [1.0, -2 * math.exp(-90 / RATE) * math.cos(2 * math.pi * 160 / RATE), math.exp(-180 / RATE)]
    return 0.02 * np.asarray(lfilter([1.0], poles, force)) * 160 / RATE
