"""Settings that an author may change for one trial; the protocol decides everything else."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from humantrials.errors import BadSetting
from humantrials.protocols.protocol import Protocol
from humantrials.protocols.rule_limits import LIMITS, read_rules, rules_as_text
from humantrials.protocols.scales import read_scale

LONGEST_LEAST, LONGEST_BREAK = 600, 3600  # seconds
MOST_ATTEMPTS = 5  # at the quiz
MOST_STILLS = 64
ROW, SLIDES = LAYOUTS = ("row", "slides")
PACK_OR_ITEMS = re.compile(r"[\w-]+(:[\w-]+(,[\w-]+)*)?")


@dataclass(frozen=True)
class Setting:
    """One setting: how its text is parsed, what it means, and its label in forms."""

    name: str
    read: Callable[[str], Any]
    about: str  # its meaning, then a colon and the wanted format
    title: str
    part: str = ""  # the part of the protocol whose value it overrides; "" if none

    @property
    def wanted(self) -> str:
        return self.about.rpartition(": ")[2]


def _flag(text: str) -> bool:
    words = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    return words[text.strip().lower()]


def _number(low: float, high: float, kind: Callable[[str], float] = int) -> Callable[[str], float]:
    """Reads a number in these limits; nan is refused as well."""

    def read(text: str) -> float:
        number = kind(text)
        if not low <= number <= high:
            raise ValueError(text)
        return number

    return read


_count, _few, _stills = _number(1, 100_000), _number(1, MOST_ATTEMPTS), _number(1, MOST_STILLS)
_points, _share = _number(0.5, 50, float), _number(0, 1, float)  # points: half of an interval


def _layout(text: str) -> str:
    if text not in LAYOUTS:
        raise ValueError(text)
    return text


def _pack_or_items(text: str) -> str:
    found = PACK_OR_ITEMS.fullmatch("".join(text.split()))
    if found is None:
        raise ValueError(text)
    return found[0]


def _seconds_to(text: str) -> str:
    least, _, most = (part.strip() for part in text.partition("to"))
    if not 0 <= int(least) <= min(int(most), LONGEST_LEAST) or int(most) > LONGEST_BREAK:
        raise ValueError(text)
    return f"{int(least)} to {int(most)}"


def _address(text: str) -> str:
    if not text.startswith(("https://", "http://")):
        raise ValueError(text)
    return text


DEVICES, BROWSERS = ("computer", "tablet", "phone"), ("chrome", "edge", "firefox", "safari")
NARROWEST, WIDEST = 200, 4000  # CSS pixels


@dataclass(frozen=True)
class Gates:
    """The equipment that a participant needs; an empty tuple allows any, a width of 0 any page."""

    devices: tuple[str, ...] = ()
    browsers: tuple[str, ...] = ()
    width: int = 0  # CSS pixels, at least


def read_gates(text: str) -> list[str]:
    """Parse words such as `computer firefox width=800`; raises ValueError at the first unknown word."""
    words = text.lower().split()
    for word in words:
        if word.startswith("width="):
            number = word.removeprefix("width=")
            if not (number.isdecimal() and NARROWEST <= int(number) <= WIDEST):
                raise ValueError(word)
        elif word not in (*DEVICES, *BROWSERS):
            raise ValueError(word)
    return sorted(set(words))


def gates_of(settings: Mapping[str, Any]) -> Gates:
    """The gates described by the trial's words, which `read_gates` returned."""
    words = settings.get("gates", ())
    widths = [int(word.removeprefix("width=")) for word in words if word.startswith("width=")]
    return Gates(
        tuple(word for word in words if word in DEVICES),
        tuple(word for word in words if word in BROWSERS),
        max(widths, default=0),
    )


SETTINGS = {
    setting.name: setting
    for setting in (
        Setting("seal", _flag, "hide the questions while the study is open: true or false",
                "Hide questions while open"),
        Setting("replicates", _count, "answers to each item: a number from 1", "Answers per item", part="design"),
        Setting("per_test", _count, "items of each test, at most: a number from 1", "Items per test", part="pool"),
        Setting("items", _count, "items altogether, at most: a number from 1", "Items in all", part="pool"),
        Setting("qualified", str.split, "panel ids of permitted people, if the protocol has such a list: words",
                "Qualified people", part="screening"),
        Setting("split", str, "the split that the pool is taken from: its name", "Split", part="pool"),
        Setting("qualification", _flag, "admit people to a stage only after graded rounds: true or false",
                "Graded rounds"),
        Setting("writers", _count, "people who write questions for each writers' pair: a number from 1",
                "Writers per pair"),
        Setting("lease_seconds", _count, "how long a sheet is reserved after the last heartbeat: seconds, from 1",
                "Seconds a sheet is kept", part="player"),
        Setting("precision", _points, "stop once half the 95 % interval is so many points: a number from 0.5 to 50",
                "Target precision"),
        Setting("second_round", _count, "sheets of a second round, which asks more often where people disagreed: a "
                "number from 1", "Second round"),
        Setting("rules", read_rules, "rules that leave people out of the results, each with its limit if it is not"
                " the usual one: NAME or NAME=LIMIT, separated by blanks, of"
                f" {', '.join(LIMITS)}", "Exclusion rules"),
        Setting("gates", read_gates, "equipment that people need: words of computer, tablet, phone, chrome, edge, "
                "firefox, safari, width=800", "Equipment"),
        Setting("quiz_attempts", _few, "attempts at the quiz on the instructions, after which the study ends: a"
                " number from 1 to 5", "Attempts at the quiz", part="screening"),
        Setting("confidence", read_scale, "ask after each answer how sure people are: steps from 2 to 7, and the words "
                "at both ends if they are your own, such as 5, guessing, certain", "Confidence"),
        Setting("why", _share, "share of each sheet's items after which people are asked why: a number from 0 to 1",
                "Reasons"),
        Setting("attention", _pack_or_items, "source of attention items, with pages and answers like the others:"
                " the name of a pack, or PACK:ITEM,ITEM with public ids",
                "Attention items from"),
        Setting("attention_items", _count, "attention items of each sheet (2 if they have a pack), some asked twice"
                " if there are fewer: a number from 1", "Attention items per sheet"),
        Setting("frames", _stills, "stills of each clip, if stills are shown (default 8): a number from 1 to 64",
                "Stills per clip"),
        Setting("layout", _layout, "how stills are shown: row or slides", "Layout of stills"),
        Setting("break_every", _count, "a break after so many items: a number from 1", "Break after"),
        Setting("break_seconds", _seconds_to, "the least length of a break, and the most of it that counts as work"
                " (default 0 to 300): seconds, such as 30 to 300", "Length of a break"),
        Setting("people_per_address", _count, "people from one network address, at most: a number from 1",
                "People per network address"),
        Setting("newcomers", _count, "new people in an hour, at most: a number from 1", "New participants per hour"),
        Setting("contact", str, "contact for participants' questions: shown with the consent", "Contact"),
        Setting("ethics", str, "the ethics board's approval: its name and number, shown with the consent",
                "Ethics approval"),
        Setting("completion_url", _address, "where people return to their panel with the code: an https:// address",
                "Completion URL"),
    )
}  # fmt: skip


OF_STAGES = ("qualification", "writers")  # settings of staged protocols only
# Settings that decide sheets or admission: set once, when the trial is created.
OF_THE_DESIGN = ("replicates", "per_test", "items", "split", "qualified", *OF_STAGES)


def read_settings(pairs: Mapping[str, Any]) -> dict[str, Any]:
    """Parse the settings; raises BadSetting, in one sentence, at the first unknown name or bad value."""
    return {name: _read(name, value) for name, value in pairs.items()}


def _read(name: str, value: Any) -> Any:
    if name not in SETTINGS:
        raise BadSetting(f"a trial has no setting {name!r}; it has: {', '.join(SETTINGS)}")
    try:
        return SETTINGS[name].read(value if isinstance(value, str) else str(value))
    except (ValueError, KeyError) as error:
        why = f"{error}" if name == "rules" else SETTINGS[name].about
        raise BadSetting(f"{name}={value}: {why}") from None


def as_typed(value: Any) -> str:
    """A stored value as somebody would type it."""
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, list):
        return str(value)
    return " ".join(word if isinstance(word, str) else rules_as_text([word]) for word in value)


def typed_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Stored settings as somebody would type them."""
    return {name: as_typed(value) for name, value in settings.items()}


def setting(settings: Mapping[str, Any], name: str, protocol: Protocol) -> Any:
    """The trial's own value, or the protocol's."""
    return settings[name] if name in settings else protocol_value(protocol, name)


def warning_of(settings: Mapping[str, Any], protocol: Protocol) -> str:
    """A warning to the author about these settings, in one sentence; "" if there is none."""
    wanted = setting(settings, "replicates", protocol)
    if protocol.analysis.row != "majority" or wanted % 2:
        return ""
    return f"{wanted} answers per item can tie, and a tie has no majority: an odd number can't tie between two answers."


def protocol_value(protocol: Protocol, name: str) -> Any:
    """The protocol's value of this setting; None if only trials have it."""
    part = SETTINGS[name].part
    return getattr(getattr(protocol, part), name) if part else None


USUAL = 8  # as many as models get by default


def stills_wanted(settings: Mapping[str, Any]) -> int:
    return int(settings.get("frames", USUAL))


def stills_per_clip(settings: Mapping[str, Any], frames: int) -> int:
    """How many are shown of a clip with so many frames; a still picture is shown once."""
    return stills_wanted(settings) if frames > 1 else frames
