// Documents to read: of some hosts, some at once.
import { button, element } from "./dom.ts";
import type { Words } from "./words.ts";

const atOnce = 10;

export const patience = 200; // milliseconds without a move or a key

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

// The most frequent first.
export function hostsOf(documents: { url: string }[]): { host: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { url } of documents) counts.set(hostOf(url), (counts.get(hostOf(url)) ?? 0) + 1);
  return [...counts].map(([host, count]) => ({ host, count })).toSorted((one, other) => other.count - one.count);
}

// What a menu of hosts says: first that all are meant.
export const hostTexts = (hosts: ReturnType<typeof hostsOf>, words: Words): string[] => [
  words.say("allHosts", words.count(hosts.length)),
  ...hosts.map(({ host, count }) => `${host || words.say("unknown")} (${words.count(count)})`),
];

// Some at once, and more when they are asked for.
export function pages<One>(found: One[], article: (one: One) => HTMLElement, of: number, words: Words): Node[] {
  const list = element("div", { class: "articles" });
  const facts = element("p", { class: "facts", role: "status" });
  const more = button(words.say("showMore"), () => show(), { class: "more" });
  let shown = 0;
  const show = () => {
    list.append(...found.slice(shown, shown + atOnce).map(article));
    shown = Math.min(found.length, shown + atOnce);
    facts.textContent = words.say("shownOf", words.count(found.length), words.count(of));
    more.hidden = shown === found.length;
  };
  show();
  return [facts, list, more];
}
