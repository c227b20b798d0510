"""An empty stand-in: obp imports torch for policies that are not measured here."""


class _Anything(type):
    def __getattr__(cls, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Anything(name, (), {})


def __getattr__(name: str) -> type:
    return _Anything(name, (), {})
