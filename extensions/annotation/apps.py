from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "extensions.annotation"
    label = "annotation"

    def ready(self) -> None:
        from accounts.roles import Role, grant
        from extensions.annotation.protocol.pacs_annotation import PACS_ANNOTATION
        from humantrials.kinds import register

        grant(Role.AUTHOR, "annotation.add_material")
        grant(Role.ADMIN, "annotation.add_material", "annotation.change_material")
        register("extensions.annotation.kind.ANNOTATION", PACS_ANNOTATION)
