"""Runs a saved model in a vLLM that the worker starts, and queries it like any OpenAI-compatible server."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evaluation.adapters.base import Reply, Request
from evaluation.adapters.openai.adapter import OpenAIModel
from evaluation.adapters.vllm.options import vllm_options
from evaluation.adapters.vllm.server import VllmServer, free_port
from evaluation.adapters.weights import folder_of, weights_hash

log = logging.getLogger(__name__)


class VllmModel(OpenAIModel):
    """A model with the options of VllmOptions; its server starts when the model is opened, and again if it dies."""

    def __init__(self, **options: Any) -> None:
        self.own = vllm_options(options)
        self.own.executable()
        self.place = folder_of(self.own.path)
        self.server = self._started()
        super().__init__(**vars(self.own.server(self.server.base_url)))
        self._key = self.server.key
        self.description |= {
            "device": f"vLLM {self.server.version()}".strip(),
            "weights": weights_hash(self.place),
            **self.own.facts(),
        }

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ModelMisused for wrong options or a folder without a model; starts nothing."""
        folder_of(vllm_options(options).path)

    def answer(self, requests: Iterable[Request]) -> Iterator[Reply]:
        """Yield replies in order; a server that died since the last call is started again."""
        if not self.server.is_running:
            log.warning("vLLM ended%s; it is started again", self.server.last_words())
            self.server = self._started()
            self.options, self._key = self.own.server(self.server.base_url), self.server.key
            self.description["restarts"] = self.description.get("restarts", 0) + 1
        yield from super().answer(requests)

    def _started(self) -> VllmServer:
        port = free_port()
        server = VllmServer(self.own.words(self.place, port), port)
        server.wait(self.own.start_seconds)
        return server
