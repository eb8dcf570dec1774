"""A project and a configuration folder to write configuration files into."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.config import Config, ConfigRefused, load, trust


class Files:
    """Both folders, made empty; `load` reads what was written."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.config_dir = folder / "config"
        self.root.mkdir()
        self.config_dir.mkdir()

    def project(self, text: str) -> Files:
        (self.root / "studio.yaml").write_bytes(text.encode())
        return self

    def user(self, text: str, name: str = "config.yaml") -> Files:
        (self.config_dir / name).write_bytes(text.encode())
        return self

    def load(self, environment: dict[str, str] | None = None) -> Config:
        return load(self.root, self.config_dir, environment=environment or {})

    def refusal(self, environment: dict[str, str] | None = None) -> ConfigRefused:
        with pytest.raises(ConfigRefused) as refused:
            self.load(environment)
        return refused.value

    def trust(self, environment: dict[str, str] | None = None) -> Files:
        found = self.load(environment).project_file
        assert found is not None
        trust(self.root, self.config_dir, sha256=found.sha256)
        return self
