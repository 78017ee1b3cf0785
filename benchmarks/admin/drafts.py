"""An editor of patterns in the admin site, with a preview."""

import io
from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from benchmarks.definitions.registry import BUILT_IN
from benchmarks.models.pattern_drafts import PatternDraft, filled

EDGE = 104  # pixels of a previewed picture; six fit side by side
BEGINNING = "In the next image,"


class PatternForm(forms.ModelForm):
    """Validates each field separately, so that the error appears beside it."""

    changes = forms.MultipleChoiceField(
        choices=[(value.value, value.title) for value in BUILT_IN["giraffe"].facet("change").values],
        widget=forms.CheckboxSelectMultiple,
        help_text="which of the paper's four dimensions of patterns change",
    )

    class Meta:
        model = PatternDraft
        fields = ("name", "changes", "images", "following", "wrong", "pattern", "pred", "state", "note")

    def clean_images(self) -> str:
        from scenes.giraffe.hand import FEWEST, MOST

        text: str = self.cleaned_data["images"]
        lines = filled(text)
        if not FEWEST <= len(lines) <= MOST:
            raise ValidationError(f"{len(lines)} pictures: write {FEWEST} to {MOST}, one a line")
        _refuse_bad(lines)
        if any("|" in line for line in lines):
            raise ValidationError("one picture a line, and no bars")
        return text

    def clean_following(self) -> str:
        text: str = self.cleaned_data["following"]
        if len(filled(text)) != 1:
            raise ValidationError("one picture, on one line")
        _refuse_bad(filled(text))
        return text

    def clean_wrong(self) -> str:
        text: str = self.cleaned_data["wrong"]
        parts = [line.partition(" : ") for line in filled(text)]
        if len(parts) != 3:
            raise ValidationError(f"{len(parts)} pictures: write three, one a line")
        for number, (_, _, what) in enumerate(parts, start=1):
            if not what.strip():
                raise ValidationError(f"line {number}: say what is wrong after a colon: ball red : it stays")
        _refuse_bad([picture for picture, _, _ in parts])
        return text

    def clean_pattern(self) -> str:
        return whole_sentences(self.cleaned_data["pattern"])

    def clean_pred(self) -> str:
        text = whole_sentences(self.cleaned_data["pred"])
        if not text.startswith(BEGINNING):
            raise ValidationError(f"begin with “{BEGINNING}”")
        return text

    def clean(self) -> dict[str, Any]:
        """Check that no near miss equals the next picture or another near miss."""
        from scenes.giraffe.notation import read_picture

        cleaned = super().clean() or {}
        if "following" in cleaned and "wrong" in cleaned:
            pictures = [cleaned["following"], *(line.partition(" : ")[0] for line in filled(cleaned["wrong"]))]
            if len({read_picture(picture) for picture in pictures}) < len(pictures):
                self.add_error("wrong", "a near miss is the next picture itself, or occurs twice")
        return cleaned


def _refuse_bad(pictures: list[str]) -> None:
    from scenes.giraffe.notation import BadNotation, read_picture

    for number, text in enumerate(pictures, start=1):
        try:
            read_picture(text)
        except BadNotation as error:
            raise ValidationError(f"line {number}: {error}") from None


def whole_sentences(text: str) -> str:
    """The text on one line; raises ValidationError if it doesn't end in a full stop, ! or ?."""
    sentence = " ".join(text.split())
    if not sentence.endswith((".", "!", "?")):
        raise ValidationError("write whole sentences, with a stop at the end")
    return sentence


@admin.register(PatternDraft)
class PatternDraftAdmin(admin.ModelAdmin):
    """`manage.py prepare_giraffe edited --out FOLDER` draws the accepted ones."""

    form = PatternForm
    list_display = ("name", "changes", "state", "updated_at")
    list_filter = ("state",)
    search_fields = ("name", "pattern", "pred")
    readonly_fields = ("preview",)
    fields = (*PatternForm.Meta.fields, "preview")

    def get_urls(self) -> list[URLPattern]:
        own = path("<int:pk>/preview.png", self.admin_site.admin_view(self.picture), name="pattern-preview")
        return [own, *super().get_urls()]

    @admin.display(description="preview")
    def preview(self, draft: PatternDraft) -> SafeString | str:
        """An image of the pictures in order, the next one and the near misses, as last saved."""
        if not draft.pk:
            return "save and continue editing to see the pictures"
        address = f"{reverse('admin:pattern-preview', args=[draft.pk])}?{draft.updated_at:%s}"
        return format_html('<img src="{}" alt="The pictures, the next one, and three near misses">', address)

    def picture(self, request: HttpRequest, pk: int) -> HttpResponse:
        """A PNG of the draft's pictures and the next one (framed), with the near misses below."""
        draft = get_object_or_404(PatternDraft, pk=pk)
        try:
            content = _sheet(draft)
        except ValueError as error:
            raise Http404(str(error)) from None
        return HttpResponse(content, content_type="image/png", headers={"Cache-Control": "no-store"})


def _sheet(draft: PatternDraft) -> bytes:
    from PIL import Image, ImageDraw

    from scenes.giraffe.drawing import pixels_of

    puzzle = draft.puzzle
    rows = [[*puzzle.images, puzzle.following], [miss.picture for miss in puzzle.near_misses]]
    step = EDGE + 8
    sheet = Image.new("RGB", (max(map(len, rows)) * step, len(rows) * step), "white")
    pen = ImageDraw.Draw(sheet)
    for number, row in enumerate(rows):
        for place, picture in enumerate(row):
            left, top = place * step + 4, number * step + 4
            sheet.paste(Image.fromarray(pixels_of(picture, EDGE)[..., :3]), (left, top))
            colour = "#d92d20" if picture is puzzle.following else "#c9cdd4"
            pen.rectangle((left - 1, top - 1, left + EDGE, top + EDGE), outline=colour, width=2)
    file = io.BytesIO()
    sheet.save(file, "PNG")
    return file.getvalue()
