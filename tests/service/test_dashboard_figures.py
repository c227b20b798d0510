"""Figures of the dashboard by the table of visits, also where people were erased."""

from sqlalchemy import select

from askless.service.dashboard.glance import glance
from askless.service.dashboard.picture import picture_of
from askless.service.desk import Look
from askless.storage import erase
from askless.storage.overview import read_overview
from askless.storage.tables import visits
from live_visits import open_live, play


def test_shares_leave_out_who_was_erased(database):
    """Fails if an erased visit still counts in a share, a mean or who finished."""
    live = open_live(database)
    seen = play(live, 60)
    for t in range(0, 40, 2):
        erase(database, live.name, visit=seen[t].visit, later=True)
    (found,) = live.run([Look(glance)])
    picture = picture_of(live.study, read_overview(database, live.id), found)
    with database.reading() as connection:
        rows = connection.execute(select(visits).where(visits.c.status != "erased")).all()
    decided = [row for row in rows if row.decided is not None]
    timely = [row.reward for row in rows if row.reward is not None and row.status != "late"]
    assert len(rows) == 40
    assert 0 < len(timely) < len(decided) < 40
    share = f"{len(timely) / len(decided):.0%}"
    assert dict(picture.rewards)["rewards in time"] == f"{len(timely)} ({share})"
    figures = {what: many for what, many, _ in picture.figures}
    assert figures["People"] == "40"
    assert figures["Finished"] == f"{len(decided) / 40:.0%}"
    mean = sum(row.asked for row in decided) / len(decided)
    assert figures["Questions a visit"] == f"{mean:.2f}"
    assert figures["Mean reward"] == f"{sum(timely) / len(timely):.1f}"
