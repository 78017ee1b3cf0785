"""The participant's way through a study: entry, consent, checks, trials and the end."""
