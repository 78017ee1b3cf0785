from django.apps import AppConfig


class HarnessesConfig(AppConfig):
    name = "extensions.harnesses"

    def ready(self) -> None:
        """Register the formats of export_benchmark."""
        from benchmarks.packs.export import OTHER_FORMATS

        OTHER_FORMATS["lmms-eval"] = "extensions.harnesses.folders.write_lmms_eval"
        OTHER_FORMATS["inspect"] = "extensions.harnesses.folders.write_inspect"
        OTHER_FORMATS["hugging-face"] = "extensions.harnesses.hub.write_data_set"
