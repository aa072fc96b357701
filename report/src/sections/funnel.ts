// What each step takes away (a picture of such tables as Table 1 of the Uzushio paper), and how long the stages took.
import { type Part, rowsChart } from "../charts.ts";
import type { FunnelRow, Measure, Report, Stage } from "../data.ts";
import { bar, breakable, choice, element, table } from "../dom.ts";
import { explained, reasonMeaning } from "../meanings.ts";
import { savingButtons } from "../saved_chart.ts";
import type { Words } from "../words.ts";

const measures: Measure[] = ["documents", "paragraphs", "characters", "bytes"];
let measure: Measure = "documents";

// Records count as documents: each would become one.
const amountOf = (row: FunnelRow, of: Measure): number | null =>
  of === "documents" ? (row.documents ?? row.records) : row[of];

interface Step {
  row: FunnelRow;
  amount: number | null;
  left: number | null;
  given: number; // to its stage
}

function stepsOf(rows: FunnelRow[]): Step[] {
  let left: number | null = null;
  let given = 0;
  let stage = -1;
  return rows.map((row) => {
    const amount = amountOf(row, measure);
    if (!takes(row)) left = amount;
    else if (left !== null && amount !== null) left -= amount;
    if (row.stage !== stage) {
      stage = row.stage;
      given = takes(row) ? (left ?? 0) + (amount ?? 0) : (amount ?? 0);
    }
    return { row, amount, left: takes(row) && amount === null ? null : left, given };
  });
}

export function funnelSection(report: Report, words: Words): HTMLElement | null {
  if (report.funnel.length === 0) return null;
  const known = measures.filter((one) => report.funnel.filter((row) => amountOf(row, one) !== null).length > 1);
  const body = element("div", { class: "card" });
  const saving = savingButtons(words.say("funnel"), () => funnelChart(report, words), words);
  const draw = () => body.replaceChildren(funnel(report, words), saving);
  if (!known.includes(measure)) measure = known[0] ?? "documents";
  draw();
  return element(
    "section",
    {},
    element("h2", {}, words.say("funnel")),
    element("p", { class: "lead" }, words.say("funnelLead")),
    choice(
      words.say("measured"),
      known.map((one) => [one, words.say(one)]),
      measure,
      (value) => {
        measure = value;
        draw();
      },
    ),
    body,
  );
}

// The program's own words, and reasons by their names; of what goes into a stage, its name, too.
function label(row: FunnelRow, report: Report, words: Words): HTMLElement {
  const name = breakable(words.name(row.label));
  const stage = report.stages[row.stage];
  if (row.kind === "input" && stage) name.append(" ", element("small", {}, "→ ", breakable(stage.name)));
  return explained(name, takes(row) ? reasonMeaning(row, report, words) : "");
}

const takes = (row: FunnelRow) => row.kind === "removed" || row.kind === "rejected";

// What is left, and what went, as shares of the most.
function partsOf({ row, amount, left }: Step, most: number): Part[] {
  if (left === null) return [];
  if (!takes(row)) return [{ className: "total", from: 0, to: left / most }];
  const kept: Part = { className: "kept", from: 0, to: left / most };
  return amount === null ? [kept] : [kept, { className: "gone", from: left / most, to: (left + amount) / most }];
}

const mostOf = (steps: Step[]) => Math.max(1, ...steps.map((step) => Math.max(step.left ?? 0, step.amount ?? 0)));
const amountText = (value: number | null, words: Words) =>
  measure === "bytes" ? words.bytes(value) : words.count(value);

// The same as a picture.
function funnelChart(report: Report, words: Words): SVGSVGElement {
  const steps = stepsOf(report.funnel);
  const most = mostOf(steps);
  const rows = steps.map((step) => ({
    name: words.name(step.row.label),
    parts: partsOf(step, most),
    numbers: takes(step.row)
      ? `−${amountText(step.amount, words)}  ${amountText(step.left, words)}`
      : amountText(step.left, words),
  }));
  return rowsChart(rows, `${words.say("funnel")} (${words.say(measure)})`);
}

function funnel(report: Report, words: Words): HTMLElement {
  const steps = stepsOf(report.funnel);
  const most = mostOf(steps);
  const amount = (value: number | null) => amountText(value, words);
  const rows = steps.map((step) => {
    const { row, amount: taken, left, given } = step;
    const parts = partsOf(step, most).map(({ className, from, to }) =>
      bar(className === "total" ? "kept total" : className, from, to),
    );
    const track = element("span", { class: "track" }, ...parts);
    const share = takes(row) && taken !== null && given > 0 ? words.share(taken / given) : "";
    const removed = takes(row)
      ? element("span", {}, amount(taken), " ", element("small", { title: words.say("ofStage", share) }, share))
      : "";
    return [
      element(
        "span",
        { class: "step" },
        element("span", { class: takes(row) ? "label" : "label total" }, label(row, report, words)),
        track,
      ),
      removed,
      amount(left),
    ];
  });
  const heads = [
    { text: words.say("step") },
    { text: words.say("removed"), number: true },
    { text: words.say("left"), number: true },
  ];
  const made = table(heads, rows, words.say("funnel"));
  made.body.append(...made.rows);
  made.whole.classList.add("funnel");
  for (const [at, row] of made.rows.entries()) row.className = steps[at]!.row.kind;
  return made.whole;
}

const work = ({ stage, threads }: Stage, words: Words) =>
  threads === null ? stage : `${stage} · ${words.say("threads", words.count(threads))}`;

export function timeSection(report: Report, words: Words): HTMLElement | null {
  const timed = report.stages.filter((stage) => stage.seconds !== null);
  if (timed.length === 0) return null;
  const most = Math.max(...timed.map((stage) => stage.seconds!), 1e-9);
  const rows = timed.map((stage) => [
    element(
      "span",
      { class: "step" },
      element("span", { class: "label" }, breakable(stage.name), " ", element("small", {}, work(stage, words))),
      element("span", { class: "track" }, bar("kept", 0, stage.seconds! / most)),
    ),
    words.say("seconds", words.value(Number(stage.seconds!.toPrecision(3)))),
    words.bytes(stage.peakMemory),
  ]);
  const heads = [words.say("time"), words.say("memory")].map((text) => ({ text, number: true }));
  const made = table([{ text: words.say("stage") }, ...heads], rows, words.say("time"));
  made.body.append(...made.rows);
  made.whole.classList.add("funnel");
  return element(
    "section",
    {},
    element("h2", {}, words.say("time")),
    element("p", { class: "lead" }, words.say("timeLead")),
    element("div", { class: "card" }, made.whole),
  );
}
