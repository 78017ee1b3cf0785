"""Reads and writes media in sandboxed processes, and analyses long videos."""
