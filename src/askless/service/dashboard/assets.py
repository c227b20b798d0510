"""The dashboard's stylesheet and scripts, under names that change with what they hold."""

from __future__ import annotations

import gzip
import hashlib
from functools import cached_property
from pathlib import Path

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import Response

from askless.service.dashboard.bundle import Bundle
from askless.service.errors import Refusal
from askless.service.web import HERE

__all__ = ["assets", "files"]

FOLDER = "/dashboard-assets"
KINDS = {"css": "text/css", "js": "text/javascript", "txt": "text/plain; charset=utf-8"}
HEADERS = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept-Encoding",
}
CHARTS = "charts.js"  # what the package brings; the others lie in a folder


class Assets:
    """Files by their names."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.bundle = folder, Bundle()

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """What each file has."""
        return {path.name: path.read_bytes() for path in sorted(self._folder.iterdir())}

    @cached_property
    def stamps(self) -> dict[str, str]:
        """A name for what each file has: another one for other contents."""
        own = {
            name: hashlib.sha256(content).hexdigest()[:16]
            for name, content in self.contents.items()
        }
        return {**own, CHARTS: self.bundle.stamp}

    def address(self, name: str) -> str:
        """Return where a file is found."""
        return f"{FOLDER}/{self.stamps[name]}/{name}"


assets = Assets(HERE / "static" / "dashboard")
files = APIRouter()


@files.get(FOLDER + "/{stamp}/{name}", include_in_schema=False)
async def file(request: Request, stamp: str, name: str) -> Response:
    """Return a file; browsers keep it."""
    if assets.stamps.get(name) != stamp:
        raise Refusal(404, "not_found", "there is nothing at this address")
    if name == CHARTS:
        packed = await to_thread.run_sync(assets.bundle.packed)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(packed, 200, {**HEADERS, "Content-Encoding": "gzip"}, KINDS["js"])
        return Response(gzip.decompress(packed), 200, HEADERS, KINDS["js"])
    kind = KINDS[name.rsplit(".", 1)[1]]
    return Response(assets.contents[name], 200, HEADERS, kind)
