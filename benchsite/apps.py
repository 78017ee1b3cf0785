from django.apps import AppConfig


class BenchsiteConfig(AppConfig):
    name = "benchsite"
