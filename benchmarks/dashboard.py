"""How long the dashboard takes with a million visits in the journal: to open, and an update.

The journal and the tables of visits and summaries are filled by statements of SQL behind a real,
short study, whose snapshot is moved to their end; the service and the browser are real.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

import httpx
from sqlalchemy import text

import askless as al
from askless.service.dashboard.assets import assets
from askless.storage import Database, LiveStudy
from askless.storage.admins import set_password
from askless.storage.overview import read_overview
from live_visits import TEXT, open_live, play
from served import served

PASSWORD = "correct horse battery"
CHROMIUM = Path("/usr/bin/chromium")
KINDS = ("started", "asked", "answered", "asked", "decided", "rewarded", "learned")
REAL = 1_000
GOALS = {"open": 2.0, "update": 0.2}

NUMBERS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < :last)"
BODY = '{"record":' + json.dumps({"asked": ["age"], "answers": {"age": 44}, "pad": "x" * 200}) + "}"


def fill(database: Database, live: LiveStudy, visits: int) -> None:
    """Add visits behind those of a real study: seven events each, and all their summaries."""
    kept = live.look(lambda newest: newest.as_snapshot())
    with database.writing() as connection:
        row = connection.execute(text("SELECT serial, visits, at FROM studies")).one()
        more = visits - row.visits
        given = {"first": row.visits, "serial": row.serial, "at": row.at, "body": BODY}
        for place, kind in enumerate(KINDS):
            connection.execute(
                text(
                    f"{NUMBERS} INSERT INTO events (study, serial, page, at, kind, visit, body)"
                    f" SELECT 1, :serial + 7 * i + {place + 1}, :serial + 7 * i, :at + 30 * i,"
                    f" '{kind}', :first + i, :body FROM n"
                ),
                given | {"last": more - 1},
            )
        connection.execute(
            text(
                f"{NUMBERS} INSERT INTO visits (study, number, token, status, started, kind, arm,"
                " decided, decided_at, asked, reward, learned, learned_after, block)"
                " SELECT 1, :first + i, 'synthetic-' || i, 'learned', :at + 30 * i, 'short', 'wwf',"
                " 10000000 + i, :at + 30 * i, 3, 50, 10000000 + i, 10000000 + i, 0 FROM n"
            ),
            given | {"last": more - 1},
        )
        for span, size, first in (
            ("hundred", 100, row.visits // 100 + 1),
            ("day", 2_880, int(row.at // 86_400) + 1),
        ):
            for arm in ("", *(one.name for one in live.study.arms)):
                connection.execute(
                    text(
                        f"{NUMBERS} INSERT INTO summaries (study, span, start, arm, started,"
                        " decided, full, short, checks, asked, rewarded, late, reward, squares,"
                        f" asked_short) SELECT 1, '{span}', :first + i, '{arm}', {size}, {size},"
                        f" {size} / 10, {size} - {size} / 10, 0, 3 * {size}, {size}, 1,"
                        f" 55.0 * {size}, 3500.0 * {size}, 2 * {size} FROM n"
                    ),
                    {"first": first, "last": more // size - 1},
                )
        connection.execute(text("UPDATE questions SET put = put + :more"), {"more": more})
        connection.execute(text("DELETE FROM snapshots"))
        end = row.serial + 7 * more
        connection.execute(
            text("INSERT INTO snapshots VALUES (1, :serial, 0, :body, :digest)"),
            {"serial": end, "body": kept.body, "digest": kept.digest},
        )
        connection.execute(
            text("UPDATE studies SET serial = :end, visits = :visits, at = at + 30 * :more"),
            {"end": end, "visits": visits, "more": more},
        )


def over_http(address: str, times: int) -> dict[str, float]:
    """Open the page and ask for what is new, without a browser."""
    home, found = "/dashboard/charity", {}
    with httpx.Client(base_url=address, timeout=120) as client:
        page = client.get(f"{home}/sign-in").text
        token = re.search(r'name="form" value="(\w+)"', page)[1]
        form = {"form": token, "name": "admin", "password": PASSWORD}
        assert client.post(f"{home}/sign-in", data=form).status_code == 303
        for what, path in (("page", home), ("update", f"{home}/news")):
            seconds, size = [], 0
            for _ in range(times):
                begun = time.perf_counter()
                answer = client.get(path)
                seconds.append(time.perf_counter() - begun)
                assert answer.status_code == 200
                size = len(answer.content)
            found[f"{what}, first"], found[what] = seconds[0], statistics.median(seconds)
            found[f"{what}, largest"], found[f"{what}, kB"] = max(seconds), size / 1000
    return found


def in_browser(address: str, times: int) -> dict[str, float]:
    """Open the page in Chromium, from the request until every chart is drawn."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (it may not be there)

    home, seconds = f"{address}/dashboard/charity", []
    with sync_playwright() as playwright:
        quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=quiet)
        page = browser.new_page()
        page.goto(home)
        page.fill("#password", PASSWORD)
        page.keyboard.press("Enter")
        for _ in range(times):
            page.wait_for_selector("main[data-drawn]", timeout=60_000)
            begun = time.perf_counter()
            page.goto(home)
            page.wait_for_selector("main[data-drawn]", timeout=60_000)
            seconds.append(time.perf_counter() - begun)
        browser.close()
    return {"opened and drawn": statistics.median(seconds), "drawn, largest": max(seconds)}


def main() -> int:
    """Fill, serve, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--visits", type=int, default=1_000_000)
    parser.add_argument("--times", type=int, default=15)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="askless-") as name:
        folder = Path(name)
        database = Database(str(folder / "study.db"), pragmas={"synchronous": 0})
        live = open_live(database)
        play(live, REAL)
        begun = time.perf_counter()
        fill(database, live, options.visits)
        set_password(database, live.name, PASSWORD)
        size = (folder / "study.db").stat().st_size / 1e6
        print(f"{options.visits:,} visits, {7 * options.visits:,} events, {size:,.0f} MB", end="")
        print(f" ({time.perf_counter() - begun:.0f} s to write)")
        begun = time.perf_counter()
        read_overview(database, live.id)
        print(f"  summaries read      {1000 * (time.perf_counter() - begun):8.0f} ms")
        database.close()
        begun = time.perf_counter()
        assets.bundle.packed()
        print(f"  script of charts    {1000 * (time.perf_counter() - begun):8.0f} ms, once a start")
        with served(folder, study=al.Study.parse(TEXT)) as (address, _):
            found = over_http(address, options.times)
            if CHROMIUM.exists():
                found |= in_browser(address, 5)
    for what, value in found.items():
        unit = "kB" if what.endswith("kB") else "ms"
        print(f"  {what:<20}{value if unit == 'kB' else 1000 * value:8.0f} {unit}")
    opened = found.get("opened and drawn", found["page"] + found["update"])
    kept = opened <= GOALS["open"] and found["update"] <= GOALS["update"]
    print(
        f"Opened in {opened:.2f} s (goal {GOALS['open']:g} s), an update in"
        f" {1000 * found['update']:.0f} ms (goal {1000 * GOALS['update']:.0f} ms):"
        f" {'kept' if kept else 'not kept'}."
    )
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
