"""`askless serve` as a process of its own: what it prints, what it notes, what holds it back."""

import re
import subprocess
import sys
import threading
from contextlib import contextmanager

from raw_calls import Raw


class Serving:
    """A running `askless serve`; `notes` is all that it has written to stderr so far."""

    def __init__(self, folder, *options, **how):
        command = [sys.executable, "-m", "askless", "serve", "study.yaml", "--port", "0"]
        self.process = subprocess.Popen(
            [*command, *map(str, options)],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **how,
        )
        self.printed = None
        self._lines, self._changed = [], threading.Condition()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()

    def _read(self):
        for line in self.process.stderr:
            with self._changed:
                self._lines.append(line)
                self._changed.notify_all()
        with self._changed:
            self._lines.append("")  # so that who waits sees the end
            self._changed.notify_all()

    @property
    def notes(self):
        with self._changed:
            return "".join(self._lines)

    def address(self):
        """Wait until it listens; return where."""
        pattern = re.compile(r"running on (http://[\d.:]+)")
        with self._changed:
            self._changed.wait_for(
                lambda: any(map(pattern.search, self._lines)) or "" in self._lines, timeout=60
            )
            found = pattern.search("".join(self._lines))
        assert found, self.notes
        return found[1]

    def stop(self):
        """Stop it in good order, if it runs; `printed` is then what it wrote to stdout."""
        if self.printed is None:
            self.process.terminate()
            self.printed = self.process.stdout.read()
            self.process.wait(60)
            self._reading.join(60)
            self.process.stdout.close()
            self.process.stderr.close()


@contextmanager
def serving(folder, *options, key, **how):
    """Serve the study file of a folder; give its calls in plain HTTP, and the process."""
    process = Serving(folder, *options, **how)
    try:
        calls = Raw(process.address(), key)
        with calls.http:
            yield calls, process
    finally:
        process.stop()
