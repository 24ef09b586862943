// Line charts as SVG, drawn from arrays; nothing is loaded for them.

const SVG = "http://www.w3.org/2000/svg";
const LEFT = 52, RIGHT = 12, TOP = 10, BOTTOM = 34;

function s(tag, props = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(props)) node.setAttribute(name, String(value));
  for (const child of children) node.append(child);
  return node;
}

/** About `n` round values from 0 or `low` to `high`. */
export function ticks(low, high, n = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / n, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((one) => one >= raw);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-6; value += step) found.push(Number(value.toPrecision(12)));
  return found;
}

const label = (value) => (Math.abs(value) >= 1e6 ? `${Number((value / 1e6).toPrecision(4)).toLocaleString("en")}M` : Math.abs(value) >= 10000 ? `${Number((value / 1000).toPrecision(4)).toLocaleString("en")}k` : Number(value.toPrecision(4)).toLocaleString("en"));

/** A line chart. `series`: [{name, x: [...], y: [...]}], null in y is a gap; `flags`: [{x, text, sign}] vertical lines with a
 *  title, and a letter above; `describe`: what the chart shows, for those who do not see it. */
export function lines({ series, flags = [], xLabel = "", yMax = null, height = 240, describe = "" }) {
  const WIDTH = matchMedia("(max-width: 42rem)").matches ? 360 : 640; // letters stay as large on a small screen
  const xs = series.flatMap((one) => one.x), ys = series.flatMap((one) => one.y).filter((y) => y !== null && Number.isFinite(y));
  const xHigh = Math.max(1, ...xs.slice(-1), xs.reduce((a, b) => Math.max(a, b), 0));
  const yHigh = yMax ?? Math.max(1e-9, ys.reduce((a, b) => Math.max(a, b), 0)) * 1.05;
  const px = (x) => LEFT + (x / xHigh) * (WIDTH - LEFT - RIGHT), py = (y) => height - BOTTOM - (y / yHigh) * (height - TOP - BOTTOM);
  const chart = s("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": describe || series.map((one) => one.name).join(", ") });
  for (const y of ticks(0, yHigh, 4)) {
    chart.append(s("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: py(y), y2: py(y) }), s("text", { x: LEFT - 6, y: py(y) + 4, "text-anchor": "end" }, label(y)));
  }
  for (const x of ticks(0, xHigh, 5)) chart.append(s("text", { x: px(x), y: height - BOTTOM + 18, "text-anchor": "middle" }, label(x)));
  chart.append(s("line", { class: "axis", x1: LEFT, x2: WIDTH - RIGHT, y1: py(0), y2: py(0) }));
  if (xLabel) chart.append(s("text", { x: WIDTH - RIGHT, y: height - 4, "text-anchor": "end" }, xLabel));
  const ends = [];
  for (const flag of flags) {
    const x = px(flag.x);
    chart.append(s("line", { class: "flag", x1: x, x2: x, y1: TOP, y2: height - BOTTOM }, s("title", {}, flag.text)));
    const row = [0, 1, 2].find((one) => !(ends[one] > x - 11)); // letters that would meet stand below each other
    if (!flag.sign || row === undefined) continue;
    ends[row] = x;
    chart.append(s("text", { class: "sign", x, y: TOP + 11 * row, "text-anchor": "middle" }, flag.sign, s("title", {}, flag.text)));
  }
  series.forEach((one, place) => {
    let path = "", open = false;
    one.x.forEach((x, i) => {
      const y = one.y[i];
      if (y === null || !Number.isFinite(y)) { open = false; return; }
      path += `${open ? "L" : "M"}${px(x).toFixed(1)} ${py(Math.min(y, yHigh)).toFixed(1)}`;
      open = true;
    });
    if (one.low) { // the edges of a band around the line, without gaps; `look`: the classes of a line in place of s0 to s3
      const edge = (ys) => one.x.map((x, i) => `${px(x).toFixed(1)} ${py(Math.min(ys[i], yHigh)).toFixed(1)}`);
      chart.prepend(s("path", { class: `band ${one.look ?? `s${place % 4}`}`, d: `M${[...edge(one.low), ...edge(one.high).reverse()].join("L")}Z` }));
    }
    chart.append(s("path", { class: `line ${one.look ?? `s${place % 4}`}`, d: path || "M0 0" }, s("title", {}, one.name)));
  });
  return chart;
}

/** What the lines of a chart are, in the order of its series. */
export function legend(names) {
  const node = document.createElement("div");
  node.className = "legend";
  names.forEach((name, place) => {
    const entry = document.createElement("span"), line = document.createElement("i");
    line.className = `s${place % 4}`;
    entry.append(line, name);
    node.append(entry);
  });
  return node;
}

/** A short piece of a line as it looks in a chart: `look` are its classes. */
export function key(look) {
  return s("svg", { class: "chart key", viewBox: "0 0 34 8", "aria-hidden": "true" }, s("path", { class: `line ${look}`, d: "M0 4L34 4" }));
}
