"""Carries out a scene's rules, which move the guided bodies."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from scenes.scene import (
    STEP,
    Action,
    After,
    Arrived,
    Glide,
    Hide,
    Hold,
    Near,
    Recolour,
    Released,
    Scene,
    Show,
    Slow,
    Swing,
    Teleport,
    Trigger,
    TriggeredAction,
    Vector,
)

CREEP = 0.02  # metres a second: the least speed of a slowing glide, so that it arrives


@dataclass
class ScriptState:
    """The current state of all bodies, changed by both the script and the engine."""

    position: NDArray[np.float64]
    orientation: NDArray[np.float64]
    colour: NDArray[np.float64]
    visible: NDArray[np.bool_]
    held: NDArray[np.bool_]
    speed: NDArray[np.float64]
    launched: dict[int, Vector] = field(default_factory=dict)  # by column: velocities still to be applied

    @classmethod
    def at_start(cls, scene: Scene) -> "ScriptState":
        bodies = scene.bodies
        return cls(
            np.array([body.position for body in bodies], dtype=float),
            np.array([body.orientation for body in bodies], dtype=float),
            np.array([body.colour for body in bodies], dtype=float),
            np.array([body.is_visible for body in bodies]),
            np.array([body.is_held for body in bodies]),
            np.zeros(len(bodies)),
        )


@dataclass
class GlideMotion:
    """A glide in progress."""

    target: NDArray[np.float64]
    speed: float
    acceleration: float

    def advance(self, here: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
        """Where the body is one step later, and whether that is the target."""
        way = self.target - here
        left = float(np.linalg.norm(way))
        length = max(self.speed * STEP + self.acceleration * STEP**2 / 2, CREEP * STEP)
        self.speed = max(self.speed + self.acceleration * STEP, CREEP)
        if length >= left - 1e-9:
            return self.target, True
        return here + way * (length / left), False


class Script:
    """Fires each rule once and moves the guided bodies, one step at a time."""

    def __init__(self, scene: Scene) -> None:
        self.column = {body.name: column for column, body in enumerate(scene.bodies)}
        self.waiting: list[TriggeredAction] = list(scene.rules)
        self.courses: dict[str, GlideMotion] = {}
        self.turns: dict[str, SwingMotion] = {}
        self.arrived: set[str] = set()
        self.top_speed: dict[str, float] = {}

    def advance(self, state: ScriptState, time: float) -> None:
        """Apply the rules and move the guided bodies, before the physics of this step."""
        for body in self.top_speed:
            self.top_speed[body] = max(self.top_speed[body], float(state.speed[self.column[body]]))
        for rule in tuple(self.waiting):
            if self._holds(rule.when, state, time):
                self.waiting.remove(rule)
                for action in rule.then:
                    self._act(action, state)
        for body in tuple(self.courses):
            self._move(body, state)
        for body in tuple(self.turns):
            self._turn(body, state)

    def _holds(self, trigger: Trigger, state: ScriptState, time: float) -> bool:
        match trigger:
            case After(seconds):
                return time >= seconds - 1e-9
            case Arrived(body):
                return body in self.arrived
            case Near(body, point, distance):
                return math.dist(state.position[self.column[body]], point) <= distance
            case Slow(body, speed):
                return self.top_speed.get(body, 0.0) > speed >= state.speed[self.column[body]]

    def _act(self, action: Action, state: ScriptState) -> None:
        column = self.column[action.body]
        match action:
            case Glide(body, target, speed, acceleration):
                self.courses[body] = GlideMotion(np.array(target, dtype=float), speed, acceleration)
                self.arrived.discard(body)
            case Swing(body):
                self.turns[body] = SwingMotion(action, state.position[column].copy(), state.orientation[column].copy())
                self.arrived.discard(body)
            case Released(body, velocity):
                state.held[column] = False
                state.launched[column] = velocity
                self.top_speed[body] = 0.0
            case Hold():
                state.held[column] = True
                state.speed[column] = 0.0
            case Recolour(_, colour):
                state.colour[column] = colour
            case Teleport(_, target):
                state.position[column] = target
            case Show():
                state.visible[column] = True
            case Hide():
                state.visible[column] = False

    def _move(self, body: str, state: ScriptState) -> None:
        column = self.column[body]
        state.position[column], is_there = self.courses[body].advance(state.position[column])
        if is_there:
            del self.courses[body]
            self.arrived.add(body)

    def _turn(self, body: str, state: ScriptState) -> None:
        column = self.column[body]
        state.position[column], state.orientation[column], is_over = self.turns[body].advance()
        if is_over:
            del self.turns[body]
            self.arrived.add(body)


@dataclass
class SwingMotion:
    """A swing in progress; every pose is computed from the first one, so that errors don't add up."""

    swing: Swing
    position: NDArray[np.float64]
    orientation: NDArray[np.float64]
    turned: float = 0.0  # degrees so far, unsigned

    def advance(self) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
        """Centre and orientation one step later, and whether the swing is over."""
        self.turned = min(self.turned + self.swing.speed * STEP, abs(self.swing.degrees))
        angle = math.radians(math.copysign(self.turned, self.swing.degrees))
        axis = np.array(self.swing.axis) / np.linalg.norm(self.swing.axis)
        arm = self.position - self.swing.hinge
        along = axis * (arm @ axis)
        turned = along + math.cos(angle) * (arm - along) + math.sin(angle) * np.cross(axis, arm)
        is_over = self.turned >= abs(self.swing.degrees)
        return self.swing.hinge + turned, _times(_about(axis, angle), self.orientation), is_over


def _about(axis: NDArray[np.float64], angle: float) -> NDArray[np.float64]:
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * axis)])


def _times(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    """Product of two quaternions w, x, y, z, which applies the second rotation first."""
    scalar = first[0] * second[0] - first[1:] @ second[1:]
    vector = first[0] * second[1:] + second[0] * first[1:] + np.cross(first[1:], second[1:])
    return np.array([scalar, *vector])
