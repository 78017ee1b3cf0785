from django.apps import AppConfig


class HumantrialsConfig(AppConfig):
    name = "humantrials"

    def ready(self) -> None:
        from humantrials import checks  # noqa: F401  registers the system checks
        from humantrials.kinds import register
        from humantrials.protocols import PROTOCOLS
        from humantrials.protocols.pacs_annotation import PACS_ANNOTATION
        from humantrials.results import late_scoring  # noqa: F401  its receivers are known once they are loaded

        register("annotation", "humantrials.annotation_kind.ANNOTATION")
        PROTOCOLS[PACS_ANNOTATION.name] = PACS_ANNOTATION
