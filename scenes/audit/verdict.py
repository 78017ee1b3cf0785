"""The result of an audit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """A violation of the test's requirements; `check` names the rule, `frame` the first recorded state."""

    check: str
    what: str
    frame: int | None = None

    def __str__(self) -> str:
        return self.what if self.frame is None else f"{self.what} (first at state {self.frame})"


@dataclass(frozen=True)
class Verdict:
    """The answer read from the motion, and the state in which physics was first broken, if any."""

    label: str
    violation_frame: int | None = None
    what: str = ""
    findings: tuple[Finding, ...] = ()
