"""A chat model of lmms-eval that gives prepared replies: python by_lmms_eval.py REPLIES OUT ROOT (of folders).

It registers itself as lmms-eval's guide for new models says, and calls lmms-eval's own command.
"""

import importlib.util
import json
import os
import sys
from pathlib import Path


def declare_operators(site):
    """Let torchvision be imported beside a torch of another build, as the site does."""
    spec = importlib.util.spec_from_file_location("torchvision_shim", site)
    shim = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shim)
    return shim.declared()


HELD = declare_operators(os.environ["SHIM"])

from lmms_eval.__main__ import cli_evaluate  # noqa: E402
from lmms_eval.api.model import lmms  # noqa: E402
from lmms_eval.models import MODEL_REGISTRY_V2  # noqa: E402
from lmms_eval.models.registry_v2 import ModelManifest  # noqa: E402
from lmms_eval.protocol import ChatMessages  # noqa: E402

SEEN: dict[str, dict] = {}


class Prepared(lmms):
    is_simple = False

    def __init__(self, **_settings):
        super().__init__()

    def generate_until(self, requests):
        return [self.reply(*request.args) for request in requests]

    def reply(self, _context, doc_to_messages, how, doc_id, task, split):
        doc = self.task_dict[task][split][doc_id]
        messages = ChatMessages(messages=doc_to_messages(doc)).messages
        content = [[one.role, [[part.type, self.said(part)] for part in one.content]] for one in messages]
        SEEN.setdefault(task, {})[doc["item"]] = content
        assert how["until"] == []
        return KNOWN[task][doc["item"]]

    def said(self, part):
        assert part.type != "video" or Path(part.url).is_file()
        assert part.type != "image" or part.url.size
        return part.text if part.type == "text" else ""

    def loglikelihood(self, requests):
        raise NotImplementedError

    def generate_until_multi_round(self, requests):
        raise NotImplementedError


if __name__ == "__main__":
    replies, out, root = sys.argv[1:]
    KNOWN = json.loads(Path(replies).read_text())
    sys.modules["prepared"] = sys.modules["__main__"]
    MODEL_REGISTRY_V2.register_manifest(ModelManifest(model_id="prepared", chat_class_path="prepared.Prepared"))
    how = {"model": "prepared", "tasks": ",".join(KNOWN), "include_path": root, "output_path": out}
    sys.argv = ["lmms_eval", "--log_samples", *(word for name, value in how.items() for word in (f"--{name}", value))]
    cli_evaluate()
    Path(out, "seen.json").write_text(json.dumps(SEEN))
