"""A plain listener to Tapped's sounds: cepstral features, and the nearest known recording."""

from dataclasses import replace

import numpy as np
from scipy.fft import dct

from scenes.tapped.planning import group_of
from scenes.tapped.sounds.loudness import log_mel
from scenes.tapped.sounds.sound import RATE, clip_sound_of
from scenes.tapped.staging import SECONDS, scene_of
from scenes.tapped.things import MATERIALS
from scenes.tapped.touching import simulate_touches

TAPPED, COEFFICIENTS = 0, 20  # the first group's action
QUIET = 1e-4  # of the loudest moment: anything softer is the room's noise


def recordings(*seeds):
    """The materials of tapped objects, and the features of their clips' sounds: one of each material a seed."""
    names, rows = [], []
    for seed in seeds:
        for place, material in enumerate(MATERIALS):
            rng = np.random.default_rng([seed, TAPPED, place, 0])
            thing = replace(group_of(seed, TAPPED)[0], material=material)
            _, touches = simulate_touches(scene_of(thing, rng), thing)
            names.append(material)
            rows.append(features(clip_sound_of(thing, touches, SECONDS, rng)))
    return names, np.array(rows)


def features(samples):
    """Mean and standard deviation of the mel-frequency cepstral coefficients over the moments that are not quiet."""
    spectrogram = log_mel(samples, RATE)
    power = np.exp(spectrogram).sum(axis=0)
    cepstra = dct(spectrogram[:, power > QUIET * power.max()], axis=0, norm="ortho")[:COEFFICIENTS]
    return np.concatenate([cepstra.mean(axis=1), cepstra.std(axis=1)])


def nearest(names, known, rows):
    """The name of the nearest known row for each row; features are scaled by the known rows' spread."""
    spread = known.std(axis=0) + 1e-9
    return [names[place] for place in np.linalg.norm((rows[:, None] - known[None]) / spread, axis=2).argmin(axis=1)]
