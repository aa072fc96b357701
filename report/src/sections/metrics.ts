// Tables of metrics: one, and another laid over it.
import { chainPanel } from "../chain_panel.ts";
import type { Report } from "../data.ts";
import { element, menu } from "../dom.ts";
import { keptPanel } from "../kept_panel.ts";
import { MetricCard } from "../metric_card.ts";
import { Model } from "../model.ts";
import type { Words } from "../words.ts";

// Models outlive the page's being drawn again in another language.
const models = new Map<number, Model>();
let chosen = 0;
let compared = -1;

function modelOf(report: Report, place: number): Model {
  let model = models.get(place);
  if (!model) models.set(place, (model = new Model(report.metrics[place]!, place, report.serve)));
  return model;
}

export function metricsSection(report: Report, words: Words): HTMLElement | null {
  if (report.metrics.length === 0) return null;
  const section = element("section", {}, element("h2", {}, words.say("metrics")), element("p", { class: "lead" }, words.say("metricsLead")));
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

function drawn(report: Report, words: Words): Node[] {
  const model = modelOf(report, chosen);
  model.drawAgain();
  const other = compared >= 0 && compared !== chosen ? report.metrics[compared]! : null;
  const cards = model.metrics.columns.map((column, place) => {
    const beside = other?.columns.find((one) => one.name === column.name) ?? null;
    return new MetricCard(model, place, beside ? { column: beside, name: other!.name } : null, words).card;
  });
  const nodes: Node[] = [element("div", { class: "cards" }, ...cards)];
  if (model.metrics.chain.length > 0) {
    nodes.unshift(keptPanel(model, words));
    nodes.push(chainPanel(model, words));
  }
  return nodes;
}
