"""The dashboard over HTTP: who gets in, what it shows, what its forms do, how it refuses."""

import csv
import html
import io
import re
import sqlite3
from urllib.parse import quote

import anyio
import httpx
import pytest
from sqlalchemy import select

import askless as al
import live_world
from askless.service.app import create_app
from askless.service.dashboard.assets import assets
from askless.storage import Database, LiveStudy
from askless.storage.admins import set_password
from askless.storage.tables import visits
from live_visits import TEXT, open_live
from looking import PASSWORD, Somebody, visited
from served import served

VISITS = 330
KINDS = ("full", "short", "check")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("dashboard")


@pytest.fixture(scope="module")
def address(folder):
    with visited(folder, VISITS) as found:
        yield found


@pytest.fixture
def stranger(address):
    with Somebody(address) as found:
        yield found


@pytest.fixture(scope="module")
def session(address):
    """The cookies of somebody who has signed in: trying again and again is limited."""
    with Somebody(address) as found:
        assert found.sign_in().status_code == 303
        return dict(found.cookies)


@pytest.fixture
def admin(address, session):
    with Somebody(address) as found:
        found.cookies.update(session)
        yield found


def rows(folder):
    database = Database(str(folder / "study.db"))
    with database.reading() as connection:
        found = connection.execute(select(visits)).all()
    database.close()
    return found


# -- who gets in ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/tables/arrivals.csv"])
def test_a_stranger_is_sent_to_the_door(stranger, path):
    """Fails if anything of a study is shown to somebody who is not signed in."""
    response = stranger.get(stranger.home + path)
    assert response.status_code == 303
    assert response.headers["location"] == f"{stranger.home}/sign-in"
    assert not response.content


@pytest.mark.parametrize("path", ["pause", "stop", "sign-out"])
def test_a_stranger_changes_nothing(stranger, admin, path):
    """Fails if a form of somebody who is not signed in is done."""
    assert stranger.post(f"{stranger.home}/{path}").status_code == 303
    assert stranger.get(f"{stranger.home}/news").status_code == 401
    assert "running" in admin.news()["parts"]["state"]


def test_only_the_password_opens_and_only_from_our_page(stranger):
    """Fails if a wrong password opens, a form without its token is read, or cookies are loose."""
    assert (
        stranger.post(
            f"{stranger.home}/sign-in", data={"name": "admin", "password": PASSWORD}
        ).status_code
        == 403
    )
    wrong = stranger.sign_in("not the password")
    assert wrong.status_code == 401
    assert "name or the password is wrong" in wrong.text
    assert "not the password" not in wrong.text
    right = stranger.sign_in()
    assert right.status_code == 303
    left = right.headers["set-cookie"]
    assert left.startswith("askless_admin_")  # browsers refuse __Host- over plain http
    assert "HttpOnly" in left
    assert "SameSite=lax" in left
    assert "Path=/" in left
    assert stranger.get(stranger.home).status_code == 200
    assert stranger.form("sign-out").status_code == 303
    assert stranger.get(stranger.home).status_code == 303


def test_over_https_cookies_belong_to_this_host_alone(tmp_path):
    """Fails if the session's cookie can be set by another host, or sent over plain http."""
    database = Database(str(tmp_path / "study.db"))
    live = open_live(database)
    set_password(database, live.name, PASSWORD)
    app = create_app(database, [live.name])

    async def signed_in():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="https://here") as client:
            page = await client.get(f"/dashboard/{live.name}/sign-in")
            assert "plain http" not in page.text
            token = re.search(r'name="form" value="(\w+)"', page.text)[1]
            form = {"form": token, "name": "admin", "password": PASSWORD}
            return await client.post(f"/dashboard/{live.name}/sign-in", data=form)

    response = anyio.run(signed_in)
    database.close()
    assert response.status_code == 303
    assert response.headers["set-cookie"].startswith("__Host-askless_admin_")
    assert "Secure" in response.headers["set-cookie"]


def test_many_tries_are_held_up(tmp_path):
    """Fails if an address can try more than five passwords in a row, the right one among them."""
    with visited(tmp_path, 3) as address, Somebody(address) as somebody:
        tries = [somebody.sign_in(f"wrong password {i}").status_code for i in range(5)]
        held = somebody.sign_in()
    assert tries == [401] * 5
    assert held.status_code == 429
    assert 1 <= int(held.headers["retry-after"]) <= 10
    assert "too many tries" in held.text.lower()


# -- what it shows -------------------------------------------------------------------------------


def test_every_answer_forbids_inline_code_and_keeping(admin):
    """Fails if a page may run or load what is not ours, or may be kept on the way."""
    for path in ("", "/sign-in", "/news", "/tables/arrivals.csv"):
        response = admin.get(admin.home + path)
        assert response.status_code == 200
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-content-type-options"] == "nosniff"
    page = admin.get(admin.home).text
    assert "<script>" not in page
    assert not re.search(r"\sstyle=|\son\w+=", page)
    assert re.findall(r'(?:src|href)="(https?:[^"]*)"', page) == []


def test_the_verdict_is_what_the_last_visits_were_asked(admin, folder):
    """Fails if the first sentence is not the mean of the last three hundreds, by the visits."""
    recent = [row for row in rows(folder) if row.arm is not None and row.number >= 100]
    mean = sum(row.asked for row in recent) / len(recent)
    said = html.unescape(admin.get(admin.home).text)
    assert f"The survey asks {mean:.1f} of 8 questions now." in said
    assert f"by the last {len(recent)} visits" in said


def table(admin, name):
    text = admin.get(f"{admin.home}/tables/{name}.csv").text
    return list(csv.DictReader(io.StringIO(text)))


def test_tables_are_those_of_the_visits(admin, folder):
    """Fails if a count of an arm, a mean or who finished is not that of the table of visits."""
    found = rows(folder)
    for row in table(admin, "mean-rewards"):
        timely = [
            r.reward
            for r in found
            if r.arm == row["arm"] and r.reward is not None and r.status != "late"
        ]
        assert int(row["rewards"]) == len(timely)
        assert float(row["estimate"]) == pytest.approx(sum(timely) / len(timely))
        assert float(row["low"]) < float(row["estimate"]) < float(row["high"])
    shares = {row["arm"]: int(row["visits"]) for row in table(admin, "arm-shares")}
    assert sum(shares.values()) == sum(row.arm is not None for row in found)
    days = table(admin, "arrivals")
    assert sum(int(day["started"]) for day in days) == len(found) == VISITS
    stopped = sum(int(row["here"]) for row in table(admin, "where-people-leave"))
    assert stopped == sum(row.status == "open" for row in found) > 0


def test_the_survey_shrinks_as_its_visits_do(admin, folder):
    """Fails if a kind of visit is counted as another, or its questions are, in any hundred."""
    found = rows(folder)
    course = table(admin, "questions-a-visit")
    assert len(course) == -(-VISITS // 100)
    for place, row in enumerate(course):
        here = [r for r in found if r.number // 100 == place]
        asked = {kind: [r.asked for r in here if r.kind == kind] for kind in KINDS}
        asked["all"] = [r.asked for r in here if r.kind is not None]
        assert int(row["started"]) == len(here)
        assert int(row["visit"]) == 100 * place + len(here)
        counted = {"full": "full", "short": "short", "checks": "check"}
        assert all(int(row[name]) == len(asked[kind]) for name, kind in counted.items())
        asked["full"] += asked["check"]  # which ask everything too
        for name in ("all", "full", "short"):
            mean = sum(asked[name]) / len(asked[name])
            assert float(row[f"questions_{name}"]) == pytest.approx(mean)
    assert float(course[-1]["questions_all"]) < float(course[0]["questions_all"])
    assert all(sum(r.kind == kind for r in found) for kind in KINDS)


def test_news_have_every_table_and_chart_of_the_page(admin):
    """Fails if a part of the page is not renewed, or a chart on it has no rows or no table."""
    page, news = admin.get(admin.home).text, admin.news()
    assert set(re.findall(r'data-live="([^"]+)"', page)) == set(news["parts"])
    assert set(re.findall(r'data-drawing="([^"]+)"', page)) == set(news["charts"])
    for name, chart in news["charts"].items():
        assert chart["rows"] or name.startswith("effects-"), name  # no epoch can tell yet
        assert chart["spec"]["width"] == "container"
        assert f"table-{name}" in news["parts"]
        assert admin.get(f"{admin.home}/tables/{name}.csv").text.count("\n") > 1


def test_an_open_page_looks_every_few_seconds(admin):
    """Fails if it stands still, or asks without a pause; a browser is told in seconds."""
    (every,) = re.findall(r'data-every="([^"]+)"', admin.get(admin.home).text)
    assert 1 <= float(every) <= 10


def test_nothing_of_people_is_on_the_page(admin, folder):
    """Fails if a visit's token, the caller's name of a person or an answer is sent."""
    sent = admin.get(admin.home).text + admin.get(f"{admin.home}/news").text
    for row in rows(folder):
        assert row.token not in sent
        assert row.own not in sent
    assert '"answers":{' not in sent
    assert "&#34;answers&#34;" not in sent


def test_assets_are_kept_for_long_under_names_of_their_contents(admin):
    """Fails if a file can change under its name, or is not found under it."""
    page = admin.get(admin.home).text
    for name in ("dashboard.css", "dashboard.js", "charts.js", "licences.txt"):
        address = assets.address(name)
        assert address in page
        response = admin.get(address)
        assert response.status_code == 200
        assert "immutable" in response.headers["cache-control"]
        assert admin.get(address.replace(assets.stamps[name], "0" * 16)).status_code == 404
    script = admin.get(assets.address("charts.js"))
    assert script.headers["content-encoding"] == "gzip"
    assert "vegaEmbed" in script.text
    plain = admin.get(assets.address("charts.js"), headers={"Accept-Encoding": "identity"})
    assert plain.text == script.text


def test_words_of_a_study_are_text(tmp_path):
    """Fails if a name in the study file becomes markup on the page."""
    name = "<script>alert(1)</script>".replace("/", "")
    text = TEXT.replace("name: charity", f'name: "{name}"', 1)
    with visited(tmp_path, 3, text) as address, Somebody(address, quote(name)) as somebody:
        assert somebody.sign_in().status_code == 303
        page = somebody.get(somebody.home)
    assert page.status_code == 200
    assert name not in page.text
    assert html.escape(name) in page.text


# -- what its forms do ---------------------------------------------------------------------------


@pytest.fixture
def mine(tmp_path):
    """A study of one's own, to change."""
    with visited(tmp_path, 60) as address, Somebody(address) as somebody:
        assert somebody.sign_in().status_code == 303
        yield somebody


def state(somebody):
    return re.search(r"pill (\w+)", somebody.news()["parts"]["state"])[1]


def test_forms_pause_resume_reprice_retire_and_stop(mine, tmp_path):
    """Fails if a form does something else than it says, or the journal does not have it."""
    assert mine.form("pause").headers["location"] == f"{mine.home}?done=pause#actions"
    assert state(mine) == "paused"
    assert mine.form("resume").status_code == 303
    assert state(mine) == "running"
    assert mine.form("price", price="0,75").status_code == 303
    assert 'value="0.75"' in mine.get(mine.home).text
    assert mine.form("retire", arm="wwf", sure="yes").status_code == 303
    page = mine.get(mine.home).text
    assert "<option>wwf</option>" not in page
    assert "<option>msf</option>" in page
    assert mine.form("stop", sure="yes").status_code == 303
    assert state(mine) == "stopped"
    assert "The survey asked" in mine.get(mine.home).text
    lines = sqlite3.connect(tmp_path / "study.db").execute(
        "SELECT kind FROM events WHERE visit IS NULL AND kind NOT IN"
        " ('settings', 'form', 'dropped', 'ticked') ORDER BY serial"
    )
    assert [kind for (kind,) in lines] == ["paused", "resumed", "priced", "retired", "stopped"]


@pytest.mark.parametrize("action", ["price", "retire"])
def test_forms_that_could_break_the_proof_say_so(admin, action):
    """Fails if who reprices or retires is not told which figures to leave aside (maths 9.4, 5)."""
    form = re.search(rf'action="[^"]*/{action}".*?</form>', admin.get(admin.home).text, re.S)[0]
    assert "not by mean rewards" in form
    assert "breaks the proof" in form


@pytest.mark.parametrize(
    ("action", "fields", "status", "said"),
    [
        ("retire", {"arm": "wwf"}, 422, "tick the box"),
        ("stop", {}, 422, "tick the box"),
        ("retire", {"arm": "nobody", "sure": "yes"}, 422, "no such arm"),
        ("price", {"price": "cheap"}, 422, "no number"),
        ("price", {"price": "-1"}, 422, "above 0"),
        ("price", {"price": "nan"}, 422, "no number"),
        ("price", {"price": "1,000"}, 422, "no number"),  # one, or a thousand?
        ("price", {"price": "1_0"}, 422, "no number"),
        ("dance", {}, 404, "nothing at this address"),
        ("pause", {"form": "0" * 64}, 403, "not from this page"),
        ("pause", {"form": "é"}, 403, "not from this page"),
        ("sign-out", {"form": "0" * 64}, 403, "not from this page"),
    ],
)
def test_what_a_form_cannot_do_is_said_and_not_done(admin, action, fields, status, said):
    """Fails if a wrong form changes the study, or is answered by something else than a page."""
    events = re.search(
        r"events in the journal.*?>([\d,]+)<", admin.news()["parts"]["rewards"], re.S
    )
    response = admin.form(action, **fields)
    assert response.status_code == status
    assert said in html.unescape(response.text)
    assert response.headers["content-type"].startswith("text/html")
    now = re.search(r"events in the journal.*?>([\d,]+)<", admin.news()["parts"]["rewards"], re.S)
    assert now[1] == events[1]


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "status"),
    [
        ("GET", "/dashboard", {}, b"", 404),
        ("GET", "/dashboard/nothing", {}, b"", 404),
        ("GET", "/dashboard/charity/tables/nothing.csv", {}, b"", 404),
        ("GET", "/dashboard/charity/nothing/at/all", {}, b"", 404),
        ("PUT", "/dashboard/charity/pause", {}, b"", 405),
        ("POST", "/dashboard/charity/pause", {"Content-Type": "text/plain"}, b"x", 415),
        ("POST", "/dashboard/charity/pause", {}, b"x" * 70_000, 413),
        ("POST", "/dashboard/charity/pause", {}, b"\xff=\xfe", 400),
        ("POST", "/dashboard/charity/pause", {}, b"a=1&" * 50, 400),
    ],
)
def test_every_error_is_a_page(admin, method, path, headers, body, status):
    """Fails if somebody who looks gets JSON, or a page that may be kept."""
    form = {"Content-Type": "application/x-www-form-urlencoded"} if body else {}
    response = admin.request(method, path, headers=form | headers, content=body)
    assert response.status_code == status
    assert response.headers["content-type"].startswith("text/html")
    assert "<h1>This did not work</h1>" in response.text
    assert response.headers["cache-control"] == "no-store"


def test_before_the_first_visit_the_page_says_so(tmp_path):
    """Fails if an empty study cannot be shown."""
    with visited(tmp_path, 0) as address, Somebody(address) as somebody:
        somebody.sign_in()
        page, news = somebody.get(somebody.home), somebody.news()
    assert page.status_code == 200
    assert "Nobody has finished a visit yet" in page.text
    assert news["charts"]["questions-a-visit"]["rows"] == []


def test_a_policy_without_effects_or_short_forms_is_shown_too(tmp_path):
    """Fails if the page needs what only the recommended policy has."""
    database = Database(str(tmp_path / "study.db"))
    database.migrate()
    text = live_world.TEXT.replace(", beta_min: 0.2%s", "%s") % ("", "uniform", "")
    world = live_world.World(database, al.Study.parse(text))
    world.paid("person")
    set_password(database, "small", PASSWORD)
    study = LiveStudy(database, "small").study
    with served(tmp_path, study=study) as (address, _), Somebody(address, "small") as somebody:
        somebody.sign_in()
        page = somebody.get(somebody.home)
    database.close()
    assert page.status_code == 200
    assert "This study has no short visits" in page.text
    assert "What answers say" not in page.text
