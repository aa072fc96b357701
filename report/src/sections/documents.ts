// Documents to read: at random, of a host, or from the lowest or highest values of a metric.
import type { Extract, Report } from "../data.ts";
import { element, menu } from "../dom.ts";
import { extractArticle } from "../extract_article.ts";
import type { Model } from "../model.ts";
import { modelOf } from "../models.ts";
import { hostOf, hostsOf, hostTexts, pages, patience } from "../reading.ts";
import type { Words } from "../words.ts";

// What is chosen outlives the page's being drawn again in another language.
const chosen = { table: 0, order: 0, host: 0, which: 0, text: "" };

export function documentsSection(report: Report, words: Words): HTMLElement | null {
  const tables = [...report.metrics.keys()].filter((place) => report.metrics[place]!.extracts.length > 0);
  if (tables.length === 0) return null;
  const body = element("div");
  const draw = () => body.replaceChildren(...reader(modelOf(report, tables[chosen.table]!), words));
  const names = tables.map((place) => report.metrics[place]!.name);
  draw();
  return element(
    "section",
    { class: "reader" },
    element("h2", {}, words.say("read")),
    element("p", { class: "lead" }, words.say("readLead")),
    names.length < 2
      ? null
      : menu(words.say("table"), names, chosen.table, (place) => {
          Object.assign(chosen, { table: place, order: 0, host: 0 });
          draw();
        }),
    body,
  );
}

// Extracts come in the order of the sample, which is that of hashes of their ids.
type Order = (one: Extract, other: Extract) => number;

function orders(model: Model, words: Words): { text: string; order: Order; value: (one: Extract) => string }[] {
  const byMetric = model.metrics.columns.flatMap((column, place) => {
    const values = model.sample.values[place]!;
    const value = (one: Extract) => words.value(values[one.row]!);
    const rising: Order = (one, other) => compare(values[one.row]!, values[other.row]!);
    return [
      { text: words.say("rising", column.name), order: rising, value },
      { text: words.say("falling", column.name), order: ((one, other) => rising(other, one)) as Order, value },
    ];
  });
  return [
    { text: words.say("atRandom"), order: () => 0, value: () => "" },
    { text: words.say("byHost"), order: compareHosts, value: () => "" },
    ...byMetric,
  ];
}

function compareHosts(one: Extract, other: Extract): number {
  const [host, otherHost] = [hostOf(one.url), hostOf(other.url)];
  return host < otherHost ? -1 : +(host > otherHost);
}

// Those without a value come last, or first where the order is turned.
const compare = (one: number, other: number) =>
  Number.isNaN(one) || Number.isNaN(other) ? +Number.isNaN(one) - +Number.isNaN(other) : one - other;

function reader(model: Model, words: Words): Node[] {
  const { extracts } = model.metrics;
  const hosts = hostsOf(extracts);
  const all = orders(model, words);
  const found = element("div");
  const show = () => {
    const { order, value } = all[chosen.order]!;
    const wanted = extracts.filter((one) => isWanted(model, one, hosts[chosen.host - 1]?.host)).toSorted(order);
    const article = (one: Extract) => extractArticle(model, one, { head: value(one), level: "h3" }, words);
    found.replaceChildren(...pages(wanted, article, extracts.length, words));
  };
  let waiting = 0;
  const showSoon = () => {
    clearTimeout(waiting);
    waiting = window.setTimeout(show, patience);
  };
  const pick = (what: "order" | "host" | "which") => (place: number) => {
    chosen[what] = place;
    show();
  };
  const text = element("input", { type: "text", value: chosen.text, spellcheck: "false" });
  text.addEventListener("input", () => {
    chosen.text = text.value;
    showSoon();
  });
  model.forget("reader");
  model.onChange(showSoon, "reader");
  show();
  const orderTexts = all.map((one) => one.text);
  const whichTexts = [words.say("whichAll"), words.say("whichStay"), words.say("whichGo")];
  return [
    element(
      "div",
      { class: "menus" },
      menu(words.say("order"), orderTexts, chosen.order, pick("order")),
      menu(words.say("host"), hostTexts(hosts, words), chosen.host, pick("host")),
      menu(words.say("which"), whichTexts, chosen.which, pick("which")),
      element("label", { class: "menu" }, `${words.say("contains")} `, text),
    ),
    found,
  ];
}

function isWanted(model: Model, one: Extract, host: string | undefined): boolean {
  if (host !== undefined && hostOf(one.url) !== host) return false;
  if (chosen.which > 0 && (model.sample.fate(one.row, model.settings) === "stays") !== (chosen.which === 1))
    return false;
  const has = (text: string) => text.includes(chosen.text);
  return has(one.title ?? "") || has(one.url) || one.paragraphs.some(({ text }) => has(text));
}
