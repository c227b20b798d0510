"""Which names a live study can have: they stand in addresses."""

from __future__ import annotations

from askless.errors import SettingError

__all__ = ["check_name"]


def check_name(name: str) -> None:
    """Refuse a study whose name cannot stand in an address."""
    if "/" in name or name in (".", ".."):
        raise SettingError(
            f"the study is called {name!r}; a live study's name stands in an address, so give it"
            " one without / and other than . and .."
        )
