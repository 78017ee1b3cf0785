"""The site stands still for a while: readers are told until when, answers wait with those who gave them."""
