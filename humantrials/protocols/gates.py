"""Requirements that an author may set for a participant's equipment: device, page width, browser."""

from dataclasses import dataclass

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


def gates_of(words: list[str]) -> Gates:
    """The gates described by these words, which `read_gates` returned."""
    widths = [int(word.removeprefix("width=")) for word in words if word.startswith("width=")]
    return Gates(
        tuple(word for word in words if word in DEVICES),
        tuple(word for word in words if word in BROWSERS),
        max(widths, default=0),
    )
