"""Grants permissions by role. Other backends handle sign-in."""

from django.contrib.auth.backends import BaseBackend
from django.contrib.auth.models import AnonymousUser

from accounts.models import User
from accounts.roles import RIGHTS, Role


class RoleBackend(BaseBackend):
    """Adds the permissions of the user's role to those granted individually."""

    def get_group_permissions(self, user_obj: User | AnonymousUser, obj: object = None) -> set[str]:
        """The role's permissions; none for visitors, inactive accounts and single rows."""
        if not isinstance(user_obj, User) or not user_obj.is_active or obj is not None:
            return set()
        return set(RIGHTS[Role(user_obj.role)].permissions)

    def has_module_perms(self, user_obj: User | AnonymousUser, app_label: str) -> bool:
        """Whether the administration shows this app to the user."""
        return any(name.partition(".")[0] == app_label for name in self.get_group_permissions(user_obj))
