"""Users, their API keys and the audit log, in the administration."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from accounts.models import Act, Token, User
from accounts.roles import RIGHTS, Role

admin.site.unregister(Group)  # a role, not a group, decides what a user may do


@admin.register(User)
class UserAdmin(DjangoUserAdmin):
    """Users and their roles. An account that did something is deactivated rather than deleted."""

    list_display = ("username", "email", "role", "is_active", "is_staff", "last_login", "date_joined")
    list_filter = ("role", "is_active", "is_staff")
    fieldsets = (
        (None, {"fields": ("username", "password", "first_name", "last_name", "email")}),
        ("What the account may do", {"fields": ("role", "is_active", "is_superuser")}),
        ("Since", {"fields": ("last_login", "date_joined")}),
    )
    readonly_fields = ("last_login", "date_joined")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Only a superuser makes superusers or takes an admin's role away; users can't lock themselves out."""
        if obj is not None and obj.pk == request.user.pk:
            return (*self.readonly_fields, "role", "is_active", "is_superuser")
        if request.user.is_superuser:
            return self.readonly_fields
        return (*self.readonly_fields, "is_superuser", *(("role",) if obj and obj.role == Role.ADMIN else ()))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """An admin may not change a superuser: setting a new password would give access to the account."""
        allowed = super().has_change_permission(request, obj)
        return allowed and (obj is None or request.user.is_superuser or not obj.is_superuser)

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """The choice of roles, with what each may do; only a superuser can make admins."""
        field = super().formfield_for_choice_field(db_field, request, **kwargs)
        if db_field.name == "role" and field is not None:
            roles = [role for role in Role if role != Role.ADMIN or request.user.is_superuser]
            field.choices = [(role.value, role.label) for role in roles]
            field.help_text = "; ".join(f"{role.label}: {RIGHTS[role].words}" for role in roles)
        return field

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        obj.take_role(obj.role)
        super().save_model(request, obj, form, change)


@admin.register(Token)
class TokenAdmin(admin.ModelAdmin):
    """API keys can be revoked here; only the owner can make one, because it is shown once."""

    list_display = ("name", "user", "scopes", "created_at", "last_used_at", "expires_at")
    list_filter = ("expires_at",)
    search_fields = ("name", "user__username")
    list_select_related = ("user",)
    readonly_fields = fields = ("name", "user", "scopes", "created_at", "last_used_at", "expires_at")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


@admin.register(Act)
class ActAdmin(admin.ModelAdmin):
    """The audit log of staff, newest first and read-only; ImmutableAdmin is of an app beside this one."""

    list_display = ("at", "username", "what", "path", "details", "status")
    list_filter = ("what", "at")
    search_fields = ("username", "path")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
