"""What a pack's items show by themselves: what is answered without looking, and which items answerers fail oddly."""
