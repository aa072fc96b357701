// Tables of metrics: one, and another laid over it.
import { chainPanel } from "../chain_panel.ts";
import type { Metrics, Report } from "../data.ts";
import { element, menu } from "../dom.ts";
import { keptPanel } from "../kept_panel.ts";
import { MetricCard } from "../metric_card.ts";
import { modelOf } from "../models.ts";
import type { Words } from "../words.ts";

let chosen = 0;
let compared = -1;

export function metricsSection(report: Report, words: Words): HTMLElement | null {
  if (report.metrics.length === 0) return null;
  const section = element(
    "section",
    {},
    element("h2", {}, words.say("metrics")),
    element("p", { class: "lead" }, words.say("metricsLead")),
  );
  const body = element("div");
  const names = report.metrics.map((metrics) => metrics.name);
  if (names.length > 1) {
    section.append(
      element(
        "div",
        { class: "menus" },
        menu(words.say("table"), names, chosen, (place) => {
          chosen = place;
          draw();
        }),
        menu(words.say("compare"), [words.say("nothing"), ...names], compared + 1, (place) => {
          compared = place - 1;
          draw();
        }),
      ),
    );
  }
  const draw = () => body.replaceChildren(...drawn(report, words));
  draw();
  section.append(body);
  return section;
}

// The places of columns: first those that the chain decides by.
function inOrder({ columns, chain }: Metrics): number[] {
  const moved = chain.flatMap(({ thresholds, random }) => [...thresholds, ...(random ? [random] : [])]);
  const deciding = new Set(moved.map(({ column }) => column));
  const places = [...columns.keys()];
  return [...places.filter((place) => deciding.has(place)), ...places.filter((place) => !deciding.has(place))];
}

function drawn(report: Report, words: Words): Node[] {
  const model = modelOf(report, chosen);
  model.forget("thresholds");
  const other = compared >= 0 && compared !== chosen ? report.metrics[compared]! : null;
  const cards = inOrder(model.metrics).map((place) => {
    const beside = other?.columns.find((one) => one.name === model.metrics.columns[place]!.name) ?? null;
    return new MetricCard(model, place, beside ? { column: beside, name: other!.name } : null, words).card;
  });
  const nodes: Node[] = [element("div", { class: "cards" }, ...cards)];
  if (model.metrics.chain.length > 0) {
    nodes.unshift(keptPanel(model, words));
    nodes.push(chainPanel(model, words));
  }
  return nodes;
}
