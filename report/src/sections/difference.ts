// Two corpora document by document: how many differ, why some are missing, and the documents to read.
import { rowsChart } from "../charts.ts";
import { type Diff, type DiffCounts, type DiffedDocument, type DiffReason, diffKinds, type Report } from "../data.ts";
import { diffArticle } from "../diff_article.ts";
import { breakable, element, few, menu, table } from "../dom.ts";
import { explained } from "../meanings.ts";
import { hostOf, hostsOf, hostTexts, pages, patience } from "../reading.ts";
import { savingButtons } from "../saved_chart.ts";
import { kindName, namesOf, reasonName, whyMeaning } from "../difference_names.ts";
import type { Words } from "../words.ts";

type Shown = keyof Diff["shown"];
const readable: Shown[] = ["changed", "onlyA", "onlyB"];

// What is chosen outlives the page's being drawn again in another language.
const chosen = { kind: -1, host: 0, text: "" };

export function differenceSection(report: Report, words: Words): HTMLElement | null {
  const diff = report.diff;
  if (!diff) return null;
  const names = namesOf(diff);
  const documents = (only: "onlyA" | "onlyB") =>
    words.count(diff.equal.documents + diff.changed.documents + diff[only].documents);
  const lead = words.say(
    diff.matchedBy === "url" ? "differenceByUrl" : "differenceById",
    diff.a,
    diff.b,
    documents("onlyA"),
    documents("onlyB"),
  );
  return element(
    "section",
    { class: "difference" },
    element("h2", {}, words.say("difference")),
    element("p", { class: "lead" }, lead),
    countsCard(diff, names, words),
    element("div", { class: "cards" }, ...reasonCards(diff, names, report, words), hostsCard(diff, names, words)),
    ...reader(diff, names, report, words),
  );
}

type Names = ReturnType<typeof namesOf>;

function countsCard(diff: Diff, names: Names, words: Words): HTMLElement {
  const all = diffKinds.reduce((sum, kind) => sum + diff[kind].documents, 0);
  const share = (one: DiffCounts) => (all > 0 ? one.documents / all : 0);
  const title = words.say("differenceCounts");
  const heads = [
    { text: words.say("documents") },
    { text: words.say("countOf"), number: true },
    { text: words.say("charactersIn", names.a), number: true },
    { text: words.say("charactersIn", names.b), number: true },
  ];
  const rows = diffKinds.map((kind) => [
    kindName(kind, names, words),
    element(
      "span",
      {},
      words.count(diff[kind].documents),
      " ",
      element("small", {}, all > 0 ? words.share(share(diff[kind])) : ""),
    ),
    words.count(diff[kind].charactersA),
    words.count(diff[kind].charactersB),
  ]);
  const made = table(heads, rows, title);
  made.body.append(...made.rows);
  const chart = () =>
    rowsChart(
      diffKinds.map((kind) => ({
        name: kindName(kind, names, words),
        parts: [{ className: kind === "equal" ? "kept" : "gone", from: 0, to: share(diff[kind]) }],
        numbers: words.count(diff[kind].documents),
      })),
      title,
    );
  return element("div", { class: "card" }, scrolling(made.whole, title), savingButtons(title, chart, words));
}

// A table that may be wider than a phone.
const scrolling = (whole: HTMLElement, label: string) =>
  element("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": label }, whole);

// Why what one corpus has is not in the other.
function reasonCards(diff: Diff, names: Names, report: Report, words: Words): HTMLElement[] {
  return (["b", "a"] as const).flatMap((side) => {
    const reasons = diff.reasons.filter((one) => (one.missingIn === "a" ? "a" : "b") === side);
    if (reasons.length === 0) return [];
    const title = words.say("whyMissingIn", names[side]);
    const heads = [
      { text: words.say("reason") },
      { text: words.say("documents"), number: true },
      { text: words.say("characters"), number: true },
    ];
    const rows = reasons.map((one) => [
      named(one, report, words),
      words.count(one.documents),
      words.count(one.characters),
    ]);
    const made = table(heads, rows, title);
    return [titledCard(title, made, words)];
  });
}

const named = (reason: DiffReason, report: Report, words: Words) =>
  explained(breakable(reasonName(reason, words)), whyMeaning(reason, report, words));

function titledCard(title: string, made: ReturnType<typeof table>, words: Words): HTMLElement {
  const rest = few(
    made.rows,
    8,
    made.body,
    words.say("showAll", words.count(made.rows.length)),
    words.say("showFewer"),
  ).slice(1);
  return element("div", { class: "card wide" }, element("h3", {}, title), scrolling(made.whole, title), ...rest);
}

function hostsCard(diff: Diff, names: Names, words: Words): HTMLElement | null {
  if (diff.hosts.length === 0) return null;
  const title = words.say("differentHosts");
  const heads = [
    { text: words.say("host") },
    ...diffKinds.map((kind) => ({ text: kindName(kind, names, words), number: true })),
  ];
  const rows = diff.hosts.map((host) => [breakable(host.name), ...diffKinds.map((kind) => words.count(host[kind]))]);
  return titledCard(title, table(heads, rows, title), words);
}

function reader(diff: Diff, names: Names, report: Report, words: Words): Node[] {
  const kinds = readable.filter((kind) => diff.shown[kind].length > 0);
  if (kinds.length === 0) return [];
  const body = element("div");
  const text = element("input", { type: "text", value: chosen.text, spellcheck: "false" });
  let show: () => void;
  let waiting = 0;
  text.addEventListener("input", () => {
    chosen.text = text.value;
    clearTimeout(waiting);
    waiting = window.setTimeout(() => show(), patience);
  });
  const draw = () => {
    const kind = kinds[Math.max(0, chosen.kind)] ?? kinds[0]!;
    const documents = diff.shown[kind];
    const hosts = hostsOf(documents);
    const found = element("div");
    show = () => {
      const wanted = documents.filter((one) => isWanted(one, hosts[chosen.host - 1]?.host));
      const article = (one: DiffedDocument) => diffArticle(one, kind, names, report, words);
      found.replaceChildren(...pages(wanted, article, documents.length, words));
    };
    const pickHost = (place: number) => {
      chosen.host = place;
      show();
    };
    show();
    body.replaceChildren(
      element(
        "p",
        { class: "facts" },
        words.say("differenceShown", words.count(documents.length), words.count(diff[kind].documents)),
      ),
      element(
        "div",
        { class: "menus" },
        kindMenu,
        menu(words.say("host"), hostTexts(hosts, words), chosen.host, pickHost),
        element("label", { class: "menu" }, `${words.say("contains")} `, text),
      ),
      found,
    );
  };
  const kindTexts = kinds.map((kind) => kindName(kind, names, words));
  const kindMenu = menu(words.say("which"), kindTexts, Math.max(0, chosen.kind), (place) => {
    Object.assign(chosen, { kind: place, host: 0 });
    draw();
    kindMenu.querySelector("select")!.focus();
  });
  draw();
  return [element("h3", {}, words.say("differenceRead")), body];
}

const has = (text: string) => text.includes(chosen.text);

function isWanted(one: DiffedDocument, host: string | undefined): boolean {
  if (host !== undefined && hostOf(one.url) !== host) return false;
  return has(one.title ?? "") || has(one.url) || one.lines.some((line) => has(line.text ?? ""));
}
