"""The audio track of a file being written: AAC at a common rate, in sync with the video."""

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
JITTER = 0.005  # seconds; smaller offsets are rounding errors, and filling or cutting them would click
Samples = NDArray[np.float32]  # channels, samples


class Voice:
    """An AAC stream of a file being written; it takes audio frames of any format, in order, and counts samples."""

    def __init__(self, written: "av.container.OutputContainer", rate: int, layout: str) -> None:
        self.written, self.rate, self.layout = written, rate, layout
        self.stream: Any = written.add_stream("aac", rate=rate, layout=layout)
        self.stream.bit_rate = BITS_A_SECOND
        self.plain = av.AudioResampler(format="fltp", layout=layout, rate=rate)
        self.said = 0  # samples

    @classmethod
    def like(cls, written: "av.container.OutputContainer", stream: "av.AudioStream") -> "Voice":
        """A track with the rate and layout of this stream, or the nearest ones that every player supports."""
        rate = stream.rate if stream.rate in AAC_RATES else USUAL_RATE
        return cls(written, rate, LAYOUTS.get(stream.channels, "stereo"))

    def say(self, frame: "av.AudioFrame", *, until: float | None = None, since: float = 0.0) -> None:
        """Write a frame at its own time minus `since`; gaps become silence, and samples after `until` are dropped."""
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
        """Write silence up to this time in seconds."""
        while (missing := round(until * self.rate) - self.said) > 0:
            self._write(self._silence(min(missing, SAMPLES_A_FRAME)))

    def finish(self) -> None:
        self.written.mux(self.stream.encode(None))

    def _placed(self, samples: Samples, at: int) -> Samples:
        """Fill a gap before the samples with silence; return them without the part already written."""
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
