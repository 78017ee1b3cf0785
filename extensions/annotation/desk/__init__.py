"""Pages for authors and staff about annotation: progress, review of questions and answers, grades."""
