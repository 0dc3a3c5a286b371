/**
 * published/index.html: README's table, a card with bars for each of the main questions, all others
 * folded. One file that loads nothing; proxies and scheme are chosen by a few lines of script.
 */
import { calculatorOf } from "./cost-calculator.ts";
import { loadText, originalsIn } from "./index-of-questions.ts";
import type { AnsweredQuestion } from "./index-of-questions.ts";
import type { Headline } from "./pages.ts";
import {
  addedText,
  estimateText,
  leadersOf,
  machinesOf,
  missingText,
  ratioText,
  reportOf,
  runsOf,
  schemeText,
  titleOf,
  whenOf,
} from "./published.ts";
import type { Answer, PublishedBattle } from "./published.ts";
import { number } from "../numbers.ts";
import { escaped } from "./svg.ts";
import { isSpan, proxiesIn } from "./text.ts";
import type { Estimate, Figure } from "../model/comparison.ts";

const TITLE = "What does a reverse proxy cost your WebSockets?";
export function indexPage(
  battles: PublishedBattle[],
  headline: Headline,
  questions: AnsweredQuestion[],
): string {
  const answered = questions.filter(({ answers }) => answers.length > 0);
  const cards = answered.filter(({ card }) => card);
  const more = answered.filter(({ card }) => !card);
  const titles = headline.rows.map(({ title }) => title).join(", ");
  const description = `CPU, memory, latency and dropped connections of ${titles}, measured side by side.`;
  const calculator = calculatorOf(battles.map(({ comparisons }) => comparisons));
  const runs = runsOf(battles);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${escaped(description)}">
<meta name="color-scheme" content="light dark">
<title>${TITLE}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${TITLE}</h1>
<p>${runs.length} runs on ${escaped(machinesOf(battles))}. Shorter bars are better, unless noted; lines are intervals; ×: times the row at 1×. <a href="FINDINGS.md">Findings</a> · <a href="README.md">All questions as a list</a> · <a href="CLAIMS.md">Claims of others</a></p>
${headlineTable(headline)}
<p class="note">${escaped(headline.footnotes.replaceAll("**", ""))}</p>
${chooser(battles, headline, answered)}
<main>
<div class="cards">
${cards.map((question) => questionHtml(question, headline.base)).join("\n")}
</div>
${calculator.html}<h2 id="more">More questions</h2>
${[...Map.groupBy(more, ({ group }) => group)]
  .map(
    ([group, own]) =>
      `<details class="group"><summary>${group} <small>${own.length}</small></summary>\n${own.map((question) => questionHtml(question, headline.base)).join("\n")}\n</details>`,
  )
  .join("\n")}
</main>
<script>${SCRIPT}${calculator.script}</script>
</body>
</html>
`;
}

function headlineTable({ columns, rows }: Headline): string {
  return `<div class="scroll" tabindex="0" role="region" aria-label="Summary"><table class="headline">
<thead><tr><th></th>${columns.map((title) => `<th scope="col">${escaped(title)}</th>`).join("")}</tr></thead>
<tbody>
${rows
  .map(({ title, version, cells }) => {
    const texts = cells.map(
      ({ text, best, note }) =>
        `<td>${best ? `<b>${text}</b>` : text}${note ? ` <small>${note}</small>` : ""}</td>`,
    );
    return `<tr><th scope="row">${escaped(title)} <small>${version}</small></th>${texts.join("")}</tr>`;
  })
  .join("\n")}
</tbody></table></div>`;
}

/** Hidden until the script shows it: without one everything stands there. */
function chooser(
  battles: PublishedBattle[],
  { rows }: Headline,
  questions: AnsweredQuestion[],
): string {
  const common = rows.map(({ proxy }) => proxy);
  const measured = new Set(
    questions.flatMap(({ answers }) =>
      answers.flatMap(({ comparison }) => proxiesIn(comparison).map(({ proxy }) => proxy)),
    ),
  );
  const known = new Map(
    battles.flatMap(({ comparisons }) => comparisons.proxies).map((proxy) => [proxy.name, proxy]),
  );
  const others = [...measured].filter((name) => !common.includes(name)).sort();
  const box = (name: string) =>
    `<label><input type="checkbox" name="proxy" value="${name}"${common.includes(name) ? " checked" : ""}>${escaped(known.get(name)?.title ?? name)}</label>`;
  return `<form hidden>
<fieldset><legend>Proxies</legend>${common.map(box).join("")}<details><summary>${others.length} others</summary>${others.map(box).join("")}</details></fieldset>
<label>Scheme <select name="scheme"><option value="">plain and TLS</option><option value="ws">plain</option><option value="wss">TLS</option></select></label>
</form>`;
}

/** @param usual what ratios are to, where it was measured */
function questionHtml(question: AnsweredQuestion, usual: string): string {
  const { title, notes = [], answers, others, card } = question;
  const heading = card ? "h2" : "h3";
  const id = title.toLowerCase().replace(/[^a-z0-9]+/g, "-");
  return `<section id="${id}" class="${card ? "card" : "question"}">
<${heading}>${escaped(title)}</${heading}>
${notes.length > 0 ? `<p class="note">${escaped(notes.join(" "))}</p>\n` : ""}${answers.map((answer) => answerHtml(answer, usual)).join("\n")}
${others.length > 0 ? `<details class="others"><summary>Other battles</summary>${others.map((battle) => `<a href="${reportOf(battle)}">${battle.name}</a>`).join(" · ")}</details>` : ""}</section>`;
}

/** What a bar shows: what a proxy adds, where that is known. */
function shownOf({ estimate, extra: { added } }: Figure): Estimate {
  return added ?? estimate ?? { value: 0, low: null, high: null, basis: "range" };
}

/** Of a span there is no value: its bar ends where it begins. */
function barEnd(estimate: Estimate): number {
  return Math.max(0, isSpan(estimate) ? (estimate.low ?? 0) : estimate.value);
}

/** Bars from zero, the best first; those without a figure last, with the reason. */
function answerHtml(answer: Answer, usual: string): string {
  const { battle, comparison } = answer;
  const { measure, scheme } = comparison;
  const originals = originalsIn(answer);
  const leaders = leadersOf(answer, originals);
  const sign = measure.better === "lower" ? 1 : -1;
  const order = (figure: Figure) => sign * shownOf(figure).value;
  const figures = proxiesIn(comparison).toSorted(
    (a, b) =>
      Number(!leaders.includes(a.proxy)) - Number(!leaders.includes(b.proxy)) ||
      order(a) - order(b),
  );
  const missing = comparison.figures.filter(({ role, estimate }) => role === "proxy" && !estimate);
  // As in the first table, where that one is compared.
  const isMeasured = figures.some(({ proxy }) => proxy === usual);
  const base = isMeasured ? usual : leaders[0];
  const isAdded = figures.some(({ extra }) => extra.added);
  const told = [
    loadText(answer),
    isAdded && "added to what no proxy takes",
    measure.better === "higher" && "longer is better",
  ];
  const rows = [
    ...figures.map((figure) => barRow(answer, figure, leaders, base)),
    ...missing.map(
      ({ proxy, missing }) =>
        `<tr data-proxy="${proxy}"><th scope="row">${escaped(titleOf(answer, proxy))}</th><td class="none" colspan="3">${escaped(missingText(missing))}</td></tr>`,
    ),
  ];
  return `<table class="bars" data-scheme="${scheme}" style="--most:${Math.max(...figures.map(mostOf))}">
<caption><b>${schemeText(answer)}</b> ${told.filter(Boolean).join(", ")} <a href="${reportOf(battle)}">${battle.name},&nbsp;${whenOf(battle).replaceAll("-", "\u2011")}</a></caption>
<tbody>
${rows.join("\n")}
</tbody></table>`;
}

/** End of its bar or of its interval. */
function mostOf(figure: Figure): number {
  const shown = shownOf(figure);
  return rounded(Math.max(barEnd(shown), shown.high ?? 0));
}

function barRow(answer: Answer, figure: Figure, leaders: string[], base?: string): string {
  const { comparison, battle } = answer;
  const { proxy, extra } = figure;
  const shown = shownOf(figure);
  const { low, high } = shown;
  const colour =
    battle.comparisons.proxies.find(({ name }) => name === proxy)?.colour ?? "currentColor";
  const whisker =
    low !== null && high !== null && high > low
      ? `<i style="--low:${rounded(Math.max(low, 0))};--high:${rounded(high)}"></i>`
      : "";
  const isRatio =
    base && !extra.added && !isSpan(shown) && !["%", "times"].includes(comparison.measure.unit);
  const texts = [
    extra.added ? addedText(answer, figure) : estimateText(figure, comparison.measure),
    isRatio ? ratioText(answer, proxy, base) : "",
  ];
  return `<tr data-proxy="${proxy}" data-most="${mostOf(figure)}"${leaders.includes(proxy) ? ' class="best"' : ""}><th scope="row">${escaped(titleOf(answer, proxy))}${extra.upTo ? ` <small>to ${number(extra.upTo)}</small>` : ""}</th><td class="bar"><span style="--value:${rounded(barEnd(shown))};background:${colour}"></span>${whisker}</td>${texts.map((text) => `<td>${text}</td>`).join("")}</tr>`;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

const STYLE = `
:root{--paper:#fff;--ink:#1c2126;--soft:#5b6570;--line:#d8dde2;--card:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--paper:#14171a;--ink:#e4e7ea;--soft:#9aa4ae;--line:#333a41;--card:#1b1f24}.bar span{filter:brightness(1.2)}}
*{box-sizing:border-box}
body{max-width:70rem;margin:0 auto;padding:1rem;background:var(--paper);color:var(--ink);font:16px/1.45 system-ui,sans-serif}
h1{font-size:1.5rem;margin:.5rem 0}h2{font-size:1.15rem;margin:0 0 .25rem}h3{font-size:1rem;margin:1rem 0 .25rem}
a{color:inherit}small,.note,caption,.none{color:var(--soft)}.note{font-size:.85rem;margin:.25rem 0 .75rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
.headline{width:100%;min-width:40rem}.headline th,.headline td{padding:.35rem .5rem;border-bottom:1px solid var(--line);text-align:right;vertical-align:bottom}
.headline thead th{font-weight:600;font-size:.85rem}.headline td{white-space:nowrap}.headline th[scope=row]{text-align:left;white-space:nowrap}
form{display:flex;flex-wrap:wrap;gap:1rem;align-items:start;margin:1rem 0;padding:.75rem;background:var(--card);border-radius:8px}
form[hidden]{display:none}
fieldset{border:0;margin:0;padding:0;flex:1 1 20rem}fieldset label{display:inline-block;margin:.15rem .75rem .15rem 0;white-space:nowrap}
summary{cursor:pointer}fieldset summary{padding:.25rem 0}
.cards{columns:2 24rem;column-gap:1rem}
.card{background:var(--card);border-radius:8px;padding:1rem;margin-bottom:1rem;break-inside:avoid}#more{margin:1rem 0 0}
.group>summary{font-weight:600;padding:.4rem 0}.question{max-width:44rem}
.bars{width:100%;table-layout:fixed;margin:.25rem 0 .75rem}.bars caption{text-align:left;font-size:.85rem;padding:.25rem 0}
.bars caption b{color:var(--ink)}.bars th{width:8.2rem;text-align:left;font-weight:400;overflow-wrap:anywhere;padding-right:.5rem}.bars td{width:6rem;text-align:right;white-space:nowrap;padding:.1rem 0}
.bars td:last-child{width:3.9rem}.bars .bar{width:auto;position:relative}.bars .none{white-space:normal}.best th,.best td{font-weight:700}
@media(max-width:30rem){body{font-size:15px}.bars th{width:6rem}.bars td{width:5.9rem}.bars td:last-child{width:3.6rem}}
.bar span{display:block;height:.8rem;border-radius:2px;width:calc(var(--value)/var(--most)*100%);min-width:1px}
.bar i{position:absolute;top:50%;height:0;border-top:1px solid var(--ink);left:calc(var(--low)/var(--most)*100%);width:calc((var(--high) - var(--low))/var(--most)*100%)}
.load{width:100%}.load th,.load td{padding:.35rem .5rem;border-bottom:1px solid var(--line);text-align:right}.load th[scope=row]{text-align:left}form[name=load] input[type=number]{width:7rem}
.others{font-size:.85rem;color:var(--soft)}[hidden]{display:none}
`;

/** The address keeps what was chosen: #proxy=nginx,haproxy&scheme=wss. */
const SCRIPT = `
const form=document.forms[0],boxes=[...form.elements.proxy],asked=new URLSearchParams(location.hash.slice(1));
const first=boxes.filter(b=>b.checked).map(b=>b.value).join();
if(asked.has("proxy"))for(const b of boxes)b.checked=asked.get("proxy").split(",").includes(b.value);
form.elements.scheme.value=asked.get("scheme")??"";
function show(){
const chosen=boxes.filter(b=>b.checked).map(b=>b.value),scheme=form.elements.scheme.value;
for(const table of document.querySelectorAll(".bars")){
let most=0;
for(const row of table.rows){row.hidden=!chosen.includes(row.dataset.proxy);if(!row.hidden)most=Math.max(most,row.dataset.most??0)}
table.style.setProperty("--most",most||1);
table.hidden=(scheme&&table.dataset.scheme!==scheme)||[...table.rows].every(row=>row.hidden)}
for(const section of document.querySelectorAll("section"))section.hidden=[...section.querySelectorAll(".bars")].every(table=>table.hidden);
}
form.onchange=()=>{show();
const now=new URLSearchParams(),chosen=boxes.filter(b=>b.checked).map(b=>b.value).join();
if(chosen!==first)now.set("proxy",chosen);if(form.elements.scheme.value)now.set("scheme",form.elements.scheme.value);
history.replaceState(null,"",now.size?"#"+now:location.pathname)};
form.hidden=false;show();
`;
