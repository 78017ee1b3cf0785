"""The kinds of answers in uploads and exports, each called as its field, and the fields beside them."""

ANSWER, REPLY, PREDICTION = "answer", "reply", "prediction"
LOG_PROBS, MARGIN, SURPRISE = "log_probs", "margin", "surprise"
NUMBERS = (LOG_PROBS, MARGIN)  # the kinds for strategies by likelihood
THOUGHTS, ENDED, TIMES = "thoughts", "ended", "times"
FINDINGS = ("reading", "problem", "score", "tokens_in", "tokens_out")  # in exports; uploads may hold them unread
