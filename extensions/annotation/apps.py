from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "extensions.annotation"
    label = "annotation"
    study_links = (("materials", "Material for annotation"),)

    def ready(self) -> None:
        from accounts.roles import Role, grant
        from extensions.annotation.protocol.pacs_annotation import PACS_ANNOTATION
        from humantrials.kinds import register
        from humantrials.protocols import PROTOCOLS

        grant(Role.AUTHOR, "annotation.add_material")
        grant(Role.ADMIN, "annotation.add_material", "annotation.change_material")
        register(PACS_ANNOTATION.design.kind, "extensions.annotation.kind.ANNOTATION")
        PROTOCOLS[PACS_ANNOTATION.name] = PACS_ANNOTATION
