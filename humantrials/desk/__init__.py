"""Pages for authors and staff: studies, participants, payments and annotation."""
