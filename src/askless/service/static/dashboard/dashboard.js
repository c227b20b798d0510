// Keeps the dashboard new and draws its charts; without it the page and its tables are all there.
"use strict";
(() => {
  const main = document.getElementById("main");
  const said = document.getElementById("said");
  const following = document.getElementById("following");
  const drawn = new Map(); // by name: the view, and the words by which it was drawn
  let newest = null;

  const LONGEST_WAIT = 40_000; // ms; the service itself gives up after 30 s, and says so

  const OLD = "The service does not answer; these figures may be old.";
  const OUT = "You are no longer signed in; load the page again.";
  const UNDRAWN = "The charts cannot be drawn as they are now; their tables have the numbers.";

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // The stylesheet has the colours; charts take them from there, in both themes.
  function theme() {
    const ink = colour("--ink"), muted = colour("--muted"), line = colour("--line");
    const font = getComputedStyle(document.body).fontFamily;
    return {
      background: colour("--card"),
      font,
      padding: { left: 2, right: 10, top: 4, bottom: 4 },
      view: { stroke: null },
      axis: {
        labelColor: muted, titleColor: muted, gridColor: line, domainColor: line, tickColor: line,
        labelFontSize: 12, titleFontSize: 12, titleFontWeight: "normal", titlePadding: 8,
        labelFlush: false,
      },
      axisX: { labelFlush: true },
      legend: {
        orient: "top", labelColor: ink, labelFontSize: 13, symbolStrokeWidth: 2.5, symbolSize: 110,
        columnPadding: 16, rowPadding: 4, symbolOpacity: 1,
      },
      text: { color: ink, fontSize: 13 },
      rule: { color: colour("--c1") },
      point: { color: colour("--c1") },
      bar: { color: colour("--c3") },
    };
  }

  function coloured(part) {
    if (typeof part === "string") return part.startsWith("--") ? colour(part) : part;
    if (Array.isArray(part)) return part.map(coloured);
    if (part === null || typeof part !== "object") return part;
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, coloured(value)]));
  }

  async function draw(name, chart) {
    const place = document.querySelector(`[data-drawing="${name}"]`);
    if (!place) return;
    const nothing = chart.rows.length === 0;
    place.hidden = nothing;
    if (nothing) return;
    const words = JSON.stringify(chart.spec);
    const before = drawn.get(name);
    if (before && before.words === words) {
      await before.view.data("rows", chart.rows).runAsync();
      return;
    }
    if (before) before.finalize();
    const spec = { ...coloured(chart.spec), datasets: { rows: chart.rows } };
    const made = await window.vegaEmbed(place, spec, {
      mode: "vega-lite", renderer: "svg", actions: false, ast: true, defaultStyle: false,
      tooltip: { disableDefaultStyle: true }, config: theme(),
    });
    drawn.set(name, { words, view: made.view, finalize: () => made.finalize() });
    for (const button of document.querySelectorAll(`[data-chart="${name}"] [data-save]`)) {
      button.hidden = false;
    }
  }

  async function drawAll() {
    if (!window.vegaEmbed || !newest) return;
    for (const [name, chart] of Object.entries(newest.charts)) await draw(name, chart);
    main.dataset.drawn = String(drawn.size);
  }

  // Returns the news, or what people must know in their place.
  async function fetched() {
    try {
      const answer = await fetch(main.dataset.news, {
        credentials: "same-origin", cache: "no-store", signal: AbortSignal.timeout(LONGEST_WAIT),
      });
      if (!answer.ok) return { problem: answer.status === 401 ? OUT : OLD };
      return { news: await answer.json() }; // an answer may be cut, or be another's than ours
    } catch {
      return { problem: OLD };
    }
  }

  // Returns what people must know of these figures; nothing if they are as they should be.
  async function renew() {
    const { news, problem } = await fetched();
    if (problem) return problem;
    newest = news;
    for (const part of document.querySelectorAll("[data-live]")) {
      const text = newest.parts[part.dataset.live];
      if (text !== undefined && part.innerHTML.trim() !== text.trim()) part.innerHTML = text;
    }
    try {
      await drawAll();
    } catch (error) {
      console.error(error);
      return UNDRAWN;
    }
    return "";
  }

  async function follow() {
    const wanted = following.querySelector("input").checked && !document.hidden;
    try {
      if (wanted) {
        said.textContent = await renew();
        said.hidden = said.textContent === "";
      }
    } finally {
      setTimeout(follow, 1000 * Number(main.dataset.every)); // whatever happened to this look
    }
  }

  async function save(button) {
    const name = button.closest("[data-chart]").dataset.chart;
    const kind = button.dataset.save;
    const link = document.createElement("a");
    link.href = await drawn.get(name).view.toImageURL(kind, 2);
    link.download = `${name}.${kind}`;
    link.click();
  }

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-save]");
    if (button) save(button);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    for (const chart of drawn.values()) chart.finalize();
    drawn.clear();
    drawAll();
  });
  following.hidden = false;
  const script = document.createElement("script");
  script.src = main.dataset.charts;
  script.type = "module";
  script.addEventListener("load", drawAll);
  document.head.append(script);
  follow();
})();
