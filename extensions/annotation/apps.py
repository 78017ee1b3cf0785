from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "extensions.annotation"
    label = "annotation"
    study_links = (("materials", "Material for annotation"),)

    def ready(self) -> None:
        from accounts.roles import Role, grant

        grant(Role.AUTHOR, "annotation.add_material")
        grant(Role.ADMIN, "annotation.add_material", "annotation.change_material")
