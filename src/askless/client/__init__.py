"""Calling a live study from Python: the library's own verbs over HTTP, sync and async."""

from askless.errors import extra as _extra

with _extra("service"):
    from askless.client.async_client import AsyncClient
    from askless.client.event import Event
    from askless.client.live_visit import AsyncLiveVisit, LiveVisit
    from askless.client.summary import Span, Summary
    from askless.client.sync_client import Client

__all__ = ["AsyncClient", "AsyncLiveVisit", "Client", "Event", "LiveVisit", "Span", "Summary"]
