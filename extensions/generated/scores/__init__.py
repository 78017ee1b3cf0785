"""From answers of people and judges, and from truth, to the figures of a round's rows."""
