"""Analysis of videos: shots, clip boundaries, speech, silence, music. Only this package of the app imports torch."""
