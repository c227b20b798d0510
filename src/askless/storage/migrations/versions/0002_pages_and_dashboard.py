"""Tables of pages and of the dashboard: links of people, administrators, signing."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

WHOLE = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


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
