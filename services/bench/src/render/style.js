/** The look of report.html. Colours of text reach a contrast of 4.5 : 1 or more on their ground, in both themes. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --ink: #1c2126; --muted: #59626b; --line: #dde1e5; --tint: #f4f6f7; --link: #0b5cad;
  --good: #1b6e3c; --bad: #a8321a;
  --level-0: #fff; --level-1: #fbe6d8; --level-2: #f3bd98; --level-3: #d97b4a; --level-4: #8f2813; --on-3: #1c2126; --on-4: #fff;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --ink: #e4e7ea; --muted: #a0a9b1; --line: #31373d; --tint: #1c2024; --link: #7fb8f0;
    --good: #6fca92; --bad: #f2917b;
    --level-0: #14171a; --level-1: #38261d; --level-2: #623621; --level-3: #9c4a29; --level-4: #f2a184; --on-3: #fff; --on-4: #1c2126;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  font-variant-numeric: tabular-nums;
}
main, header, footer { max-width: 1160px; margin: 0 auto; padding: 0 16px; }
header { padding-top: 40px; }
footer { padding-bottom: 56px; color: var(--muted); font-size: 13px; }
h1, h2, h3, h4, p, li, td, th, dd, dt, summary, figcaption { overflow-wrap: break-word; }
h1 { font-size: 30px; line-height: 1.2; letter-spacing: -0.01em; margin: 0 0 8px; }
h2 { font-size: 21px; line-height: 1.3; margin: 56px 0 12px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 16px; line-height: 1.35; margin: 32px 0 6px; }
h2 + h3, h2 + .keys + h3 { margin-top: 14px; }
h4 { font-size: 14px; margin: 20px 0 4px; }
p, ul, dl { margin: 0 0 10px; max-width: 74ch; }
a { color: var(--link); }
small, .note { color: var(--muted); font-size: 13px; }
.note { max-width: 100ch; }
.lead { color: var(--muted); }
.state { padding-left: 12px; border-left: 3px solid var(--good); }
.state.incomplete { border-color: var(--bad); }
nav { margin-top: 18px; font-size: 14px; }
nav a { margin-right: 14px; white-space: nowrap; }
code, pre { font: 13px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { margin: 0 0 10px; padding: 10px 12px; background: var(--tint); border: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }

.callout { margin: 18px 0; padding: 4px 16px 8px; border: 1px solid var(--line); border-left: 4px solid var(--muted); background: var(--tint); }
.callout.bad { border-left-color: var(--bad); }
.callout h2 { margin: 10px 0 6px; padding: 0; border: 0; font-size: 17px; }
.callout.bad h2 { color: var(--bad); }
.callout code { overflow-wrap: anywhere; }
.choice { font-size: 18px; line-height: 1.4; margin: 10px 0 14px; max-width: 90ch; }
table.glance { width: 100%; line-height: 1.25; }
table.glance th, table.glance td { padding: 6px 16px 6px 0; vertical-align: bottom; }
table.glance thead small { color: var(--muted); font-size: 12px; }
table.glance tbody th[scope="row"] { vertical-align: middle; white-space: nowrap; }
table.glance td { min-width: 116px; }
table.glance td small { font-size: 12px; white-space: nowrap; }
table.glance .bar + small { display: block; min-height: 15px; }
table.glance .ratio { font-size: 15px; }
table.glance .first .ratio { font-weight: 700; }
.bar { display: block; width: 100%; max-width: 150px; height: 8px; margin: 3px 0 2px; }
.bar .track { fill: var(--muted); opacity: 0.45; }
.gaps { color: var(--muted); font-size: 13px; }
table.matrix { border-spacing: 3px; line-height: 1.25; width: 100%; }
table.matrix caption { padding-bottom: 2px; }
table.matrix th, table.matrix td { padding: 6px; vertical-align: top; border: 0; }
table.matrix thead th { vertical-align: bottom; line-height: 1.2; }
table.matrix tbody th[scope="row"] { padding-left: 0; white-space: nowrap; vertical-align: middle; font-style: normal; }
table.matrix td { min-width: 84px; border: 1px solid var(--line); font-style: normal; }
table.matrix td small { display: block; font-size: 12px; color: inherit; }
table.matrix td.empty { background: none; color: var(--muted); font-size: 13px; border-style: dashed; }
table.matrix .share { font-size: 16px; font-weight: 600; white-space: nowrap; }
table.matrix .mark { display: inline-block; font-size: 12px; }
table.matrix .mark::before { content: "▲ "; }
table.matrix td.worst { outline: 3px solid var(--ink); outline-offset: -2px; }
table.matrix .level-0 { background: var(--level-0); }
table.matrix .level-1 { background: var(--level-1); }
table.matrix .level-2 { background: var(--level-2); }
table.matrix .level-3 { background: var(--level-3); color: var(--on-3); }
table.matrix .level-4 { background: var(--level-4); color: var(--on-4); }
.verdicts { list-style: none; padding: 0; max-width: none; }
.verdicts li { margin: 0 0 20px; }
.verdicts h3 { margin: 0 0 2px; font-size: 14px; font-weight: 600; color: var(--muted); }
.answers { display: grid; grid-template-columns: fit-content(16ch) minmax(0, 1fr); gap: 4px 12px; margin: 0; max-width: 88ch; }
.answers dt { min-width: 3ch; font-size: 14px; line-height: 24px; color: var(--muted); }
.answers dd { margin: 0; }
.answers p { font-size: 16.5px; line-height: 24px; margin: 0; max-width: none; }
.caveats { color: var(--muted); font-size: 14px; padding-left: 18px; margin: 2px 0 0; max-width: 88ch; }
.verdicts .caveats li { margin: 0; }
.shared { list-style: none; padding: 0; margin: 0 0 22px; color: var(--muted); font-size: 14px; max-width: 100ch; }

.scroll { overflow-x: auto; margin: 8px 0 10px; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
table { border-collapse: separate; border-spacing: 0; font-size: 14px; line-height: 1.35; }
caption { text-align: left; color: var(--muted); font-size: 13px; padding-bottom: 6px; }
th, td { padding: 6px 18px 6px 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
th { font-weight: 600; }
thead th { vertical-align: bottom; border-bottom: 1px solid var(--muted); }
thead small, tbody th small { display: block; font-weight: 400; }
tbody th[scope="row"] { position: sticky; left: 0; background: var(--paper); }
.number { text-align: right; white-space: nowrap; }
.number small { display: block; }
.text { min-width: 220px; max-width: 460px; }
.control th, .control td, tbody .control th[scope="row"] { background: var(--tint); font-style: italic; }
.control td, .control th { border-bottom: 1px solid var(--muted); }
table.main { min-width: 100%; }
table.main th:first-child { padding-left: 8px; min-width: 118px; }
table.main td, table.main thead th:not(:first-child) { padding-right: 12px; }
.rank { display: inline-block; min-width: 2.6em; margin-left: 6px; text-align: left; color: var(--muted); font-size: 13px; }
.rank.first { color: var(--ink); font-weight: 700; }
.norank { display: inline-block; min-width: 2.6em; margin-left: 6px; }
table.main td small { padding-right: calc(2.6em + 8px); }
table.main thead tr th.number { padding-right: 54px; }
th button { font: inherit; color: inherit; background: none; border: 0; padding: 0; text-align: inherit; cursor: pointer; }
th button:hover, th button:focus-visible { text-decoration: underline; }
th[aria-sort="ascending"] button::after { content: " ▲"; font-size: 10px; }
th[aria-sort="descending"] button::after { content: " ▼"; font-size: 10px; }
.key { width: 14px; height: 14px; margin-right: 6px; vertical-align: -2px; display: inline-block; }
.keys { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 18px; max-width: none; }

.charts { display: grid; gap: 22px 28px; margin: 10px 0 20px; }
.charts.three { grid-template-columns: repeat(auto-fill, minmax(min(100%, 326px), 1fr)); }
.charts.two { grid-template-columns: repeat(auto-fill, minmax(min(100%, 440px), 1fr)); }
.charts.two .narrow { display: none; }
figure { margin: 0; min-width: 0; break-inside: avoid; }
figcaption { font-size: 13px; font-weight: 600; margin-bottom: 4px; }
figure svg { display: block; width: 100%; height: auto; }
.narrow { max-width: 480px; }
.wide { max-width: 620px; }

.beside { display: grid; gap: 12px 40px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); }
.beside > div { min-width: 0; }
.label { display: inline-block; font-size: 12px; font-weight: 600; padding: 0 6px; border: 1px solid currentColor; border-radius: 3px; white-space: nowrap; font-style: normal; }
.label.invalid, .label.failed, .label.no-longer, .label.stop { color: var(--bad); }
.label.holds, .label.ok { color: var(--good); }
.label.weak, .label.warn, .label.note, .label.skipped, .label.cannot, .label.uncounted { color: var(--muted); }
.findings { list-style: none; padding: 0; max-width: 90ch; }
.findings li { margin: 0 0 6px; }
td .findings { margin: 0; font-size: 13px; }
details { margin: 0 0 8px; }
summary { cursor: pointer; padding: 4px 0; }
details[open] > summary { margin-bottom: 4px; }
dt { font-weight: 600; }
dd { margin: 0 0 10px; }
.names th, table.main tbody th, table.texts tbody th { white-space: nowrap; }
table.texts td:nth-child(2) { min-width: 124px; }
.cells th[scope="row"] { min-width: 200px; }
.cells td:nth-child(3) { min-width: 170px; }
.cells td:nth-child(3) small { display: inline-block; margin-right: 6px; white-space: nowrap; }
.cells td:nth-child(4) { min-width: 140px; }
.cells td:nth-child(4) small { display: block; }
thead th.number { white-space: normal; min-width: 76px; }
.values { overflow-wrap: anywhere; }
.values th { white-space: normal; min-width: 110px; max-width: 200px; }

@media (max-width: 560px) {
  .charts.two .narrow { display: block; }
  .charts.two .wide { display: none; }
  header { padding-top: 24px; }
  h1 { font-size: 25px; }
  h2 { margin-top: 40px; }
  th, td { padding-right: 12px; }
  .text { min-width: 180px; }
  .cells th[scope="row"] { min-width: 130px; max-width: 130px; }
  table.main th:first-child { padding-left: 0; }
  table.main tbody th { white-space: normal; min-width: 112px; max-width: 116px; }
  table.main td, table.main thead th:not(:first-child) { padding-right: 0; }
  table.main thead tr th.number { padding-right: 46px; max-width: 150px; }
}
@media (max-width: 560px) {
  .choice { font-size: 17px; }
  table.glance, table.glance tbody, table.glance tr, table.glance tbody th[scope="row"] { display: block; }
  table.glance thead { display: none; }
  table.glance tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 14px; padding: 6px 0; border-bottom: 1px solid var(--line); }
  table.glance tbody th[scope="row"] { grid-column: 1 / -1; border: 0; padding: 2px 0; position: static; }
  table.glance td { border: 0; padding: 2px 0; min-width: 0; }
  table.glance td::before { content: attr(data-column); display: block; color: var(--muted); font-size: 12px; }
  table.matrix, table.matrix tbody, table.matrix caption, table.matrix tbody th[scope="row"] { display: block; }
  table.matrix thead { display: none; }
  table.matrix tr { display: grid; grid-template-columns: repeat(3, 1fr); gap: 4px; padding: 4px 0 8px; }
  table.matrix tbody th[scope="row"] { grid-column: 1 / -1; padding: 2px 0; position: static; background: none; }
  table.matrix td { min-width: 0; padding: 4px 6px; }
  table.matrix td::before { content: attr(data-column); display: block; font-size: 12px; }
}
@media print {
  table.matrix td { print-color-adjust: exact; -webkit-print-color-adjust: exact; min-width: 0; padding: 3px 4px; }
  table.matrix .share { font-size: 10pt; }
  table.matrix td small, table.matrix .mark { font-size: 7.5pt; }
  .bar rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .choice { font-size: 12pt; }
  table.glance td { min-width: 0; }
  body { font-size: 10.5pt; }
  main, header, footer { max-width: none; padding: 0; }
  nav { display: none; }
  h2, h3, h4 { break-after: avoid; }
  tr { break-inside: avoid; }
  thead { display: table-header-group; }
  .scroll { overflow: visible; }
  table { font-size: 8.5pt; }
  table small, caption, .rank { font-size: 7.5pt; }
  th, td, table.main td { padding-right: 6px; }
  .text, .number, .cells td, .cells th { min-width: 0; }
  .number { white-space: normal; }
  .charts.two, .charts.three { grid-template-columns: repeat(2, 1fr); }
  .charts.two .narrow { display: block; }
  .charts.two .wide { display: none; }
  tbody th[scope="row"] { position: static; }
}
`;

/** Niceties alone: sorting a table, saving the data. */
export const SCRIPT = `
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[table.tBodies.length - 1];
  const headers = table.tHead.rows[0].cells;
  [...headers].forEach((header, column) => {
    const button = document.createElement("button");
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const isAscending = header.getAttribute("aria-sort") === "ascending";
      for (const other of headers) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", isAscending ? "descending" : "ascending");
      const valueOf = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim();
      const compare = (a, b) => {
        const [x, y] = [valueOf(a), valueOf(b)];
        if ((x === "") !== (y === "")) return x === "" ? 1 : -1;
        const order = x !== "" && isFinite(x) && isFinite(y) ? x - y : x.localeCompare(y);
        return isAscending ? -order : order;
      };
      body.append(...[...body.rows].sort(compare));
    });
  });
}
`;

/** Of the page over all published runs, beside STYLE. */
export const CHOOSING_STYLE = `
.choose { margin: 18px 0 0; padding: 12px 16px; border: 1px solid var(--line); background: var(--tint); }
.choose > label { display: inline-block; margin: 0 24px 8px 0; font-weight: 600; }
.choose select { font: inherit; font-weight: 400; max-width: 100%; color: var(--ink); background: var(--paper); border: 1px solid var(--muted); padding: 4px; }
.choose fieldset { margin: 0; padding: 0; border: 0; display: flex; flex-wrap: wrap; gap: 2px 18px; align-items: center; }
.choose legend { padding: 0; font-weight: 600; }
.choose fieldset label { white-space: nowrap; padding: 3px 0; }
.choose button { font: inherit; color: var(--link); background: none; border: 0; padding: 3px 0; text-decoration: underline; cursor: pointer; }
.contest[hidden], .question[hidden], .choose[hidden], .choose label[hidden], tr[hidden] { display: none; }
.contest > h3 small { font-weight: 400; }
table.contest { width: 100%; max-width: 760px; }
table.contest th, table.contest td { padding-right: 14px; vertical-align: middle; }
table.contest td { max-width: 300px; }
table.contest .ratio { font-size: 16px; }
table.contest .first .ratio { font-weight: 700; }
table.contest .bar { max-width: 260px; min-width: 90px; }
td.by { min-width: 130px; max-width: 220px; }
@media (max-width: 560px) {
  .choose > label { display: block; margin-right: 0; }
  .choose select { display: block; width: 100%; padding: 8px 4px; }
  .choose fieldset label { padding: 6px 0; }
  table.contest th, table.contest td { padding-right: 8px; }
  table.claims, table.claims tbody, table.claims tr, table.claims td { display: block; }
  table.claims thead { display: none; }
  table.claims tr { padding: 10px 0; border-bottom: 1px solid var(--line); }
  table.claims td { border: 0; padding: 2px 0; max-width: none; }
  table.claims td:first-child { font-weight: 600; }
  table.claims td.by { color: var(--muted); }
}
`;

/** Of the same: question, scheme and proxies are chosen, and the choice is in the address, for whoever it is sent to. */
export const CHOOSING = `
const form = document.querySelector("form.choose");
const contests = [...document.querySelectorAll("section.contest")];
const boxes = [...form.querySelectorAll("[name=proxy]")];
const asked = new URLSearchParams(location.hash.slice(1));
for (const name of ["question", "scheme"])
  if ([...form.elements[name].options].some(({ value }) => value === asked.get(name)))
    form.elements[name].value = asked.get(name);
if (asked.has("proxies")) {
  const wanted = asked.get("proxies").split(",");
  for (const box of boxes) box.checked = wanted.includes(box.value);
}
function show() {
  const question = form.elements.question.value;
  const scheme = form.elements.scheme.value;
  const chosen = boxes.filter(({ checked }) => checked).map(({ value }) => value);
  const offered = new Set();
  for (const contest of contests) {
    const isAsked = question === "" || contest.dataset.question === question;
    const isOver = scheme === "" || contest.dataset.scheme === scheme;
    const rows = [...contest.querySelectorAll("tbody tr")];
    for (const row of rows) {
      row.hidden = !chosen.includes(row.dataset.proxy);
      if (isAsked && isOver) offered.add(row.dataset.proxy);
    }
    contest.hidden = !isAsked || !isOver || rows.every(({ hidden }) => hidden);
  }
  for (const box of boxes) box.parentElement.hidden = !offered.has(box.value);
  for (const section of document.querySelectorAll("section.question"))
    section.hidden = [...section.querySelectorAll("section.contest")].every(({ hidden }) => hidden);
  document.querySelector(".nothing").hidden = contests.some(({ hidden }) => !hidden);
}
form.addEventListener("change", () => {
  show();
  remember();
});
for (const name of ["all", "none"])
  form.elements[name].addEventListener("click", () => {
    for (const box of boxes) box.checked = name === "all";
    show();
    remember();
  });
function remember() {
  const { question, scheme } = form.elements;
  const choice = new URLSearchParams({ question: question.value, scheme: scheme.value });
  if (boxes.some(({ checked }) => !checked))
    choice.set("proxies", boxes.filter(({ checked }) => checked).map(({ value }) => value));
  history.replaceState(null, "", "#" + choice);
}
form.addEventListener("submit", (event) => event.preventDefault());
form.hidden = false;
show();
`;
