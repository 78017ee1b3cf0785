"""Users and their keys in the administration."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.http import HttpRequest

from accounts.models import Token, User


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    list_display = ("username", "email", "is_active", "is_staff", "last_login", "date_joined")


@admin.register(Token)
class TokenAdmin(admin.ModelAdmin):
    """A key can be revoked here; its owner alone makes one, since it is shown once."""

    list_display = ("name", "user", "created_at", "expires_at")
    list_filter = ("expires_at",)
    search_fields = ("name", "user__username")
    list_select_related = ("user",)
    readonly_fields = fields = ("name", "user", "created_at", "expires_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
