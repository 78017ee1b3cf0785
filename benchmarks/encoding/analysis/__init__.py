"""Analysis of videos: shots, clip boundaries, speech, silence and music. The only package here that imports torch."""
