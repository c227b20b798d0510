"""The endpoint that a visit is measured beside: it writes one durable row, and nothing else."""

import os
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel
from sqlalchemy import (
    Column,
    Double,
    Integer,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    insert,
)

from askless.storage.database import url_of

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
    engine = create_engine(url_of(os.environ["BARE_ADDRESS"]))
    if engine.dialect.name == "sqlite":

        def set_up(connection: object, _: object) -> None:
            for setting in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000"):
                connection.execute(f"PRAGMA {setting}")

        event.listen(engine, "connect", set_up)
    metadata.create_all(engine)
    app = FastAPI()

    @app.post("/rows")
    def write(row: Row) -> dict:
        with engine.begin() as connection:
            made = connection.execute(insert(rows).values(id=row.id, reward=row.reward))
        return {"number": made.inserted_primary_key[0]}

    @app.get("/health")
    def health() -> dict:
        return {}

    return app


if __name__ == "__main__":
    os.environ["BARE_ADDRESS"] = sys.argv[1]
    settings = {"port": int(sys.argv[2]), "log_level": "warning", "access_log": False}
    if sys.argv[3] == "1":
        uvicorn.run(make(), **settings)
    else:
        here = str(Path(__file__).absolute().parent)
        sys.path.insert(0, here)
        os.environ["PYTHONPATH"] = here
        uvicorn.run("bare_endpoint:make", factory=True, workers=int(sys.argv[3]), **settings)
