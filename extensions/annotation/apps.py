from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "extensions.annotation"
    label = "annotation"
    study_links = (("materials", "Material for annotation"),)

    def ready(self) -> None:
        from django.conf import settings

        from accounts.roles import Role, grant
        from extensions.annotation.protocol.pacs_annotation import PACS_ANNOTATION
        from humantrials.kinds import register
        from humantrials.protocols import PROTOCOLS

        grant(Role.AUTHOR, "annotation.add_material")
        grant(Role.ADMIN, "annotation.add_material", "annotation.change_material")
        register(PACS_ANNOTATION.design.kind, "extensions.annotation.kind.ANNOTATION")
        PROTOCOLS[PACS_ANNOTATION.name] = PACS_ANNOTATION
        settings.CELERY_TASK_ROUTES["extensions.annotation.tasks.*"] = {"queue": "cpu"}
        sweep = {"task": "extensions.annotation.tasks.sweep_material", "schedule": 60.0, "options": {"expires": 60}}
        settings.CELERY_BEAT_SCHEDULE["sweep material"] = sweep
