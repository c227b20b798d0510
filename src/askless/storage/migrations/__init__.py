"""How tables of one version become those of the next (alembic)."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from askless.errors import StorageError

__all__ = ["upgrade"]


def upgrade(connection: Connection, found: str | None) -> None:
    """Bring the tables of a database to this version; refuse those of a newer one."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if found is not None and found not in known:
        raise StorageError(
            f"the database is of a newer askless (its tables are at {found}); update askless"
        )
    command.upgrade(config, "head")
