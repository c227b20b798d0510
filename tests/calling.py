"""Both clients behind one door, so that one test is for both."""

import asyncio
import inspect

import httpx

import askless as al
from askless.client import AsyncLiveVisit


class Blocking:
    """Something asynchronous whose methods are waited for."""

    def __init__(self, thing, runner):
        self._thing, self._runner = thing, runner

    def __repr__(self):
        return repr(self._thing)

    def __getattr__(self, name):
        found = getattr(self._thing, name)
        if inspect.isasyncgenfunction(found):
            return lambda *given, **named: self._listed(found(*given, **named))
        if not inspect.iscoroutinefunction(found):
            return found
        return lambda *given, **named: self._waited(found, given, named)

    def _waited(self, method, given, named):
        given = [one._thing if isinstance(one, Blocking) else one for one in given]
        result = self._runner.run(method(*given, **named))
        return Blocking(result, self._runner) if isinstance(result, AsyncLiveVisit) else result

    def _listed(self, items):
        async def listed():
            return [item async for item in items]

        return iter(self._runner.run(listed()))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._runner.run(self._thing.close())


class Both:
    """Makes clients of one kind, and closes them."""

    def __init__(self, kind):
        self.kind, self.made, self.runner = kind, [], asyncio.Runner()

    def __call__(self, address, study, key, **settings):
        if self.kind == "sync":
            client = al.Client(address, study, key, **settings)
        else:
            client = Blocking(al.AsyncClient(address, study, key, **settings), self.runner)
        self.made.append(client)
        return client

    def close(self):
        for client in self.made:
            with client:
                pass
        self.runner.close()


class Dropping(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Loses every third answer, after the service has done what was asked."""

    def __init__(self, within):
        self.within, self.sent, self.lost = within, 0, 0

    def handle_request(self, request):
        response = self.within.handle_request(request)
        if self._loses():
            response.read()
            response.close()
            raise httpx.ReadError("lost on the way back", request=request)
        return response

    async def handle_async_request(self, request):
        response = await self.within.handle_async_request(request)
        if self._loses():
            await response.aread()
            await response.aclose()
            raise httpx.ReadError("lost on the way back", request=request)
        return response

    def close(self):
        self.within.close()

    async def aclose(self):
        await self.within.aclose()

    def _loses(self):
        self.sent += 1
        lost = self.sent % 3 == 0
        self.lost += lost
        return lost
