"""Where participants come from: each panel reads its own parameters from the entry address."""

from humantrials.panels.arrival import Arrival
from humantrials.panels.generic import read_arrival

__all__ = ["Arrival", "read_arrival"]
