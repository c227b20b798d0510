"""Tables of pages and of the dashboard: links of people, administrators, signing, questions."""

import json
from collections import Counter
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
STATIONS = ("put", "answered", "skipped", "here")


def upgrade() -> None:
    """Make them."""
    op.add_column(
        "studies", sa.Column("stopped", sa.Boolean(), nullable=False, server_default=sa.false())
    )
    op.create_table(
        "links",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("visit", WHOLE, nullable=True),
        sa.Column("own", sa.String(length=200), nullable=True),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.Column("used", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["study"], ["studies.id"]),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("links_of_visit", "links", ["study", "visit"], unique=False)
    op.create_table(
        "admins",
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["studies.id"]),
        sa.PrimaryKeyConstraint("study", "name"),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("admin", sa.String(length=200), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["studies.id"]),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "signing",
        sa.Column("study", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("secret", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["study"], ["studies.id"]),
        sa.PrimaryKeyConstraint("study"),
    )
    if op.get_bind().dialect.name == "postgresql":  # statistics would keep it after an erasure
        for column in ("digest", "own"):
            op.execute(f"ALTER TABLE links ALTER COLUMN {column} SET STATISTICS 0")
    op.create_table(
        "questions",
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("question", sa.String(length=200), nullable=False),
        *(sa.Column(name, WHOLE, nullable=False) for name in STATIONS),
        sa.ForeignKeyConstraint(["study"], ["studies.id"]),
        sa.PrimaryKeyConstraint("study", "question"),
    )
    op.add_column(
        "summaries", sa.Column("asked_short", WHOLE, nullable=False, server_default=sa.text("0"))
    )
    _count_questions(op.get_bind())
    _count_short(op.get_bind())


def _count_questions(connection: sa.Connection) -> None:
    """Count what the visits before this version have been asked."""
    found: Counter[tuple[int, str, str]] = Counter()
    for study, text in connection.execute(
        sa.text("SELECT study, record FROM visits WHERE status = 'open'")
    ):
        _count(found, study, json.loads(text), is_open=True)
    for study, text in connection.execute(
        sa.text("SELECT study, body FROM events WHERE kind = 'decided' AND body <> '{}'")
    ):
        _count(found, study, json.loads(text)["record"], is_open=False)
    for study, question in sorted({key[:2] for key in found}):
        row = {name: found[study, question, name] for name in STATIONS}
        connection.execute(
            sa.text(
                "INSERT INTO questions (study, question, put, answered, skipped, here)"
                " VALUES (:study, :question, :put, :answered, :skipped, :here)"
            ),
            {"study": study, "question": question, **row},
        )


def _count(
    found: Counter[tuple[int, str, str]], study: int, record: dict[str, Any], *, is_open: bool
) -> None:
    for name in record["asked"]:
        found[study, name, "put"] += 1
        if name in record["answers"]:
            skipped = record["answers"][name] is None
            found[study, name, "skipped" if skipped else "answered"] += 1
        elif is_open:
            found[study, name, "here"] += 1
            is_open = False


def _count_short(connection: sa.Connection) -> None:
    """Add up what short visits have been asked, by day and by hundred, in all and by arm."""
    found: Counter[tuple[int, str, int, str]] = Counter()
    for study, number, arm, at, asked in connection.execute(
        sa.text("SELECT study, number, arm, decided_at, asked FROM visits WHERE kind = 'short'")
    ):
        for span, start in (("day", int(at // 86_400)), ("hundred", number // 100)):
            for name in ("", arm):
                found[study, span, start, name] += asked
    for (study, span, start, arm), asked in found.items():
        connection.execute(
            sa.text(
                "UPDATE summaries SET asked_short = :asked WHERE study = :study AND span = :span"
                " AND start = :start AND arm = :arm"
            ),
            {"asked": asked, "study": study, "span": span, "start": start, "arm": arm},
        )
