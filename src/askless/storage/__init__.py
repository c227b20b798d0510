"""The journal of a live study and its snapshots, on SQLite or PostgreSQL."""

from askless.errors import extra as _extra

with _extra("service"):
    from askless.storage.backing_up import backup
    from askless.storage.consenting import Consent
    from askless.storage.database import Database
    from askless.storage.erasing import Erase, Erased, erase
    from askless.storage.exporting import export
    from askless.storage.live_study import LiveStudy
    from askless.storage.operations import (
        Answer,
        ConflictError,
        NotFoundError,
        Operation,
        PausedError,
        Revise,
        Reward,
        See,
        Seen,
        Start,
        StoppedError,
    )
    from askless.storage.restoring import restore
    from askless.storage.steering import Pause, Reprice, Retire, Stop, Tick
    from askless.storage.verifying import Verification, verify

__all__ = [
    "Answer",
    "ConflictError",
    "Consent",
    "Database",
    "Erase",
    "Erased",
    "LiveStudy",
    "NotFoundError",
    "Operation",
    "Pause",
    "PausedError",
    "Reprice",
    "Retire",
    "Revise",
    "Reward",
    "See",
    "Seen",
    "Start",
    "Stop",
    "StoppedError",
    "Tick",
    "Verification",
    "backup",
    "erase",
    "export",
    "restore",
    "verify",
]
