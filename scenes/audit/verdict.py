"""What an audit says."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """Something that is not as the test wants it; `check` names the rule, `frame` the first recorded state."""

    check: str
    what: str
    frame: int | None = None

    def __str__(self) -> str:
        return self.what if self.frame is None else f"{self.what} (first at state {self.frame})"


@dataclass(frozen=True)
class Verdict:
    """The answer read from the motion, and where physics was first broken, if it was."""

    label: str
    violation_frame: int | None = None
    what: str = ""
    findings: tuple[Finding, ...] = ()
