"""From the link to the first clip: the door, equipment, sound, quiz."""
