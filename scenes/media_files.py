"""Opens media files that somebody else may have made: no format that would open other files."""

from pathlib import Path

import av

# No playlists, image scripts and similar formats, which would open other files.
CONTAINERS = "mov,matroska,avi,ogg,mpegts,flv,asf,mpeg"
WITHIN = {"format_whitelist": CONTAINERS, "protocol_whitelist": "file"}
STILL = {"format_whitelist": "png_pipe,image2"}  # pictures written by this site, as models' frames
MAX_SIDE = 4_096
LARGEST_PICTURE = {"max_pixels": str(MAX_SIDE**2)}  # applies also if the size grows within the stream


def opened(path: Path) -> "av.container.InputContainer":
    """The file opened for reading; ignores metadata that is not UTF-8, as written by old cameras."""
    options = WITHIN | (STILL if path.suffix == ".png" else {})
    container = av.open(str(path), metadata_errors="replace", options=options)
    for stream in container.streams.video:
        if stream.codec_context is not None:
            stream.codec_context.options = LARGEST_PICTURE
    return container
