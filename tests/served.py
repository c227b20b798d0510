"""A real service on this machine: uvicorn, a database in a folder, and a key."""

import asyncio
import threading
from contextlib import contextmanager

import uvicorn

import askless as al
from askless.service.app import create_app
from askless.storage import Database, LiveStudy
from askless.storage.keys import make_key


@contextmanager
def served(
    folder, scopes=("serve", "reward", "export", "admin"), study=None, database=None, **rates
):
    """Serve a study; give the service's address and a key."""
    study = study or al.Study.example()
    database = database or Database(str(folder / "study.db"))
    database.migrate()
    LiveStudy.open(database, study)
    key = make_key(database, study.name, scopes)
    app = create_app(database, [study.name], **{"key_rate": 0, "address_rate": 0, **rates})
    with running(app) as address:
        yield address, key


class Quick(uvicorn.Server):
    """Ends when it is told to, and not up to a tenth of a second later: hundreds of tests do."""

    async def main_loop(self):
        await self.on_tick(0)
        while not self.should_exit:
            await asyncio.sleep(0.005)


@contextmanager
def running(app):
    """Run an application; give its address."""
    server = Quick(uvicorn.Config(app, port=0, log_config=None, access_log=False))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            thread.join(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
