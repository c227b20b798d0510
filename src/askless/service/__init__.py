"""The live study over HTTP."""

from askless.errors import extra as _extra

with _extra("service"):
    from askless.service.app import create_app
    from askless.service.serving import Service, serve, serving

__all__ = ["Service", "create_app", "serve", "serving"]
