"""Writes samples by Every Eval Ever's own converter: python by_every_eval_ever.py FOLDER ITEM…; from inspect's log."""

import subprocess
import sys
import tempfile
from pathlib import Path

folder, *items = sys.argv[1:]
with tempfile.TemporaryDirectory() as place:
    logs, out = Path(place, "logs"), Path(place, "out")
    logs.mkdir()
    subprocess.run([sys.executable, Path(__file__).with_name("by_inspect.py"), logs, *items], check=True)
    (log,) = logs.glob("*.json")
    text = log.read_text().replace("mockllm/model", "hf/lab/model")  # it must know the developer
    (Path(place) / "log.json").write_text(text.replace("mockllm/hf", "hf"))
    command = ["convert", "inspect", "--log_path", f"{place}/log.json", "--output_dir", str(out)]
    subprocess.run([sys.executable, "-m", "every_eval_ever", *command], check=True)
    (samples,) = out.glob("**/*_samples.jsonl")
    (Path(folder) / "every_eval_ever.jsonl").write_text(samples.read_text())
