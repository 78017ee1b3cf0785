"""What videos hold: shots, where clips may be cut, speech, silence and music. The one place here that opens torch."""
