"""kram as a program in its own process, with its own home: for tests of what a user or a script would see."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.terminal import clean_env, kram_argv


@dataclass
class Program:
    """A workspace and a home below one folder. `configure` writes `config.toml`, `run` runs `kram ARGS`."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.workspace = self.folder / "ws"
        self.workspace.mkdir(parents=True, exist_ok=True)
        self.home = self.folder / "home"
        self.home.mkdir(exist_ok=True)

    @property
    def config_file(self) -> Path:
        return self.home / "kram" / "config" / "config.toml"

    def configure(self, text: str) -> None:
        self.config_file.parent.mkdir(parents=True, exist_ok=True)
        self.config_file.write_text(text, "utf-8")

    def serve(self, protocol: str, url: str) -> None:
        """One provider of that kind at that address, as the only combo."""
        self.configure(
            f"""
            default_combo = "main"
            [providers.srv]
            kind = "{protocol}"
            base_url = "{url}"
            key_optional = true
            [providers.srv.models."m"]
            context_window = 100000
            [combos.main]
            strategy = "priority"
            candidates = ["srv/m"]
            """
        )

    def environment(self) -> dict[str, str]:
        return clean_env(self.home, **self.env)

    def run(self, *args: str, stdin: str = "", timeout_s: float = 60) -> Finished:
        done = subprocess.run(
            kram_argv(*args),
            cwd=self.workspace,
            env=self.environment(),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def start(self, *args: str, silent: bool = True) -> subprocess.Popen[str]:
        """A running program with pipes; its stdin is empty unless it is not to be `silent`."""
        return subprocess.Popen(
            kram_argv(*args),
            cwd=self.workspace,
            env=self.environment(),
            stdin=subprocess.DEVNULL if silent else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@dataclass
class Finished:
    code: int
    out: str
    err: str

    def object(self) -> dict[str, Any]:
        """stdout as exactly one JSON object."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    def lines(self) -> list[dict[str, Any]]:
        """stdout as one JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]
