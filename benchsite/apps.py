import gc

from django.apps import AppConfig


class BenchsiteConfig(AppConfig):
    name = "benchsite"

    def ready(self) -> None:
        gc.freeze()
        gc.enable()
