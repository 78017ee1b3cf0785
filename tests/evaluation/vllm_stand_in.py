#!/usr/bin/env python3
"""Stands in for the command `vllm`: takes its arguments, and checks every request against the published schema.

It runs no model: it replies with the first option of a constrained choice, else "yes". Requests are logged to
VLLM_STAND_IN_LOG as JSON lines; VLLM_STAND_IN_DIES=N ends it after N replies, …_BREAKS before it is ready, and …_SLEEPS
delays it.
"""

import argparse
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = json.loads((Path(__file__).parent / "data" / "vllm_chat_request.schema.json").read_text())
CHECK = Draft202012Validator(SCHEMA)
LOCK, REPLIES = threading.Lock(), [0]


def arguments() -> argparse.Namespace:
    """The arguments of `vllm serve` that this site uses; argparse refuses any other, as vLLM does."""
    parser = argparse.ArgumentParser(prog="vllm", allow_abbrev=False)
    serve = parser.add_subparsers(required=True).add_parser("serve", allow_abbrev=False)
    serve.add_argument("model")
    for name, kind in (
        ("--host", str),
        ("--port", int),
        ("--served-model-name", str),
        ("--tensor-parallel-size", int),
        ("--gpu-memory-utilization", float),
        ("--seed", int),
        ("--max-model-len", int),
        ("--limit-mm-per-prompt", json.loads),
        ("--mm-processor-kwargs", json.loads),
        ("--reasoning-parser", str),
        ("--quantization", str),
        ("--max-num-seqs", int),
    ):
        serve.add_argument(name, type=kind)
    serve.add_argument("--dtype", choices=["auto", "half", "float16", "bfloat16", "float", "float32"])
    serve.add_argument("--generation-config")
    serve.add_argument("--enable-prefix-caching", action="store_true")
    return parser.parse_args()


def note(**facts) -> None:
    if file := os.environ.get("VLLM_STAND_IN_LOG"):
        with LOCK, Path(file).open("a") as log:
            log.write(json.dumps(facts) + "\n")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        known = {"/health": {}, "/version": {"version": "0.0-stand-in"}}
        self.send(known.get(self.path, {"error": "not found"}), 200 if self.path in known else 404)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Bearer {os.environ['VLLM_API_KEY']}":
            self.send({"error": "Unauthorized"}, 401)
            return
        mistakes = [f"{'.'.join(map(str, one.path))}: {one.message[:200]}" for one in CHECK.iter_errors(body)]
        note(path=self.path, mistakes=mistakes, body=body)
        if mistakes:
            self.send({"error": {"message": mistakes[0], "type": "BadRequestError", "code": 400}}, 400)
            return
        self.send(completion(body))
        with LOCK:
            REPLIES[0] += 1
            if REPLIES[0] == int(os.environ.get("VLLM_STAND_IN_DIES", "0")):
                os._exit(3)

    def send(self, body: dict, status: int = 200):
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *args):
        pass


def completion(body: dict) -> dict:
    choice = (body.get("structured_outputs") or {}).get("choice") or ["yes"]
    message = {"role": "assistant", "content": choice[0], "reasoning": None}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    usage = {"prompt_tokens": 20, "completion_tokens": 2, "total_tokens": 22}
    return {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": "model"} | {
        "choices": choices,
        "usage": usage,
    }


def main() -> None:
    given = arguments()
    note(started=vars(given), environment=sorted(os.environ))
    if os.environ.get("VLLM_STAND_IN_BREAKS"):
        sys.exit("ValueError: No supported config format found in the folder")
    time.sleep(float(os.environ.get("VLLM_STAND_IN_SLEEPS", "0")))
    ThreadingHTTPServer((given.host, given.port), Handler).serve_forever()


if __name__ == "__main__":
    main()
