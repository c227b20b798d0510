"""The journal of a live study and its snapshots, on SQLite or PostgreSQL."""

from askless.errors import extra as _extra

with _extra("service"):
    from askless.storage.database import Database
    from askless.storage.live_study import LiveStudy
    from askless.storage.operations import (
        Answer,
        ConflictError,
        NotFoundError,
        Operation,
        Pause,
        PausedError,
        Retire,
        Revise,
        Reward,
        See,
        Seen,
        Start,
        Tick,
    )

__all__ = [
    "Answer",
    "ConflictError",
    "Database",
    "LiveStudy",
    "NotFoundError",
    "Operation",
    "Pause",
    "PausedError",
    "Retire",
    "Revise",
    "Reward",
    "See",
    "Seen",
    "Start",
    "Tick",
]
