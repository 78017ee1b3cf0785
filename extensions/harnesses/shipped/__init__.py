"""Files for the folders of other tools, written there as they are; nothing of the site imports them."""
