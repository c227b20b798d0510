"""Reads a page of a report back: the cells of its tables, and its text."""

from html.parser import HTMLParser


class Page(HTMLParser):
    """The cells of all tables, and the text."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.words, self.open = [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.open = []

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.rows[-1].append(" ".join("".join(self.open).split()))
            self.open = None

    def handle_data(self, data):
        self.words.append(data)
        if self.open is not None:
            self.open.append(data)

    @property
    def text(self):
        return " ".join("".join(self.words).split())


def read(files, name):
    (path,) = [file for file in files if file.name == name]
    return path.read_text()
