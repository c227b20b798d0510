"""Figures of the dashboard by the tables of visits and events, also where people were erased."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select

import askless as al
from askless.service.dashboard.glance import glance
from askless.service.dashboard.picture import LINES, picture_of
from askless.service.desk import Look
from askless.storage import Answer, Database, Pause, Reprice, Retire, Reward, Start, erase
from askless.storage.admins import set_password
from askless.storage.codebook import EVENTS
from askless.storage.overview import read_overview
from askless.storage.tables import events, visits
from live_visits import open_live, play
from live_world import TEXT, World
from looking import PASSWORD, Somebody
from served import served


def picture(live):
    """What the page shows now."""
    (found,) = live.run([Look(glance)])
    return picture_of(live.study, read_overview(live.database, live.id), found)


def test_shares_leave_out_who_was_erased(database):
    """Fails if an erased visit still counts in a share, a mean or who finished."""
    live = open_live(database)
    seen = play(live, 60)
    for t in range(0, 40, 2):
        erase(database, live.name, visit=seen[t].visit, later=True)
    shown = picture(live)
    with database.reading() as connection:
        rows = connection.execute(select(visits).where(visits.c.status != "erased")).all()
    decided = [row for row in rows if row.decided is not None]
    timely = [row.reward for row in rows if row.reward is not None and row.status != "late"]
    assert len(rows) == 40
    assert 0 < len(timely) < len(decided) < 40
    share = f"{len(timely) / len(decided):.0%}"
    assert dict(shown.rewards)["rewards in time"] == f"{len(timely)} ({share})"
    figures = {what: many for what, many, _ in shown.figures}
    assert figures["People"] == "40"
    assert figures["Finished"] == f"{len(decided) / 40:.0%}"
    mean = sum(row.asked for row in decided) / len(decided)
    assert figures["Questions a visit"] == f"{mean:.2f}"
    assert figures["Mean reward"] == f"{sum(timely) / len(timely):.1f}"


def test_what_short_forms_cost_is_what_the_check_has_measured(sqlite):
    """Fails if the page takes an end of the interval for its middle, or another price."""
    live = open_live(sqlite)
    play(live, 250)
    live.run([Reprice(0.25)])
    form = live.look(lambda replica: replica.policy.short_form())
    with sqlite.reading() as connection:
        kinds = connection.execute(select(visits.c.kind, func.count()).group_by(visits.c.kind))
        assert dict(kinds.all())["check"] > 0  # else nothing has been measured
    (found,) = live.run([Look(glance)])
    assert found.form == form
    span = live.study.reward.span
    shown = [
        " ".join(picture_of(live.study, read_overview(live.database, live.id), one).form)
        for one in (
            replace(found, form=replace(form, loss=(0.1, -0.7, 0.9))),
            replace(found, form=replace(form, loss=(-0.1, -span, span))),
        )
    ]
    told = "cannot be told yet: there are too few checks; a short visit saves"
    assert [told in said for said in shown] == [False, True]
    said = shown[0].replace("−", "-")
    pattern = r"cost (\S+) of reward a visit .* (\S+) to (\S+)\); .* worth (\S+) at (\S+) each"
    (found,) = re.findall(pattern, said)
    middle, low, high, saving, price = map(float, found)
    assert low < middle < high
    assert (middle, low, high) == (0.1, -0.7, 0.9)
    assert (saving, price) == pytest.approx((form.saving, 0.25), rel=0.01)
    assert f"ask {len(form.questions)} of 8 questions: {', '.join(form.questions)}." in said


def test_effects_have_their_state_and_since_when(sqlite):
    """Fails if a dropped question is shown as kept, or with the moment of another one."""
    file = TEXT % ("", "survey-bandit", ", price: 0")
    world = World(sqlite, al.Study.parse(file.replace("beta_min: 0.2", "beta_min: 0.5")))
    for _ in range(200):  # only the age matters
        world.clock.now += 3_601
        seen = world.decided()
        reward = 0.3 + 0.04 * seen.answers.get("age", 5) + 0.02 * world.rng.random()
        world.do(Reward(seen.visit, round(reward, 3)))
    with sqlite.reading() as connection:
        mine = select(events.c.at, events.c.body).where(events.c.kind == "dropped")
        lines = [(at, json.loads(body)) for at, body in connection.execute(mine)]
    dropped = {(body["arm"], body["question"]): at for at, body in lines}
    assert len(set(dropped.values())) >= 2  # at several moments
    charts = picture(world.live).effects
    assert [chart.title for chart in charts] == ["mail", "call"]
    found = [row for chart in charts for row in chart.rows]
    assert {(row["arm"], row["question"]) for row in found} >= dropped.keys()
    effects = world.live.look(lambda replica: [dict(row) for row in replica.policy.effects()])
    for row, effect in zip(found, effects, strict=True):
        shared = row.keys() & effect.keys()
        assert {"estimate", "end_low", "end_high", "low", "high", "answers"} <= shared
        assert {name: row[name] for name in shared} == {name: effect[name] for name in shared}
        at = dropped.get((row["arm"], row["question"]))
        since = None if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"
        assert (row["state"], row["since"]) == ("kept" if at is None else "dropped", since)


def test_every_line_of_the_journal_has_its_words(sqlite):
    """Fails if a kind of event is shown by the name that it has in the database."""
    live = open_live(sqlite)
    live.run([Retire("wwf")])
    live.run([Reprice(0.25)])
    said = [line["what"] for line in picture(live).events]
    assert said == ["a question may cost 0.25", "wwf was retired", "the study file was read"]
    assert {*LINES, "dropped", "form", "priced", "retired"} == EVENTS.keys()


def test_the_longest_wait_is_that_of_the_first_who_waits(sqlite):
    """Fails if the page counts from somebody else who waits, or from when a visit began."""
    world = World(sqlite)
    for wait in (7_200, 3_600, 600):
        (started,) = world.live.run([Start()])
        world.clock.now += 1_000  # while it is answered
        person = world.person()
        world.do(Answer(started.visit, {name: person[name] for name in started.asks}))
        world.clock.now += wait
    world.do(Pause(True))  # the journal's time is that of its last line
    rewards = dict(picture(world.live).rewards)
    # 7,200 + 3,600 + 600 seconds, and twice the thousand of those who came after.
    assert rewards["the longest wait began"] == "3 hours ago"
    assert rewards["decided, not learned"] == "3"
    assert rewards["of them waiting for their reward, or their turn"] == "3"
    assert rewards["of them given up, or erased"] == "0"


MANY = """
schema: 1
name: many
questions:
  - {kind: multi, name: media, options: [a, b, c, d, e, f, g, h]}
  - {kind: choice, name: town, options: [%s]}
arms: [{name: mail}, {name: call}]
reward: {low: 0, high: 1}
policy: {name: survey-bandit, beta_min: 0.2}
"""


def test_a_page_has_the_largest_of_many_effects_and_a_file_all(tmp_path):
    """Fails if a page grows with the pairs of options, or a saved table leaves some out."""
    study = al.Study.parse(MANY % ", ".join(f"town{i}" for i in range(20)))
    with served(tmp_path, study=study) as (address, _):
        database = Database(str(tmp_path / "study.db"))
        set_password(database, "many", PASSWORD)
        database.close()
        with Somebody(address, "many") as somebody:
            somebody.sign_in()
            page, news, saved = (
                somebody.get(f"{somebody.home}{at}").text
                for at in ("", "/news", "/tables/effects-1.csv")
            )
    assert page.count("<tr>") < 300
    assert len(news) < 200_000
    assert "The table has the 60 largest, its file all 318." in page  # 128 and 190
    assert len(saved.splitlines()) == 1 + 318
