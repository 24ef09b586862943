// The Crawl page: how far the crawl is, what it does, and the buttons that steer it.

import { state as chip } from "../app.js";
import { legend, lines } from "../chart.js";
import { HOSTS, bands, bars, capital, figures, grid, hostColumns, log, queues, rule, says } from "../crawl/parts.js";
import { api, button, count, digits, fill, h, keys, many, of, query, share, span, toast, when } from "../lib.js";

const SIGNS = { widened: "W", narrowed: "N", trained: "T", archetypes: "A", found: "F", outage: "O", back: "B", paused: "P", steered: "U" };
const CURVE_MS = 3000, LISTS_MS = 5000, AGAIN_MS = 3000, FLAGS = 40, ROWS = 12;

/** Requests without an answer, and pages that were fetched and are being read. */
function underWay({ requests, pages }) {
  const said = [requests && many(requests, "request"), pages && `${many(pages, "page")} read`].filter(Boolean);
  return said.join(", ") || "nothing";
}

export async function show(root, { project }) {
  const page = new CrawlPage(root, project);
  await page.begin();
  return () => page.end();
}

class CrawlPage {
  constructor(root, project) {
    this.root = root;
    this.project = project;
    this.gone = new AbortController();
    this.drawn = { visits: -1, at: 0 };
    this.older = 0;
    this.hosts = { state: "", more: ROWS, grid: null };
    this.meanings = {};
    this.narrow = matchMedia("(max-width: 42rem)");
    this.redraw = () => this.curve().catch(() => {});
  }

  async begin() {
    this.lay();
    const [meanings, now] = await Promise.all([api("/marks", { signal: this.gone.signal }), this.ask("crawl")]);
    this.meanings = meanings;
    this.setHosts(now.live ? "waiting" : "visited");
    this.take(now);
    this.listen();
    this.tell(this.curve());
    this.tell(this.lists());
    this.timer = setInterval(() => this.lists().catch(() => {}), LISTS_MS);
    this.unkey = keys({ p: () => [this.pause, this.resume].find((one) => one.getClientRects().length)?.click() });
    this.narrow.addEventListener("change", this.redraw);
  }

  end() {
    this.gone.abort();
    this.source?.close();
    clearInterval(this.timer);
    clearTimeout(this.retry);
    clearTimeout(this.later);
    this.unkey?.();
    this.narrow.removeEventListener("change", this.redraw);
    chip("");
  }

  /** Tells what went wrong in something that nobody waits for, unless the page was left. */
  tell(promise) {
    promise.catch((error) => { if (!this.gone.signal.aborted) says(this.trouble, error.message); });
  }

  ask(what, values = {}) {
    return api(`${of(this.project, ...what.split("/"))}${query(values)}`, { signal: this.gone.signal });
  }

  // -- what is where ----------------------------------------------------------------------------------------

  lay() {
    this.status = h("p", { class: "status", role: "status" });
    this.trouble = h("p", { class: "bad", hidden: true });
    this.facts = figures();
    this.all = h("div"); this.late = h("div"); this.signs = h("div", { class: "legend" });
    this.flagged = log("Marks of the curve");
    this.rules = bars("Stopping rules"); this.norule = h("p", { class: "says" });
    this.bands = bars("Waiting links by score"); this.noband = h("p", { class: "says" });
    this.queues = queues(); this.noqueue = h("p", { class: "says" });
    this.sessions = grid("Sessions", [
      ["session", (row) => count(row.number), { number: true }], ["pages", (row) => count(row.fetched), { number: true }],
      ["relevant", (row) => count(row.relevant), { number: true }], ["share", (row) => share(row.precision), { number: true }],
      ["share so far", (row) => share(row.precision_total), { number: true }],
      ["best waiting link", (row) => digits(row.best_waiting), { number: true }], ["", (row) => (row.rescored ? "links scored again" : "")],
    ], (row) => row.number);
    this.decisions = log("Decision log");
    this.more = button("Older entries", () => { this.older += 50; return this.lists(); });
    this.details = h("div", { class: "wide loose" }, this.curves(), this.cards());
    fill(this.root, h("h1", {}, "Crawl"), this.status, this.trouble, this.controls(), this.facts.node, this.details);
  }

  controls() {
    const act = (what) => async () => { toast((await api(of(this.project, "crawl", what), { method: "POST" })).done); this.take(await this.ask("crawl")); };
    this.pages = h("input", { type: "number", min: "1", step: "1", size: "8", inputmode: "numeric" });
    this.pages.addEventListener("input", () => { this.typed = true; });
    this.minutes = h("input", { type: "number", min: "0.1", step: "any", size: "6", inputmode: "decimal" });
    this.go = button("Start", () => this.start(), { class: "main" });
    this.starts = h("div", { class: "row" }, this.go,
      h("label", {}, "until", this.pages, "pages in all"), h("label", {}, "or for", this.minutes, "minutes"));
    this.pause = button("Pause", act("pause"), { title: "Key: p" });
    this.resume = button("Resume", act("resume"), { class: "main", title: "Key: p" });
    this.stop = button("Stop", act("stop"), { class: "danger" });
    this.steers = h("div", { class: "row" }, this.pause, this.resume, this.stop, h("small", {}, h("kbd", {}, "p"), " pauses and resumes"));
    return h("div", {}, this.starts, this.steers);
  }

  curves() {
    return [
      h("section", { class: "card full" }, h("h2", {}, "Harvest"),
        h("div", { class: "wide" }, h("div", {}, legend(["pages judged relevant"]), this.all), h("div", {}, legend(["share judged relevant, of the last 200"]), this.late)),
        this.signs, this.happened = h("details", {}, h("summary", {}, "What happened when"), this.flagged.node)),
    ];
  }

  cards() {
    const card = (title, ...content) => h("section", { class: "card" }, h("h2", {}, title), content);
    this.kind = h("select", {}, HOSTS.map(([name, title]) => h("option", { value: name }, title)));
    this.kind.addEventListener("change", () => { this.setHosts(this.kind.value); this.tell(this.listHosts()); });
    this.hostsSay = h("p", { class: "says" }); this.hostList = h("div");
    this.moreHosts = button("More hosts", () => { this.hosts.more = Math.min(this.hosts.more + 50, 500); return this.listHosts(); });
    this.running = [
      card("When it stops", this.rules.node, this.norule),
      card("Waiting links by score", this.bands.node, this.noband),
      card("What the strategy is after", this.queues.node, this.noqueue),
    ];
    return [
      ...this.running,
      card("Decision log", this.nodecision = h("p", { class: "says", hidden: true }), this.decisions.node, this.more),
      card("Sessions", this.nosession = h("p", { class: "says", hidden: true }), this.sessions.node),
      this.hostCard = card("Hosts", h("div", { class: "row" }, h("label", {}, "Hosts that are", this.kind)), this.hostsSay, this.hostList, this.moreHosts),
    ];
  }

  // -- news -------------------------------------------------------------------------------------------------

  listen() {
    this.source = new EventSource(`/api${of(this.project, "live")}`);
    this.source.addEventListener("state", (event) => { says(this.trouble, this.now.failure); this.take(JSON.parse(event.data)); });
    this.source.addEventListener("fault", (event) => says(this.trouble, JSON.parse(event.data).error));
    this.source.onerror = () => {
      chip("no connection", "bad");
      says(this.trouble, "The dashboard does not answer: is clew serve still running? Trying again …");
      if (this.source.readyState !== EventSource.CLOSED) return; // the browser tries again
      this.retry = setTimeout(() => this.listen(), AGAIN_MS);
    };
  }

  take(now) {
    const before = this.now;
    this.now = now;
    const kind = { running: "good", paused: "warn", stopping: "warn", starting: "warn" }[now.state] || "";
    chip(kind ? now.state : "not running", kind);
    this.status.className = `status ${kind}`;
    const ended = now.ended_at > 1e9 ? `, ${when(now.ended_at)}` : "";
    says(this.status, now.state === "never" ? "Nothing was crawled yet. Start the crawl: it begins with the project's seeds." : `${capital(now.says)}${ended}.`);
    says(this.trouble, now.failure && `The crawl that was started here failed: ${now.failure}`);
    this.buttons(now);
    this.facts.set(now.figures ? factsOf(now.figures, now.live) : []);
    this.details.hidden = !now.figures;
    this.liveParts(now);
    if (before && before.state !== now.state) this.drawn.visits = -1;
    if (before && (before.state !== now.state || before.figures?.session !== now.figures?.session)) this.lists().catch(() => {});
    if (before && now.figures && now.figures.visits !== this.drawn.visits) this.curveSoon();
  }

  buttons(now) {
    const runs = ["running", "paused", "stopping"].includes(now.state);
    this.starts.hidden = runs || now.state === "starting";
    this.steers.hidden = !runs;
    this.pause.hidden = now.state !== "running";
    this.resume.hidden = now.state !== "paused";
    const label = now.state === "stopping" ? "Give up what is under way" : "Stop";
    if (this.stop.textContent !== label) this.stop.textContent = label;
    const fetched = now.figures?.fetched ?? 0;
    if (!this.typed && document.activeElement !== this.pages) this.pages.value = String(fetched + 1000);
    this.go.textContent = fetched ? "Go on" : "Start";
  }

  liveParts({ live }) {
    for (const one of this.running) one.hidden = !live;
    this.hostCard.classList.toggle("full", !live); // so that no place stays empty
    if (!live) return;
    this.rules.set(live.rules.map(rule));
    says(this.norule, live.rules.length ? "" : "No rule is set: it runs until no link is left. Give a number of pages at the next start, or set a rule in [stop] of clew.toml.");
    this.queues.set(live.queues);
    says(this.noqueue, live.queues.length ? "" : "This strategy has one queue: the best link comes first.");
  }

  // -- the curve --------------------------------------------------------------------------------------------

  curveSoon() {
    if (this.later || this.gone.signal.aborted) return;
    const wait = Math.max(CURVE_MS - (Date.now() - this.drawn.at), 0);
    this.later = setTimeout(() => { this.later = null; this.curve().catch(() => {}); }, wait);
  }

  async curve() {
    if (!this.now.figures) return;
    const found = await this.ask("curve", { points: 400 });
    this.drawn = { visits: found.total, at: Date.now() };
    const marks = some(found.marks, found.total);
    const flags = marks.map((mark) => ({ x: mark.visit, text: `${this.meanings[mark.kind]}: ${mark.text}`, sign: SIGNS[mark.kind] }));
    const last = found.total - 1 < 0 ? 0 : found.relevant.at(-1);
    fill(this.all, lines({ series: [{ name: "judged relevant", x: [0, ...found.visits], y: [0, ...found.relevant] }], flags, xLabel: "pages fetched",
      describe: `Pages judged relevant by pages fetched: ${count(last)} of ${count(found.total)}` }));
    fill(this.late, lines({ series: [{ name: "of the last 200", x: found.visits, y: found.late }], flags, xLabel: "pages fetched", yMax: 1,
      describe: `Share judged relevant of the last 200 pages: ${share(found.late.at(-1))} now` }));
    const kinds = [...new Set(marks.map((mark) => mark.kind))];
    fill(this.signs, kinds.map((kind) => h("span", {}, h("b", {}, SIGNS[kind]), ` ${this.meanings[kind]}`)),
      marks.length < found.marks.length && h("span", {}, `${marks.length} of ${many(found.marks.length, "mark")}, spread over the crawl`));
    this.happened.hidden = !marks.length;
    this.flagged.set(marks.map((mark, place) => ({ ...mark, number: `${place} ${mark.visit}`, at: 0 })).reverse());
  }

  // -- the lists --------------------------------------------------------------------------------------------

  async lists() {
    if (!this.now.figures || document.hidden) return;
    const [decided, sessions] = await Promise.all([this.ask("decisions", { limit: Math.min(50 + this.older, 500) }), this.ask("sessions", { limit: ROWS })]);
    this.decisions.set(decided.decisions);
    this.more.hidden = decided.decisions.length === decided.total || decided.decisions.length >= 500;
    this.sessions.set(sessions.sessions);
    this.sessions.node.hidden = !sessions.total;
    says(this.nosession, sessions.total ? "" : "None has ended yet: one does after crawl.session_pages pages of clew.toml, and the strategy adapts.");
    says(this.nodecision, decided.total ? "" : "Nothing was decided yet.");
    await Promise.allSettled([this.listHosts(), this.listBands()]); // a busy crawl answers some time later
  }

  async listBands() {
    if (!this.now.live) return;
    const found = await this.ask("bands", { n: 10 });
    this.bands.set(bands(found));
    says(this.noband, found.bands.length ? "" : "No link waits.");
  }

  setHosts(state) {
    this.kind.value = state;
    this.hosts = { state, more: ROWS, grid: grid("Hosts", hostColumns(state), (row) => row.name) };
    fill(this.hostList, this.hosts.grid.node);
  }

  async listHosts() {
    if (!this.now.figures) return;
    const { state, more, grid: shown } = this.hosts;
    const found = await this.ask("hosts", { state, limit: more });
    if (this.hosts.grid !== shown) return;
    shown.set(found.hosts);
    shown.node.hidden = !found.hosts.length;
    says(this.hostsSay, found.says || (found.total ? many(found.total, "host") : `No host is ${HOSTS.find(([name]) => name === state)[1]}.`));
    this.moreHosts.hidden = found.hosts.length >= Math.min(found.total, 500);
  }

  // -- starting ---------------------------------------------------------------------------------------------

  async start() {
    const body = { max_pages: this.pages.value ? Number(this.pages.value) : null, for_s: this.minutes.value ? 60 * Number(this.minutes.value) : null };
    says(this.status, "Starting: the examples are read, and the judge is trained …");
    try {
      toast((await api(of(this.project, "crawl", "start"), { method: "POST", body })).done);
    } finally {
      this.take(await this.ask("crawl"));
    }
    this.typed = false;
    await this.lists();
  }
}

/** Some marks where there are many: the rarest kind of each stretch of the crawl. */
function some(marks, total) {
  if (marks.length <= FLAGS) return marks;
  const times = {}, chosen = new Map();
  for (const mark of marks) times[mark.kind] = (times[mark.kind] || 0) + 1;
  for (const mark of marks) {
    const place = Math.floor((mark.visit * FLAGS) / (total + 1)), other = chosen.get(place);
    if (!other || times[mark.kind] < times[other.kind]) chosen.set(place, mark);
  }
  return [...chosen.values()];
}

function factsOf(figures, live) {
  const precision = figures.precision;
  return [
    ["fetched", count(figures.fetched)],
    ["judged relevant", `${count(figures.relevant)} (${share(figures.harvest_rate)})`],
    ["of the last 200", share(figures.window_rate)],
    ["precision", precision ? `about ${share(precision.share, 2)} (${share(precision.low, 2)} to ${share(precision.high, 2)})` : "not known"],
    live && ["pages/s, last 30 s", live.recent_pages_per_s.toFixed(1)],
    live && ["pages/s, this run", live.pages_per_s.toFixed(1)],
    live && ["time of this run", span(live.seconds)],
    ["waiting links", count(figures.waiting)],
    live && ["hosts active", count(live.hosts_active)],
    live && ["hosts waiting", count(live.hosts_waiting)],
    live && ["hosts resting", count(live.hosts_resting)],
    live && ["under way", underWay(live)],
    ["failed", count(figures.failed)],
    ["refused", count(figures.refused)],
    ["redirects", count(figures.redirects)],
    ["received", figures.bytes < 1e9 ? `${(figures.bytes / 1e6).toFixed(1)} MB` : `${(figures.bytes / 1e9).toFixed(1)} GB`],
    ["strategy", figures.strategy],
    ["judge", figures.judge],
    ["web", figures.web],
  ];
}
