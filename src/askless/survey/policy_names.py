"""Names of policies that study files may use beside ours: a survey itself knows no policies."""

__all__ = ["OWN_NAMES"]

OWN_NAMES: set[str] = set()  # `askless.register` puts them in
