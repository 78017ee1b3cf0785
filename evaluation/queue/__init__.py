"""Cells and shards of runs: leases, scheduling, wake-ups and quotas."""
