"""Models human vision: contrast sensitivity (Barten 1999), its loss beside the fovea, and the chance to notice a
patch.

Barten, P. G. J. (1999). Contrast Sensitivity of the Human Eye and Its Effects on Image Quality. SPIE Press; the
constants are those of his typical observer. Thresholds grow linearly with the distance from the fovea (Virsu & Rovamo
1979). The chance of one look follows Weibull's function with Quick's exponent (1974); looks are independent.
"""

import math

import numpy as np
from numpy.typing import NDArray

NOISE, PHOTONS, EFFICIENCY, TO_NOISE = 3e-8, 1.2e6, 0.03, 3.0  # s deg², photons/(s deg² Td), share, ratio
BLUR, BLUR_WITH_PUPIL = 0.5, 0.08  # minutes of arc; minutes of arc for each mm of pupil
INHIBITION, LARGEST, CYCLES, INTEGRATED = 7.0, 12.0, 15.0, 0.1  # cycles/deg, deg, cycles, seconds
SCREEN = 100.0  # cd/m²
HALVED_AT = 2.5  # degrees beside the fovea
STEEPNESS = 3.5
PERIODS = (0.5, 0.7, 1.0, 1.4, 2.0)  # across a patch


def sensitivity(frequency: float, degrees: float, *, seconds: float = INTEGRATED, luminance: float = SCREEN) -> float:
    """One over the threshold contrast (modulation) of a grating, cycles per degree, in a field of this width."""
    pupil = 5 - 3 * math.tanh(0.4 * math.log10(luminance * degrees**2 / 40**2))
    light = math.pi * pupil**2 / 4 * luminance * (1 - (pupil / 9.7) ** 2 + (pupil / 12.4) ** 4)
    blur = math.hypot(BLUR, BLUR_WITH_PUPIL * pupil) / 60
    optics = math.exp(-2 * (math.pi * blur * frequency) ** 2)
    area = 1 / degrees**2 + 1 / LARGEST**2 + (frequency / CYCLES) ** 2
    inhibited = NOISE / (1 - math.exp(-((frequency / INHIBITION) ** 2)))
    photons = 1 / (EFFICIENCY * PHOTONS * light)
    return optics / (TO_NOISE * math.sqrt(2 / min(seconds, INTEGRATED) * area * (photons + inhibited)))


def threshold(degrees: float, *, seconds: float = INTEGRATED, beside: float = 0.0) -> float:
    """Michelson contrast at which a patch of this width is just noticed at this distance from the fixation point.

    A patch contains all frequencies from half a period across it upwards; the one that the eye sees best counts.
    """
    seen = max(sensitivity(periods / degrees, degrees, seconds=seconds) for periods in PERIODS)
    return (1 + beside / HALVED_AT) / seen


def chance_to_notice(contrast: float, degrees: float, *, seconds: float, beside: float = 0.0) -> float:
    """Probability that one look, at this distance from the patch, notices it."""
    return float(chance_at(np.array(contrast / threshold(degrees, seconds=seconds, beside=beside))))


def chance_at(over: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability that one look notices a contrast of this multiple of its threshold."""
    return np.asarray(1 - np.exp(-(over**STEEPNESS)))
