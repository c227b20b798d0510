"""The files and pages about deployment are true: every askless command in them can be given."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import typer.main

from askless.cli.app import UsageError, app

ROOT = Path(__file__).parent.parent
FILES = ROOT / "examples" / "deployment"
PAGES = [ROOT / "docs" / f"{name}.md" for name in ("deployment", "ethics", "threats", "tour")]


def parsed(words):
    """Parse a command of askless without running it; return the verb and what was given to it."""
    group = typer.main.get_command(app)
    command, context = group, group.make_context("askless", list(words), resilient_parsing=True)
    rest = list(words)
    while hasattr(command, "commands"):
        name = rest.pop(0)
        command = command.commands[name]
    context = command.make_context(name, rest, parent=context)
    return name, context.params


def commands_in(text):
    """Return the askless commands of a shell script or a unit: program first, comments away."""
    found = []
    for line in text.splitlines():
        for part in re.split(r"[;|&]\s", line.split("    #")[0]):
            match = re.search(
                r"(?:^|=|'|\s)(?:[\w/.]*/)?askless ((?:serve|key|admin|backup|restore"
                r"|verify|erase|export)\b.*)",
                part,
            )
            if match and not line.lstrip().startswith("#"):
                found.append(shlex.split(match[1].removesuffix("'"), comments=True))
    return found


def blocks(page):
    return "\n".join(re.findall(r"```(?:sh|text)\n(.*?)```", page.read_text(), flags=re.DOTALL))


def test_the_unit_and_the_container_serve_with_options_that_there_are():
    """Fails if an option was renamed, or they serve otherwise than the page says."""
    (unit,) = commands_in((FILES / "askless.service").read_text())
    name, given = parsed(unit)
    assert name == "serve"
    assert str(given["study"]) == "/etc/askless/study.yaml"
    assert (given["host"], given["port"], given["quiet"]) == ("127.0.0.1", 8000, True)
    (line,) = re.findall(r"^CMD (.*)$", (FILES / "Containerfile").read_text(), flags=re.M)
    name, given = parsed(json.loads(line))
    assert name == "serve"
    assert (given["host"], given["proxy"]) == ("0.0.0.0", "10.0.0.0/8,172.16.0.0/12")
    (backup,) = commands_in((FILES / "askless-backup.service").read_text())
    name, given = parsed(backup)
    assert (name, given["force"]) == ("backup", True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_of_the_pages_can_be_given(page):
    """Fails if a page names a verb or an option that is not there."""
    found = commands_in(blocks(page))
    assert found or page.name == "threats.md"
    for words in found:
        parsed(words)


def test_a_command_that_cannot_be_given_is_noticed():
    with pytest.raises(UsageError):
        parsed(["serve", "study.yaml", "--no-such-option"])
    with pytest.raises(KeyError):
        parsed(["no-such-verb"])


def test_the_units_are_units(tmp_path):
    """Fails if systemd would not take them; where there is none, their sections are looked at."""
    names = ["askless.service", "askless-backup.service", "askless-backup.timer"]
    for name in names:
        text = (FILES / name).read_text()
        assert {"[Unit]"} <= set(re.findall(r"^\[\w+\]$", text, flags=re.M))
        (tmp_path / name).write_text(text.replace("/opt/askless/bin/askless", "/bin/true"))
    if shutil.which("systemd-analyze") is None:
        return
    units = [str(tmp_path / name) for name in names]
    done = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_web_servers_say_who_calls_and_how():
    """Fails if nginx would let a caller claim an address, or a log would have links in it."""
    text = (FILES / "nginx.conf").read_text()
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in text
    assert "proxy_set_header X-Forwarded-Proto $scheme;" in text
    assert "access_log off;" in text
    assert "reverse_proxy 127.0.0.1:8000" in (FILES / "Caddyfile").read_text()
