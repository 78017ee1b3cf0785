"""CRAFT's questions: programs, answers, balance and statistics."""
