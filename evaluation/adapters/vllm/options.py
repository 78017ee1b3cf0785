"""Options of a model of kind `vllm`, and the command line made from them; each is checked, and an error is one line."""

import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from evaluation.adapters.openai.options import VIDEO, ServerOptions
from evaluation.errors import ModelMisused

SERVED_AS = "model"  # the server's name for its one model
DTYPES = ("auto", "bfloat16", "float16", "float32")
QUANTISED = ("", "fp8", "bitsandbytes", "awq", "gptq")
# Arguments that this site sets itself, or that would run a folder's own code or open other files.
OURS = (
    *("--model", "--host", "--port", "--uds", "--api-key", "--served-model-name", "--config", "--download-dir"),
    *(
        "--tensor-parallel-size",
        "-tp",
        "--dtype",
        "--max-model-len",
        "--gpu-memory-utilization",
        "--quantization",
        "-q",
    ),
    *("--generation-config", "--enable-prefix-caching", "--no-enable-prefix-caching", "--limit-mm-per-prompt"),
    *("--mm-processor-kwargs", "--seed", "--trust-remote-code", "--allowed-local-media-path"),
)
OF_REQUESTS = tuple(
    each.name for each in fields(ServerOptions) if each.name not in ("base_url", "model", "key_variable", "audio")
)


@dataclass(frozen=True)
class VllmOptions:
    """How vLLM is started; `asked` are options of ServerOptions for its requests."""

    path: str
    program: str = "vllm"  # where the worker finds it: a name on its PATH, or a path
    tensor_parallel: int = 1  # GPUs that share each layer
    dtype: str = "auto"
    quantise: str = ""
    max_model_len: int = 0  # tokens; 0 = the model's own limit
    gpu_memory: float = 0.9  # share of each GPU's memory
    media_per_prompt: int = 16  # most images, videos and sounds in one request
    processor_options: Mapping[str, Any] = field(default_factory=dict)
    arguments: Sequence[str] = ()  # additional arguments of `vllm serve`
    start_seconds: float = 1800.0  # time until it must be ready
    asked: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, known in (("dtype", DTYPES), ("quantise", QUANTISED)):
            if getattr(self, name) not in known:
                raise ModelMisused(f"option {name} {getattr(self, name)!r}: one of {', '.join(filter(None, known))}")
        for name, least, most in (
            ("tensor_parallel", 1, 64),
            ("max_model_len", 0, 2**24),
            ("media_per_prompt", 1, 999),
        ):
            _check_number(name, getattr(self, name), least, most, whole=True)
        _check_number("gpu_memory", self.gpu_memory, 0.05, 1.0)
        _check_number("start_seconds", self.start_seconds, 0.1, 6 * 3600)
        if not isinstance(self.processor_options, Mapping):
            raise ModelMisused("option processor_options: an object of the processor's own settings")
        if not isinstance(self.program, str) or not self.program:
            raise ModelMisused("option program: the name or path of vLLM's command")
        self._check_arguments()
        self.server("http://127.0.0.1:1/v1")

    def _check_arguments(self) -> None:
        arguments = self.arguments
        if isinstance(arguments, str) or not all(isinstance(one, str) and one and "\0" not in one for one in arguments):
            raise ModelMisused('option arguments: a list of words, for example ["--reasoning-parser", "qwen3"]')
        for one in arguments:
            name = one.partition("=")[0].partition(".")[0].replace("_", "-")
            if name in OURS:
                raise ModelMisused(f"option arguments: {one} is set by this site")

    def server(self, base_url: str) -> ServerOptions:
        """The options for requests to the started server."""
        own = {"choice_as": "structured_outputs", "thinking_as": "template", "frames_as": VIDEO, "concurrency": 64}
        return ServerOptions(base_url=base_url, model=SERVED_AS, **{**own, **self.asked})

    def executable(self) -> str:
        """The full path of vLLM's command; raises ModelMisused if it does not exist."""
        if found := shutil.which(self.program):
            return found
        raise ModelMisused(
            f"vLLM's command {self.program!r} is not found where the worker runs: install vLLM in an environment of its"
            " own, and name its command by the option program"
        )

    def words(self, place: Path, port: int) -> list[str]:
        """The command line."""
        most = self.media_per_prompt
        pairs = [
            *(self.executable(), "serve", str(place), "--host", "127.0.0.1", "--port", str(port)),
            *("--served-model-name", SERVED_AS, "--tensor-parallel-size", str(self.tensor_parallel)),
            *("--dtype", self.dtype, "--gpu-memory-utilization", f"{self.gpu_memory:g}", "--seed", "0"),
            # The run's temperature alone samples replies, and shared beginnings of requests are processed once.
            *("--generation-config", "vllm", "--enable-prefix-caching"),
            *("--limit-mm-per-prompt", json.dumps({"image": most, "video": most, "audio": most})),
        ]
        pairs += ["--quantization", self.quantise] if self.quantise else []
        pairs += ["--max-model-len", str(self.max_model_len)] if self.max_model_len else []
        pairs += ["--mm-processor-kwargs", json.dumps(dict(self.processor_options))] if self.processor_options else []
        return [*pairs, *self.arguments]

    def facts(self) -> dict[str, Any]:
        """The card's facts about the server."""
        described = {
            "tensor parallel": self.tensor_parallel,
            "dtype": self.dtype,
            "quantised": self.quantise,
            "longest": self.max_model_len,
            "gpu memory": self.gpu_memory,
            "media per prompt": self.media_per_prompt,
            "processor options": dict(self.processor_options),
            "arguments": list(self.arguments),
            "prefix caching": True,
        }
        return {name: value for name, value in described.items() if value}


def vllm_options(options: Mapping[str, Any]) -> VllmOptions:
    """The checked options with their defaults; raises ModelMisused."""
    own = [each.name for each in fields(VllmOptions) if each.name != "asked"]
    for name in options:
        if name not in (*own, *OF_REQUESTS):
            raise ModelMisused(f"there is no option {name!r}; there are {', '.join((*own, *OF_REQUESTS))}")
    if "path" not in options:
        raise ModelMisused("option path is missing: a saved model's folder")
    for_requests = {name: value for name, value in options.items() if name in OF_REQUESTS}
    return VllmOptions(**{name: value for name, value in options.items() if name in own}, asked=for_requests)


def _check_number(name: str, value: Any, least: float, most: float, *, whole: bool = False) -> None:
    is_number = isinstance(value, int if whole else (int, float)) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        kind = "a whole number" if whole else "a number"
        raise ModelMisused(f"option {name} {value!r}: {kind} from {least:g} to {most:g}")
