"""Material for annotation."""

from extensions.annotation.models.material import FileState, Material, MaterialClip, MaterialDecision, MaterialFile

__all__ = ["FileState", "Material", "MaterialClip", "MaterialDecision", "MaterialFile"]
