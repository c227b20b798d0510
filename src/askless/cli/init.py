"""`askless init`: a commented example study to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from askless.cli.terminal import output
from askless.errors import StudyError
from askless.survey.study import EXAMPLE


def init(
    path: Annotated[Path, typer.Argument(help="The file to write.")] = Path("study.yaml"),
) -> None:
    """Write a commented example study."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(EXAMPLE.read_text(encoding="utf-8"))
    except FileExistsError:
        raise StudyError(f"{path}: the file is there already; name another") from None
    except OSError as error:
        raise StudyError(f"{path}: cannot write the file: {error.strerror}") from None
    output.print(
        f"Wrote {path}. Change it, then run: askless check {path}", highlight=False, soft_wrap=True
    )
