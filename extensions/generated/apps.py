from django.apps import AppConfig


class GeneratedConfig(AppConfig):
    name = "extensions.generated"
    label = "generated"

    def ready(self) -> None:
        from benchmarks.packs import folder_check
        from evaluation.adapters import registry
        from extensions.generated.pages.parts import PARTS
        from extensions.generated.rating.protocols import KIND_OF_STUDY, break_protocol, pair_protocol, rating_protocol
        from humantrials.kinds import PATHS
        from humantrials.protocols.catalogue.file_benchmarks import BUILDERS
        from leaderboard.board import page_parts
        from leaderboard.publications import later_results

        page_parts.register(PARTS)
        folder_check.OTHER_CHECKS.append("extensions.generated.clipsets.folder.check_folder")
        later_results.OTHER_READERS.append("extensions.generated.published.import_published")
        PATHS[KIND_OF_STUDY] = "extensions.generated.rating.kind.RATINGS"
        BUILDERS.update({"rating": rating_protocol, "pair": pair_protocol, "break": break_protocol})
        judges = {"made-judge": "extensions.generated.made.judges.MadeJudge"}
        registry.register(judges, hearing={"made-judge": ""}, weighing=(), only_surprising=())
