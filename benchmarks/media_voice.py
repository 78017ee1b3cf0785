"""The sound stream of a file being written: AAC at a rate that every player knows, in step with the pictures."""

from fractions import Fraction
from typing import Any

import av
import numpy as np
from numpy.typing import NDArray

AAC_RATES = (48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000)  # Hz
USUAL_RATE = 44_100
LAYOUTS = {1: "mono", 2: "stereo"}
BITS_A_SECOND = 128_000
SAMPLES_A_FRAME = 1024
JITTER = 0.005  # seconds; times that are off by less are rounding, and filling or cutting there would click
Samples = NDArray[np.float32]  # channels, samples


class Voice:
    """A sound stream of a file being written: takes frames of any kind, in order, and counts what was said."""

    def __init__(self, written: "av.container.OutputContainer", rate: int, layout: str) -> None:
        self.written, self.rate, self.layout = written, rate, layout
        self.stream: Any = written.add_stream("aac", rate=rate, layout=layout)
        self.stream.bit_rate = BITS_A_SECOND
        self.plain = av.AudioResampler(format="fltp", layout=layout, rate=rate)
        self.said = 0  # samples

    @classmethod
    def like(cls, written: "av.container.OutputContainer", stream: "av.AudioStream") -> "Voice":
        """As near to this stream as every player knows."""
        rate = stream.rate if stream.rate in AAC_RATES else USUAL_RATE
        return cls(written, rate, LAYOUTS.get(stream.channels, "stereo"))

    def say(self, frame: "av.AudioFrame", *, until: float | None = None, since: float = 0.0) -> None:
        """Say this frame at its own time, `since` being time 0; gaps are silence, what comes too late is left out."""
        for one in self.plain.resample(frame):
            if until is not None and self.said >= round(until * self.rate):
                return
            samples = np.asarray(one.to_ndarray(), dtype=np.float32)
            if one.time is not None:
                samples = self._placed(samples, round((one.time - since) * self.rate))
            if until is not None:
                samples = samples[:, : max(0, round(until * self.rate) - self.said)]
            self._write(samples)

    def say_nothing(self, until: float) -> None:
        """Silence up to here."""
        while (missing := round(until * self.rate) - self.said) > 0:
            self._write(self._silence(min(missing, SAMPLES_A_FRAME)))

    def finish(self) -> None:
        self.written.mux(self.stream.encode(None))

    def _placed(self, samples: Samples, at: int) -> Samples:
        """After silence where something is missing, and without what lies before the present end."""
        late = at - self.said
        if abs(late) <= JITTER * self.rate:
            return samples
        if late > 0:
            self.say_nothing(at / self.rate)
        return samples[:, max(0, -late) :]

    def _silence(self, count: int) -> Samples:
        return np.zeros((1 if self.layout == "mono" else 2, count), dtype=np.float32)

    def _write(self, samples: Samples) -> None:
        if not samples.shape[1]:
            return
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples), format="fltp", layout=self.layout)
        frame.sample_rate, frame.pts, frame.time_base = self.rate, self.said, Fraction(1, self.rate)
        self.said += samples.shape[1]
        self.written.mux(self.stream.encode(frame))
