"""The endpoint that a visit is measured beside: it writes one durable row, and nothing else.

Arguments: the address of a database, a port, how many workers.
"""

import os
import sys
import threading
from contextlib import nullcontext
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sqlalchemy import Column, Double, Integer, MetaData, String, Table, create_engine, insert
from sqlalchemy import event as events

from askless.service.prompt import Prompt
from askless.storage.database import url_of

VARIABLE = "BARE_ADDRESS"  # how workers hear where to write
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000")

metadata = MetaData()
rows = Table(
    "bare_rows",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(200)),
    Column("reward", Double),
)


class Row(BaseModel):
    """What is sent."""

    id: str
    reward: float


def make() -> FastAPI:
    """Return the application."""
    engine = create_engine(url_of(os.environ[VARIABLE]))
    one_writer = nullcontext()
    if engine.dialect.name == "sqlite":
        one_writer = threading.Lock()  # who waits in SQLite itself waits for longer
        events.listen(engine, "connect", set_up)
    metadata.create_all(engine)
    app = FastAPI()

    @app.post("/rows")
    def write(row: Row) -> dict:
        with one_writer, engine.begin() as connection:
            made = connection.execute(insert(rows).values(id=row.id, reward=row.reward))
        return {"number": made.inserted_primary_key[0]}

    return app


def set_up(connection: object, _: object) -> None:
    """Make SQLite as durable as askless does."""
    for pragma in PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def main(address: str, port: str, workers: str) -> None:
    """Serve until stopped."""
    os.environ[VARIABLE] = address
    settings = {"port": int(port), "log_level": "warning", "access_log": False, "http": Prompt}
    if workers == "1":
        uvicorn.run(make(), **settings)
        return
    os.environ["PYTHONPATH"] = str(Path(__file__).absolute().parent)  # workers find this file
    uvicorn.run("bare_endpoint:make", factory=True, workers=int(workers), **settings)


if __name__ == "__main__":
    main(*sys.argv[1:])
