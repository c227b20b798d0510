"""The tables of a live study: its journal, and what is kept beside it to be quick."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
)

__all__ = [
    "admins",
    "events",
    "keys",
    "links",
    "metadata",
    "questions",
    "sessions",
    "signing",
    "snapshots",
    "studies",
    "summaries",
    "visits",
]

metadata = MetaData()

WHOLE = BigInteger().with_variant(Integer, "sqlite")

# A study and its counters. Whoever writes holds this row, so that serials have no gaps and are
# committed in their order.
studies = Table(
    "studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("file", Text, nullable=False),  # the study file, as it is now
    Column("created", Double, nullable=False),
    Column("serial", WHOLE, nullable=False),  # of the last event
    Column("visits", WHOLE, nullable=False),  # how many have been started
    Column("decided", WHOLE, nullable=False),
    Column("learned", WHOLE, nullable=False),
    Column("at", Double, nullable=False),  # when something was last written; it never goes back
    Column("paused", Boolean, nullable=False),
    Column("stopped", Boolean, nullable=False, server_default=false()),
)

# The journal: what happened, in its order. Nothing is changed but at an erasure.
events = Table(
    "events",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("serial", WHOLE, primary_key=True, autoincrement=False),
    Column("page", WHOLE, nullable=False),  # the last event before the transaction that wrote it
    Column("at", Double, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("visit", WHOLE),
    Column("body", Text, nullable=False),
    Index("events_of_visit", "study", "visit", "kind"),
)

# Where each visit stands, as it follows from the journal.
visits = Table(
    "visits",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("number", WHOLE, primary_key=True, autoincrement=False),
    Column("token", String(40), nullable=False),  # how callers name it
    Column("own", String(200)),  # how the caller names the person
    Column("status", String(10), nullable=False),
    Column("started", Double, nullable=False),
    Column("record", Text),  # while questions are open; then the journal has it
    Column("kind", String(20)),  # full, short or check, once it is decided
    Column("arm", String(200)),
    Column("decided", WHOLE),  # its place in the order of decisions, from 1
    Column("decided_at", Double),
    Column("asked", Integer),  # how many questions were put
    Column("reward", Double),
    Column("learned", WHOLE),  # its place in the order of learning, from 0
    Column("learned_after", WHOLE),  # how many visits had been decided by then
    Column("block", WHOLE),
    UniqueConstraint("study", "token"),
    UniqueConstraint("study", "own"),
    UniqueConstraint("study", "decided"),
    UniqueConstraint("study", "learned"),
)

# A policy's state at one point of the journal; from a base on the journal can be replayed.
snapshots = Table(
    "snapshots",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("serial", WHOLE, primary_key=True, autoincrement=False),
    Column("base", Boolean, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("digest", String(64), nullable=False),
)

# Counts and sums by day and by hundred visits, in all (arm "") and by arm.
summaries = Table(
    "summaries",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("span", String(10), primary_key=True),  # day or hundred
    Column("start", WHOLE, primary_key=True, autoincrement=False),
    Column("arm", String(200), primary_key=True),
    *(
        Column(name, WHOLE, nullable=False)
        for name in ("started", "decided", "full", "short", "checks", "asked", "rewarded", "late")
    ),
    Column("reward", Double, nullable=False),
    Column("squares", Double, nullable=False),
    Column("asked_short", WHOLE, nullable=False),  # of asked: in short visits
)

# What became of each question, over all visits.
questions = Table(
    "questions",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("question", String(200), primary_key=True),
    *(Column(name, WHOLE, nullable=False) for name in ("put", "answered", "skipped")),
    Column("here", WHOLE, nullable=False),  # open visits of which it is the next one to answer
)

keys = Table(
    "keys",
    metadata,
    Column("id", String(24), primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("name", String(200), nullable=False),
    Column("scopes", String(100), nullable=False),
    Column("digest", String(64), nullable=False),  # of the secret, which is nowhere
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("revoked", Double),
)

# By which secret a person's browser finds their visit; an invitation has none until it is used.
links = Table(
    "links",
    metadata,
    Column("digest", String(64), primary_key=True),  # of the secret, which is nowhere
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("kind", String(10), nullable=False),  # invite, resume or reward
    Column("visit", WHOLE),
    Column("own", String(200)),  # how the caller names the person
    Column("created", Double, nullable=False),
    Column("expires", Double),
    Column("used", Double),
    Index("links_of_visit", "study", "visit"),
)

# Who may look at a study's dashboard, and who is signed in.
admins = Table(
    "admins",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("name", String(200), primary_key=True),
    Column("password", Text, nullable=False),  # as argon2 keeps it
    Column("created", Double, nullable=False),
)
sessions = Table(
    "sessions",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("study", ForeignKey("studies.id"), nullable=False),
    Column("admin", String(200), nullable=False),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
)

# With what a study signs the answers that it sends back to a survey tool.
signing = Table(
    "signing",
    metadata,
    Column("study", ForeignKey("studies.id"), primary_key=True),
    Column("secret", String(64), nullable=False),
    Column("created", Double, nullable=False),
)
