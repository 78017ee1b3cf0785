"""Static files whose names contain a hash of their content, gzipped in advance."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class HashedFiles(CompressedManifestStaticFilesStorage):
    """Computes each URL once per process: a page uses up to a dozen, and the manifest is read at the start."""

    def __init__(self, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)
        self.urls: dict[str, str] = {}

    def url(self, name: str, force: bool = False) -> str:
        """The file's URL with its hash."""
        known = self.urls.get(name)
        if known is None or force:
            known = self.urls[name] = super().url(name, force)
        return known
