"""Pages for authors and staff: studies, participants and payments."""
