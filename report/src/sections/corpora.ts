// Languages, encodings, hosts and dates of each corpus.
import { columns, resized, rowsChart } from "../charts.ts";
import type { Corpus, Named, Report } from "../data.ts";
import { bar, element, few } from "../dom.ts";
import { savingButtons } from "../saved_chart.ts";
import type { Words } from "../words.ts";

const mostMonths = 1200;

export function corporaSection(report: Report, words: Words): HTMLElement | null {
  if (report.corpora.length === 0) return null;
  return element(
    "section",
    {},
    element("h2", {}, words.say("corpora")),
    ...report.corpora.flatMap((corpus) => shown(corpus, words)),
  );
}

function shown(corpus: Corpus, words: Words): Node[] {
  const lead = [words.say("countDocuments", words.count(corpus.documents))];
  if (corpus.characters !== null) lead.push(words.say("countCharacters", words.count(corpus.characters)));
  if (corpus.bytes !== null) lead.push(words.bytes(corpus.bytes));
  const lists = [
    list(words.say("languages"), corpus.languages, corpus.documents, words, languageNames(words)),
    list(words.say("charsets"), corpus.charsets, corpus.documents, words),
    list(
      words.say("mostHosts"),
      corpus.hosts,
      corpus.documents,
      words,
      (name) => name,
      words.say("distinctHosts", words.count(corpus.distinctHosts)),
    ),
  ];
  return [
    element("h3", {}, corpus.name),
    element("p", { class: "lead" }, lead.join(" · ")),
    element("div", { class: "cards" }, ...lists.filter((one) => one !== null), ...dates(corpus, words)),
  ];
}

function languageNames(words: Words): (name: string) => string {
  const names = new Intl.DisplayNames([words.language], { type: "language", fallback: "code" });
  return (name) => (/^[a-z]{2,3}$/.test(name) ? names.of(name)! : name);
}

function list(
  title: string,
  named: Named[] | undefined,
  all: number,
  words: Words,
  nameOf = (name: string) => name,
  facts = "",
): HTMLElement | null {
  if (!named?.length) return null;
  const most = Math.max(1, ...named.map((one) => one.documents));
  const items = named.map((one) =>
    element(
      "li",
      {},
      element("span", { class: "name" }, nameOf(one.name) || words.say("unknown")),
      element(
        "span",
        { class: "number" },
        words.count(one.documents),
        " ",
        element("small", {}, all > 0 ? words.share(one.documents / all) : ""),
      ),
      element("span", { class: "track" }, bar("kept", 0, one.documents / most)),
    ),
  );
  const saving = savingButtons(
    title,
    () =>
      rowsChart(
        named.slice(0, 40).map((one) => ({
          name: nameOf(one.name) || words.say("unknown"),
          parts: [{ className: "kept", from: 0, to: one.documents / most }],
          numbers: words.count(one.documents),
        })),
        title,
      ),
    words,
  );
  const more = words.say("showAll", words.count(named.length));
  return element(
    "div",
    { class: "card" },
    element("h4", {}, title, " ", saving),
    facts === "" ? null : element("p", { class: "facts" }, facts),
    ...few(items, 10, element("ul", { class: "counts" }), more, words.say("showFewer")),
  );
}

// With the months between that have no documents.
function everyMonth(named: Named[]): Named[] {
  const places = new Map<number, number>();
  for (const { name, documents } of named) {
    const [year, month] = name.split("-").map(Number);
    places.set(year! * 12 + month! - 1, documents);
  }
  const ends = [Math.min(...places.keys()), Math.max(...places.keys())] as const;
  if (!(ends[1] - ends[0] < mostMonths)) return named; // not those of pages
  return Array.from({ length: ends[1] - ends[0] + 1 }, (_, at) => {
    const month = ends[0] + at;
    const name = `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;
    return { name, documents: places.get(month) ?? 0 };
  });
}

function dates(corpus: Corpus, words: Words): HTMLElement[] {
  if (!corpus.dates?.length) return [];
  const bars = everyMonth(corpus.dates).map(({ name, documents }) => ({ name, value: documents }));
  const label = `${words.say("dates")}: ${bars.map(({ name, value }) => `${name}: ${words.count(value)}`).join(", ")}`;
  const name = `${corpus.name} ${words.say("dates")}`;
  const chart = resized((width) => columns(bars, width, label, words, false), name, words);
  return [element("div", { class: "card" }, element("h4", {}, words.say("dates")), chart)];
}
