"""Audits of a pack's items: questions that can be answered without the clip, and items with odd results."""
