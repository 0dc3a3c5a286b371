/**
 * The cost model as a calculator: five inputs, a row a proxy, and how often the model was right. Its
 * sums are those of analyse/cost-model.ts, as their own source.
 */
import { accuracyOf, checkedMixes, GOAL_PERCENT, predictionsOf } from "../analyse/cost-check.ts";
import type { Accuracy } from "../analyse/cost-check.ts";
import {
  COST_BATTLE,
  costModel,
  cpuTerms,
  measuredIn,
  memoryTerms,
} from "../analyse/cost-model.ts";
import { html } from "./markup.ts";
import type { Comparisons } from "../model/comparison.ts";

/** Name, label, first value and step of each input. */
const INPUTS = [
  ["connections", "Connections held", 2_000, 1],
  ["messagesPerSecond", "Messages per second, on all together", 330, "any"],
  ["messageBytes", "Bytes per message", 512, 1],
  ["newPerSecond", "New connections per second", 5, "any"],
] as const;

const DIGITS = 6;

/**
 * @param runs that are published, the newest first
 * @returns empty: none is of the battle cost
 */
export function calculatorOf(runs: Comparisons[]): { html: string; script: string } {
  const run = runs.find(({ battle }) => battle === COST_BATTLE);
  if (!run) return { html: "", script: "" };
  const model = costModel(run);
  const accuracy = accuracyIn(runs, run);
  const rows = Object.fromEntries(
    Object.entries(model).map(([scheme, { limits, proxies }]) => [
      scheme,
      {
        limits,
        proxies: proxies.map(({ proxy, title, cpu, memory }) => ({
          ...{ title, cpu: cpu?.coefficients, memory: memory?.coefficients },
          verified: (["cores", "bytes"] as const).map((what) =>
            verifiedText(accuracy.find((one) => one.proxy === proxy)?.[what]),
          ),
        })),
      },
    ]),
  );
  const short = (_: string, value: unknown) =>
    typeof value === "number" ? Number(value.toPrecision(DIGITS)) : value;
  return {
    html: String(
      html`<div class="card" id="cost" hidden>
        <h2>What would your load cost?</h2>
        <form name="load">
          ${INPUTS.map(
            ([name, label, value, step]) =>
              html`<label
                >${label}
                <input
                  type="number"
                  name="${name}"
                  value="${value}"
                  min="0"
                  step="${step}"
                  required
              /></label> `,
          )}
          <label><input type="checkbox" name="tls" /> TLS</label>
        </form>
        <div class="scroll" tabindex="0" role="region" aria-label="Costs">
          <table class="load">
            <thead>
              <tr>
                <th></th>
                <th scope="col">CPU, cores</th>
                <th scope="col">Memory, GiB</th>
                <th scope="col">Mixed loads predicted within ${GOAL_PERCENT} %: CPU</th>
                <th scope="col">memory</th>
              </tr>
            </thead>
            <tbody></tbody>
          </table>
        </div>
        <p class="note">
          cores = a + b&nbsp;N + c&nbsp;C + d&nbsp;m + e&nbsp;(m&nbsp;+&nbsp;C)&nbsp;bytes +
          f&nbsp;w&nbsp;ln(1,000&nbsp;/&nbsp;w), w = m&nbsp;+&nbsp;3&nbsp;C below 1,000; memory = a
          + b&nbsp;N + c&nbsp;C + d&nbsp;m + e&nbsp;m&nbsp;bytes. N: held, m: messages/s, C: new
          connections/s. The coefficients are each proxy's own, measured in a run of the battle
          cost, on its machine. <output></output>
        </p>
      </div>`,
    ),
    script: `
${sourceOf(cpuTerms)}
${sourceOf(memoryTerms)}
const costs=${JSON.stringify(rows, short)},names=${JSON.stringify(INPUTS.map(([name]) => name))},card=document.getElementById("cost"),terms={cpu:${cpuTerms.name},memory:${memoryTerms.name}};
${SCRIPT}`,
  };
}

/** Without types, which leave blanks. */
function sourceOf(terms: typeof cpuTerms): string {
  return terms.toString().replace(/\s+/g, " ");
}

/** Of the newest run that has mixed loads: what the model would have said, and what they cost. */
function accuracyIn(runs: Comparisons[], base: Comparisons): Accuracy[] {
  const told = runs.map((run) => ({ run, mixes: measuredIn(run).filter(({ isMix }) => isMix) }));
  const [newest] = told.filter(({ mixes }) => mixes.length > 0);
  if (!newest) return [];
  const { run, mixes } = newest;
  const about = { battle: run.battle, now: new Date(run.startedAt) };
  return accuracyOf(checkedMixes(predictionsOf(costModel(base), mixes, about), run));
}

function verifiedText(hits?: Accuracy["cores"]): string {
  return hits && hits.of > 0 ? `${hits.within} of ${hits.of}` : "not yet measured";
}

const SCRIPT = `
function compute(){
const form=document.forms.load;if(!form.checkValidity())return;
const load=Object.fromEntries(names.map(n=>[n,form.elements[n].valueAsNumber])),own=costs[form.elements.tls.checked?"wss":"ws"]??{limits:{},proxies:[]};
const sum=(of,what)=>of[what]?of[what].reduce((all,each,i)=>all+each*terms[what](load)[i],0):NaN;
const text=v=>Number.isNaN(v)?"–":v.toLocaleString("en",{maximumSignificantDigits:3});
const rows=own.proxies.map(one=>({...one,cores:sum(one,"cpu"),bytes:sum(one,"memory")})).sort((a,b)=>(a.cores-b.cores)||0);
card.querySelector("tbody").replaceChildren(...rows.map(({title,cores,bytes,verified})=>{
const row=document.createElement("tr"),head=document.createElement("th");head.scope="row";head.textContent=title;
row.append(head,...[text(cores),text(bytes/2**30),...verified].map(t=>{const cell=document.createElement("td");cell.textContent=t;return cell}));return row}));
const beyond=names.filter(n=>load[n]>own.limits[n]).map(n=>form.elements[n].labels[0].textContent.trim()+": up to "+own.limits[n].toLocaleString("en"));
card.querySelector("output").textContent=beyond.length?"Beyond what was measured: "+beyond.join("; ")+".":"";
}
document.forms.load.oninput=compute;card.hidden=false;compute();
`;
