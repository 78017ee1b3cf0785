"""Which answers and people are doubtful: attention, flags, registered rules."""
