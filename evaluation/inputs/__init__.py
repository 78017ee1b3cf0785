"""What a model sees and hears: decoding, frame cache, boxes, audio and prefetch."""
