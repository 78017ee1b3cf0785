"""What a test's clips must look like, and how their answer is read: data for the general checks."""

from collections.abc import Callable
from dataclasses import dataclass, field

from scenes.audit.verdict import Verdict
from scenes.trajectory import Trajectory


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """One test; all tuples name roles of bodies."""

    read: Callable[[Trajectory], Verdict]  # the answer, and findings of this test alone
    roles: dict[str, int]  # how many bodies play each part
    main: tuple[str, ...] = ()  # what the question is about: must be in the picture
    movers: tuple[str, ...] = ()
    leaving: tuple[str, ...] = ()  # may be outside the picture for a while
    jumpers: tuple[str, ...] = ()  # whose jumps the test's own reading judges
    recoloured: tuple[str, ...] = ()  # whose change of colour the test's own reading judges
    appearing: tuple[str, ...] = ()  # may be absent at the start
    vanishing: tuple[str, ...] = ()  # whose coming and going the test's own reading judges
    turners: tuple[str, ...] = ()  # boxes whose turning the test's own reading judges
    excused: tuple[str, ...] = ()  # two roles whose overlap the test's own reading judges
    delay: tuple[float, float] | None = None  # seconds within which the first motion starts
    must_move: bool = True
    known_defects: frozenset[str] = field(default_factory=frozenset)  # checks that the faithful profile fails
