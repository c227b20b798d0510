"""The live study over HTTP."""

from typing import Any as _Any

from askless.errors import extra as _extra

with _extra("service"):
    from askless.service.serving import Service, serve, serving

__all__ = ["Service", "create_app", "serve", "serving"]


def __getattr__(name: str) -> _Any:
    if name != "create_app":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _extra("service"):  # what it brings takes a third of the time of a start
        from askless.service.app import create_app  # noqa: PLC0415

    return create_app
