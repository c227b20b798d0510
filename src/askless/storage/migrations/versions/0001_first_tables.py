"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

# What people say and are called: an optimiser's statistics would keep some of it after an erasure.
PRIVATE = {
    "events": ("body",),
    "visits": ("token", "own", "record", "reward"),
    "snapshots": ("body", "digest"),
}
WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("serial", WHOLE, nullable=False),
        sa.Column("visits", WHOLE, nullable=False),
        sa.Column("decided", WHOLE, nullable=False),
        sa.Column("learned", WHOLE, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "events",
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("serial", WHOLE, autoincrement=False, nullable=False),
        sa.Column("page", WHOLE, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("visit", WHOLE, nullable=True),
        sa.Column("body", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.id"],
        ),
        sa.PrimaryKeyConstraint("study", "serial"),
    )
    op.create_index("events_of_visit", "events", ["study", "visit", "kind"], unique=False)
    op.create_table(
        "keys",
        sa.Column("id", sa.String(length=24), nullable=False),
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("scopes", sa.String(length=100), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=True),
        sa.Column("revoked", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "snapshots",
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("serial", WHOLE, autoincrement=False, nullable=False),
        sa.Column("base", sa.Boolean(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.id"],
        ),
        sa.PrimaryKeyConstraint("study", "serial"),
    )
    op.create_table(
        "summaries",
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("span", sa.String(length=10), nullable=False),
        sa.Column("start", WHOLE, autoincrement=False, nullable=False),
        sa.Column("arm", sa.String(length=200), nullable=False),
        sa.Column("started", WHOLE, nullable=False),
        sa.Column("decided", WHOLE, nullable=False),
        sa.Column("full", WHOLE, nullable=False),
        sa.Column("short", WHOLE, nullable=False),
        sa.Column("checks", WHOLE, nullable=False),
        sa.Column("asked", WHOLE, nullable=False),
        sa.Column("rewarded", WHOLE, nullable=False),
        sa.Column("late", WHOLE, nullable=False),
        sa.Column("reward", sa.Double(), nullable=False),
        sa.Column("squares", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.id"],
        ),
        sa.PrimaryKeyConstraint("study", "span", "start", "arm"),
    )
    op.create_table(
        "visits",
        sa.Column("study", sa.Integer(), nullable=False),
        sa.Column("number", WHOLE, autoincrement=False, nullable=False),
        sa.Column("token", sa.String(length=40), nullable=False),
        sa.Column("own", sa.String(length=200), nullable=True),
        sa.Column("status", sa.String(length=10), nullable=False),
        sa.Column("started", sa.Double(), nullable=False),
        sa.Column("record", sa.Text(), nullable=True),
        sa.Column("kind", sa.String(length=20), nullable=True),
        sa.Column("arm", sa.String(length=200), nullable=True),
        sa.Column("decided", WHOLE, nullable=True),
        sa.Column("decided_at", sa.Double(), nullable=True),
        sa.Column("asked", sa.Integer(), nullable=True),
        sa.Column("reward", sa.Double(), nullable=True),
        sa.Column("learned", WHOLE, nullable=True),
        sa.Column("learned_after", WHOLE, nullable=True),
        sa.Column("block", WHOLE, nullable=True),
        sa.ForeignKeyConstraint(
            ["study"],
            ["studies.id"],
        ),
        sa.PrimaryKeyConstraint("study", "number"),
        sa.UniqueConstraint("study", "decided"),
        sa.UniqueConstraint("study", "learned"),
        sa.UniqueConstraint("study", "own"),
        sa.UniqueConstraint("study", "token"),
    )
    if op.get_bind().dialect.name == "postgresql":
        for table, columns in PRIVATE.items():
            for column in columns:
                op.execute(f"ALTER TABLE {table} ALTER COLUMN {column} SET STATISTICS 0")
