from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "extensions.annotation"
    label = "annotation"

    def ready(self) -> None:
        from django.conf import settings

        from accounts.roles import Role, grant
        from extensions.annotation.protocol.pacs_annotation import PACS_ANNOTATION
        from humantrials.kinds import register

        grant(Role.AUTHOR, "annotation.add_material")
        grant(Role.ADMIN, "annotation.add_material", "annotation.change_material")
        register("extensions.annotation.kind.ANNOTATION", PACS_ANNOTATION)
        settings.CELERY_TASK_ROUTES["extensions.annotation.tasks.*"] = {"queue": "cpu"}
        sweep = {"task": "extensions.annotation.tasks.sweep_material", "schedule": 60.0, "options": {"expires": 60}}
        settings.CELERY_BEAT_SCHEDULE["sweep material"] = sweep
