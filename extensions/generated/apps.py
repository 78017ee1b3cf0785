from django.apps import AppConfig


class GeneratedConfig(AppConfig):
    name = "extensions.generated"
    label = "generated"
