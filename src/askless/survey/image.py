"""A study's logo: an image beside its file, put into its text once it is known to be harmless."""

from __future__ import annotations

import base64
import binascii
import re
import struct
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from askless.errors import SettingError, StudyError

if TYPE_CHECKING:
    from askless.survey.located_yaml import Located

__all__ = ["check_image", "embedded"]

MOST_BYTES = 20_000  # every page carries it
MOST_SIDE = 2_000  # pixels
PNG, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
TYPES = {".png": "image/png", ".svg": "image/svg+xml"}
DATA = re.compile(r"data:(image/png|image/svg\+xml);base64,([A-Za-z0-9+/]+={0,2})")
PLACE = ("pages", "logo")
ACTIVE = ("script", "foreignObject", "iframe", "use", "image", "a", "animate", "set", "handler")


def embedded(text: str, path: Path) -> str:
    """Return a study file's text with the image itself in the place of its file's name."""
    if "logo" not in text:
        return text
    from askless.survey.located_yaml import Located  # noqa: PLC0415 (it needs PyYAML)

    located = Located(text, str(path))
    name = located.written.get(PLACE)
    if not name or name.startswith("data:"):
        return text
    try:
        data = _read(path.parent, name)
    except SettingError as error:
        raise StudyError(f"{located.where(PLACE)}: {error}") from None
    return _replaced(located, f"data:{TYPES[Path(name).suffix]};base64,{data}")


def _replaced(located: Located, value: str) -> str:
    first, last = located.spans[PLACE]
    return f'{located.text[:first]}"{value}"{located.text[last:]}'


def _read(folder: Path, name: str) -> str:
    """Return an image file in base64; refuse one that lies elsewhere, or is none."""
    if Path(name).name != name or Path(name).suffix not in TYPES:
        raise SettingError(
            f"{name!r} is no .svg or .png file beside the study file; put the image there"
        )
    try:
        with (folder / name).open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        reason = (error.strerror or "it is no file").lower()
        raise SettingError(f"cannot read the image {name!r}: {reason}") from None
    _check(data, TYPES[Path(name).suffix])
    return base64.b64encode(data).decode()


def check_image(value: str) -> str:
    """Return image data that a page may show, or refuse it."""
    found = DATA.fullmatch(value)
    if found is None:
        raise SettingError(
            "logo is not the data of an image; name an .svg or .png file beside the study file, and"
            " read that with askless.Study.read"
        )
    try:
        data = base64.b64decode(found[2], validate=True)
    except binascii.Error:
        raise SettingError("logo is image data that is damaged; name the image's file") from None
    _check(data, found[1])
    return value


def _check(data: bytes, kind: str) -> None:
    if len(data) > MOST_BYTES:
        raise SettingError(
            f"the image is larger than {MOST_BYTES:,} bytes; every page carries it: give a smaller"
            " one"
        )
    if kind == "image/png":
        _check_png(data)
    else:
        _check_svg(data)


def _check_png(data: bytes) -> None:
    if not data.startswith(PNG) or data[12:16] != b"IHDR" or not data.endswith(PNG_END):
        raise SettingError("the image is not a whole PNG")
    width, height = struct.unpack(">II", data[16:24])
    if not (0 < width <= MOST_SIDE and 0 < height <= MOST_SIDE):
        raise SettingError(
            f"the image is {width} x {height}; a side has at most {MOST_SIDE} pixels"
        )


def _check_svg(data: bytes) -> None:
    """Refuse what could do anything but be drawn: scripts, other addresses, entities."""
    if re.search(rb"<!(DOCTYPE|ENTITY)", data, re.IGNORECASE):
        raise SettingError("the SVG image has a DOCTYPE or entities; save it as a plain SVG")
    try:
        root = ElementTree.fromstring(data)
    except (ElementTree.ParseError, ValueError, LookupError):
        raise SettingError("the image is not an SVG: its XML cannot be read") from None
    if _local(root.tag) != "svg":
        raise SettingError("the image is not an SVG: it does not begin with <svg>")
    for element in root.iter():
        tag = _local(element.tag)
        if tag in ACTIVE:
            raise SettingError(f"the SVG image has a <{tag}>; save it as a plain SVG")
        said = [*element.attrib.values(), element.text or ""]
        outside = any(re.search(r"url\(\s*['\"]?(?!#)|@import", one) for one in said)
        names = [_local(name) for name in element.attrib]
        if outside or "href" in names or any(name.startswith("on") for name in names):
            raise SettingError(f"the SVG image has a <{tag}> that does more than draw itself")


def _local(name: object) -> str:
    """Return a name of an element or attribute without its namespace."""
    return str(name).rpartition("}")[2]
