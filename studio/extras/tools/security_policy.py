"""Security policy of the file system tool, as the engine's configuration.

There is one matcher: these values become settings, and settings become the rules.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from studio.engine.config import Config, from_values
from studio.engine.config.schema import ALIASES
from studio.limits import FILE_BYTES, TOOL_FILES_UP_TO
from studio.values import Value

_NAMES = {alias.rpartition(".")[2]: key for alias, key in ALIASES.items()}
"""Configuration keys by the names of a policy's values."""


class FileSystemSecurityPolicy(Value):
    """What a tool may access.

    `max_file_size` is in bytes, `max_files_per_operation` counts the files that one call changes or the
    operations of a bulk. `allowed_directories` are relative to the root, or absolute; ones in the root
    restrict access to them, others may be read where the user's configuration names them. The engine's own
    rules (locked paths, keys, hidden folders) apply as well: these values only deny more.
    """

    allowed_directories: tuple[str, ...] = (".",)
    blocked_directories: tuple[str, ...] = ("bin", "obj", ".git", "node_modules")
    allowed_extensions: tuple[str, ...] = ()
    blocked_extensions: tuple[str, ...] = (".exe", ".dll", ".so", ".dylib")
    max_file_size: int = FILE_BYTES
    max_files_per_operation: int = TOOL_FILES_UP_TO
    require_confirmation_for_delete: bool = True
    enable_audit_logging: bool = True

    @classmethod
    def of(cls, config: Config) -> FileSystemSecurityPolicy:
        """Return the policy of a project's merged configuration.

        Lists start with the defaults.
        """
        listed: dict[str, tuple[str, ...]] = {}
        for name in (
            "allowed_directories",
            "blocked_directories",
            "allowed_extensions",
            "blocked_extensions",
        ):
            default: tuple[str, ...] = getattr(cls(), name)
            found = tuple(
                setting.value if isinstance(setting.value, str) else str(setting.value[0])
                for setting in config.effective()
                if setting.key == _NAMES[name] and not isinstance(setting.value, int)
            )
            defaults = () if name == "allowed_directories" and found else default
            listed[name] = tuple(dict.fromkeys((*defaults, *found)))
        values = {setting.key: setting.value for setting in config.effective()}
        return cls(
            **listed,
            max_file_size=config.limits.file_bytes,
            max_files_per_operation=config.limits.steps,
            require_confirmation_for_delete=config.require_confirmation_for_delete,
            enable_audit_logging=values["tools.enable_audit_logging"] is True,
        )

    def settings(self) -> Mapping[str, object]:
        """Return the values as a configuration file would contain them."""
        values: dict[str, object] = {}
        for name in self.__struct_fields__:
            value: object = getattr(self, name)
            values[name] = [*value] if isinstance(value, tuple) else value
        return {"tool_configuration": {"file_system": values}}

    def config(self, root: Path) -> Config:
        """Return the configuration beneath `root` with these values alone.

        `${NAME}` is an environment variable. Raises ConfigRefused naming the key.
        """
        return from_values(root, self.settings())
