// Groups of near-duplicates with their variants, and the most frequent paragraphs.
import { diffChars } from "diff";
import { columns, resized } from "../charts.ts";
import type { Group, Groups, Report, Variant } from "../data.ts";
import { element, few, table } from "../dom.ts";
import type { Words } from "../words.ts";

export function groupsSection(report: Report, words: Words): HTMLElement | null {
  if (report.groups === null || report.groups.length === 0) return null;
  const many = report.groups.length > 1;
  return element(
    "section",
    {},
    element("h2", {}, words.say("groups")),
    ...report.groups.flatMap((groups) => [
      ...(many ? [element("h3", {}, groups.name)] : []),
      element(
        "p",
        { class: "lead" },
        words.say("groupsLead", words.count(groups.paragraphs), words.count(groups.groups)),
      ),
      ...shown(groups, words),
    ]),
  );
}

function shown(groups: Groups, words: Words): Node[] {
  const nodes: Node[] = [];
  if (groups.sizes.length > 0) nodes.push(sizes(groups, words));
  if (groups.largest.length > 0) {
    const list = element("div", { class: "groups" });
    nodes.push(
      element(
        "div",
        { class: "card" },
        element("h3", {}, words.say("largest")),
        element("p", { class: "lead" }, words.say("largestLead")),
        ...few(
          groups.largest.map((group) => groupDetails(group, words)),
          8,
          list,
          words.say("showAll", words.count(groups.largest.length)),
          words.say("showFewer"),
        ),
      ),
    );
  }
  if (groups.frequent.length > 0) nodes.push(frequent(groups, words));
  return nodes;
}

function sizes(groups: Groups, words: Words): HTMLElement {
  const bars = groups.sizes.map(({ least, most, groups: value }) => ({
    name: least === most ? words.count(least) : `${words.count(least)}–${words.count(most)}`,
    value,
  }));
  const label = `${words.say("groupSizes")}: ${bars.map(({ name, value }) => `${name}: ${words.count(value)}`).join(", ")}`;
  return element(
    "div",
    { class: "card" },
    element("h3", {}, words.say("groupSizes")),
    resized((width) => columns(bars, width, label, words, true), `${groups.name} ${words.say("groupSizes")}`, words),
    bars.some(({ value }) => value > 100) ? element("p", { class: "facts" }, words.say("logarithmic")) : null,
  );
}

const hosts = (of: { hosts: number | null; hostsAreEstimates?: boolean }, words: Words) =>
  `${of.hosts !== null && of.hostsAreEstimates ? words.say("approximately") : ""}${words.count(of.hosts)}`;

function groupDetails(group: Group, words: Words): HTMLElement {
  const [first, ...others] = group.variants;
  const facts = [words.say("groupSummary", words.count(group.occurrences), words.count(group.members))];
  if (group.hosts !== null) facts.push(words.say("onHosts", hosts(group, words)));
  const head = element(
    "summary",
    {},
    element("span", { class: "text", lang: "ja" }, first?.text ?? words.say("noText")),
    element("small", {}, facts.join(" · ")),
  );
  const details = element("details", { class: "group" }, head);
  details.addEventListener("toggle", () => {
    if (!details.open || details.childElementCount > 1 || !first) return;
    const list = element(
      "ol",
      { class: "variants" },
      variant(first, null, words),
      ...others.map((other) => variant(other, first.text, words)),
    );
    details.append(list);
  });
  return details;
}

// A variant; beside the first one's text, what it has more is marked, and what it lacks is struck.
function variant(one: Variant, first: string | null, words: Words): HTMLElement {
  const text = element("p", { lang: "ja" });
  if (one.text === null) text.append(words.say("noText"));
  else if (first === null) text.append(one.text);
  else {
    for (const part of diffChars(first, one.text)) {
      text.append(
        part.added ? element("ins", {}, part.value) : part.removed ? element("del", {}, part.value) : part.value,
      );
    }
  }
  const counts = `${words.say("exactly")} ${words.count(one.exactFreq)} · ${words.say("nearly")} ${words.count(one.nearFreq)}`;
  return element("li", {}, text, element("small", {}, counts));
}

function frequent(groups: Groups, words: Words): HTMLElement {
  const known = (of: "hosts" | "documents") => groups.frequent.some((one) => one[of] !== null);
  const heads = [
    { text: words.say("paragraph") },
    { text: words.say("nearly"), number: true },
    { text: words.say("exactly"), number: true },
    ...(known("hosts") ? [{ text: words.say("hosts"), number: true }] : []),
    ...(known("documents") ? [{ text: words.say("documents"), number: true }] : []),
  ];
  const rows = groups.frequent.map((one) => [
    element("span", { class: "text", lang: "ja" }, one.text ?? words.say("noText")),
    words.count(one.nearFreq),
    words.count(one.exactFreq),
    ...(known("hosts") ? [hosts(one, words)] : []),
    ...(known("documents") ? [words.count(one.documents)] : []),
  ]);
  const made = table(heads, rows, words.say("frequent"));
  made.whole.classList.add("texts");
  const [, more] = few(
    made.rows,
    12,
    made.body,
    words.say("showAll", words.count(rows.length)),
    words.say("showFewer"),
  );
  return element("div", { class: "card" }, element("h3", {}, words.say("frequent")), made.whole, more ?? null);
}
