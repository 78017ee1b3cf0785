"""The staff's page for a benchmark as a file: a ZIP of its folder is checked, previewed and imported."""

import errno
import lzma
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required, permission_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from benchmarks.definitions.files.schema import BadDefinition
from benchmarks.definitions.release_bounds import is_litter
from benchmarks.errors import BadRelease, BenchmarkError
from benchmarks.gallery import checked_folder
from benchmarks.packs.benchmark_files import NAME, import_folder, read_file
from benchmarks.packs.folder_process import FolderSummary, check_within_limits
from benchmarks.policy import LIMITS, MEGABYTE

PACKED, UNPACKED = LIMITS["benchmark"].most, LIMITS["benchmark unpacked"].most  # bytes; the command accepts more
MEMBERS = LIMITS["benchmark files"].most
BLOCK = MEGABYTE
BROKEN = (
    zipfile.BadZipFile,
    NotImplementedError,
    RuntimeError,
    EOFError,
    ValueError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
)
MISNAMED = {errno.ENAMETOOLONG, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EINVAL, errno.EILSEQ}


class BenchmarkUploadForm(forms.Form):
    """A ZIP of a folder with a benchmark.toml."""

    folder = forms.FileField(
        label="ZIP of the folder", help_text=f"at most {LIMITS['benchmark'].words}; larger ones by import_benchmark"
    )

    def clean_folder(self) -> Any:
        file = self.cleaned_data["folder"]
        if file.size > PACKED:
            raise forms.ValidationError(
                f"The file has more than {LIMITS['benchmark'].words}; import it with the command."
            )
        return file


@never_cache
@login_required
@permission_required("benchmarks.add_benchmarkfile", raise_exception=True)
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest) -> HttpResponse:
    """Check a folder and preview the benchmark; the second button imports it without a second upload."""
    digest = "" if request.FILES else request.POST.get("checked", "")
    form = BenchmarkUploadForm() if digest else BenchmarkUploadForm(request.POST or None, request.FILES or None)
    context: dict[str, Any] = {"section": "benchmarks", "form": form}
    try:
        if digest:
            with checked_file(str(request.user.pk), digest) as file:
                return _answered(request, file, context)
        if request.method == "POST" and form.is_valid():
            return _answered(request, form.cleaned_data["folder"], context)
    except BadDefinition as error:
        context |= {"mistakes": error.mistakes, "file": error.file}
    except BenchmarkError as error:
        context["refusal"] = without_folder(str(error))
    return _page(request, context)


def _answered(request: HttpRequest, file: IO[bytes], context: dict[str, Any]) -> HttpResponse:
    """What the folder would become, or where it is once it is imported."""
    with unpacked(file) as root:
        context["report"] = check_within_limits(root)
        if "import" not in request.POST:
            return _page(request, context | {"checked": checked_folder.store(str(request.user.pk), file)})
        benchmark, report = import_folder(read_file(root / NAME), root)
    checked_folder.forget(str(request.user.pk))
    messages.success(request, f"{benchmark.title}: {report.items} questions about {report.clips} clips")
    return redirect("benchmark", benchmark.slug)


@contextmanager
def checked_file(user: str, digest: str) -> Iterator[IO[bytes]]:
    """The file that this person checked; BadRelease if it is not here any more."""
    path = checked_folder.find(user, digest)
    if path is None:
        raise BadRelease("the file that was checked is not here any more: choose it again")
    with path.open("rb") as file:
        yield file


def _page(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    status = 200 if request.method != "POST" or isinstance(context.get("report"), FolderSummary) else 422
    return render(request, "benchmarks/file_upload.html", context, status=status)


def without_folder(text: str) -> str:
    """The message without the path of the temporary folder."""
    return text.replace(f"{tempfile.gettempdir()}/", "")


@contextmanager
def unpacked(file: IO[bytes]) -> Iterator[Path]:
    """The folder in this ZIP, unpacked as long as the context lasts; BadRelease if it has none or is too large."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        try:
            with zipfile.ZipFile(file) as archive:
                _unpack(archive, root)
        except BadRelease:
            raise
        except BROKEN as error:
            raise BadRelease(f"the file is no ZIP that can be read ({error}); make or send it again") from None
        found = sorted(root.rglob(NAME), key=lambda path: len(path.parts))
        if not found:
            raise BadRelease(f"there is no {NAME} in the ZIP")
        yield found[0].parent


def _unpack(archive: zipfile.ZipFile, root: Path) -> None:
    members = [one for one in archive.infolist() if not one.is_dir() and not is_litter(one.filename)]
    if len(members) > MEMBERS:
        raise BadRelease(f"the ZIP has {len(members)} files; at most {MEMBERS} come through this page")
    left = UNPACKED
    for one in members:
        path = (root / one.filename).resolve()
        if not path.is_relative_to(root.resolve()) or stat.S_ISLNK(one.external_attr >> 16):
            raise BadRelease(f"the ZIP has a file outside of its folder: {one.filename[:80]!r}")
        with _new_file(path, one.filename) as target, archive.open(one) as source:
            left = _copy(source, target, left)


def _new_file(path: Path, name: str) -> IO[bytes]:
    """The file, opened; BadRelease if a folder has its name, a file that of its folder, or its name is too long."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("xb")
    except OSError as error:
        if error.errno not in MISNAMED:
            raise
        raise BadRelease(f"the ZIP has a file that can't be written: {name[:80]!r} ({error.strerror})") from None


def _copy(source: IO[bytes], target: IO[bytes], left: int) -> int:
    """Write one file; return the remaining byte limit. Bytes are counted, since sizes stated in a ZIP may be false."""
    while block := _block(source):
        left -= len(block)
        if left < 0:
            raise BadRelease(
                f"unpacked the ZIP has more than {LIMITS['benchmark unpacked'].words}: import the folder by the command"
            )
        target.write(block)
    return left


def _block(source: IO[bytes]) -> bytes:
    try:
        return source.read(BLOCK)
    except (*BROKEN, OSError) as error:  # bz2 raises an OSError for damaged data
        raise BadRelease(f"the ZIP is damaged ({error}); make or send it again") from None
