"""Test 16: is the ball found in the corner to which it ran?"""

from scenes.audit.geometry import is_hidden, jump_of
from scenes.audit.objects.covered_tray import aim_of, corner_findings, rolling_findings, side_of
from scenes.audit.verdict import Expectation, Finding, Verdict
from scenes.trajectory import Trajectory


def read(trajectory: Trajectory) -> Verdict:
    (ball,) = trajectory.with_role("ball")
    jump = jump_of(trajectory, ball)
    findings = rolling_findings(trajectory, ball, jump) + corner_findings(trajectory, ball)
    aim, end = aim_of(trajectory, ball), side_of(trajectory, ball, len(trajectory) - 1)
    if aim == 0:
        return Verdict("", findings=(*findings, Finding("motion", "the ball does not come to the cover")))
    if (jump is not None) != (aim != end):
        findings += (Finding("continuity", "the ball's end does not fit its way", jump),)
    if aim == end:
        return Verdict("plausible", findings=findings)
    if jump is not None and not (is_hidden(trajectory, ball, jump - 1) and is_hidden(trajectory, ball, jump)):
        findings += (Finding("hidden", "the ball jumps in plain view", jump),)
    return Verdict("implausible", jump, "the ball comes to rest in the corner to which it did not run", findings)


EXPECTATION = Expectation(
    read=read,
    roles={"ball": 1, "cover": 1, "curtain": 1, "wall": 1, "side": 2, "line": 1, "floor": 1},
    main=("ball",),
    movers=("ball", "cover"),
    exits=("ball",),  # it waits under its cover, which may reach beyond the picture
    jumpers=("ball",),
    delay=(0.0, 2.0),
    known_defects=frozenset({"corner"}),  # published: the plausible ball stops 0.7 m short of its corner
)
