"""Holders of sheets, and answers that count: leases, claims, exits and repair."""
