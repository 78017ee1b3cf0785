from django.apps import AppConfig


class GeneratedConfig(AppConfig):
    name = "extensions.generated"
    label = "generated"

    def ready(self) -> None:
        from django.conf import settings

        from accounts.roles import Role, grant
        from benchmarks.packs import folder_check
        from evaluation.adapters import registry
        from extensions.generated.pages.parts import PARTS
        from extensions.generated.rating.protocols import BUILT, KIND_OF_STUDY
        from humantrials.kinds import PATHS
        from humantrials.protocols.catalogue.file_benchmarks import BUILDERS
        from leaderboard.board import page_parts
        from leaderboard.publications import later_results

        sends = ("benchmarks.add_folderupload", "generated.add_clipset")
        grant(Role.AUTHOR, *sends)
        grant(Role.ADMIN, *sends, "generated.change_clipset")
        page_parts.register(PARTS)
        folder_check.OTHER_CHECKS.append("extensions.generated.prompts.import_pack.check_folder")
        folder_check.OTHER_CHECKS.append("extensions.generated.clipsets.folder.check_folder")
        folder_check.OTHER_IMPORTS.append("extensions.generated.prompts.import_pack.import_folder")
        folder_check.OTHER_IMPORTS.append("extensions.generated.clipsets.checking.import_folder")
        later_results.OTHER_READERS.append("extensions.generated.published.import_published")
        PATHS[KIND_OF_STUDY] = "extensions.generated.rating.kind.RATINGS"
        BUILDERS.update(BUILT)
        judges = {"made-judge": "extensions.generated.made.judges.MadeJudge"}
        registry.register(judges, hearing={"made-judge": ""}, weighing=(), only_surprising=())
        settings.CELERY_TASK_ROUTES["extensions.generated.tasks.*"] = {"queue": "cpu"}
        sweep = {"task": "extensions.generated.tasks.sweep_clip_sets", "schedule": 60.0, "options": {"expires": 60}}
        settings.CELERY_BEAT_SCHEDULE["sweep clip sets"] = sweep
