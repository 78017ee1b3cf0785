"""Listing of submissions on the leaderboard: proposal, staff inbox, decision, e-mails and model card."""
