"""Finds how many conversations fit on the device at once."""

from collections.abc import Callable

import torch

ON_CPU = 8  # a larger one only adds padding
LARGEST = 32  # for a GPU; a shard has two batches
USABLE = 0.8  # share of the free memory: later conversations may be longer than the measured one


def batch_that_fits(device: torch.device, ask_one: Callable[[], None]) -> int:
    """The largest power of two that fits into memory, judging by the memory that `ask_one` takes."""
    if device.type != "cuda":
        return ON_CPU
    try:
        taken = peak_of(device, ask_one)
    except torch.OutOfMemoryError:
        return 1
    return power_of_two(free_on(device), taken)


def power_of_two(free: int, taken: int) -> int:
    """The largest power of two that fits, from 1 to LARGEST."""
    fitting = int(USABLE * free / max(1, taken))
    return 1 << max(0, min(LARGEST, fitting).bit_length() - 1)


def peak_of(device: torch.device, ask_one: Callable[[], None]) -> int:
    """The most bytes in use during `ask_one`, beyond those in use before."""
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    ask_one()
    return torch.cuda.max_memory_allocated(device) - before


def free_on(device: torch.device) -> int:
    """The free bytes on the device, after torch has released its cache."""
    torch.cuda.empty_cache()
    return torch.cuda.mem_get_info(device)[0]


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether the error means that the device or the machine has run out of memory."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
