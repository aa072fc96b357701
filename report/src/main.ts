// The page: what the data has, section by section.
import { readReport, type Report, supportedVersion } from "./data.ts";
import { button, choice, element, withCode } from "./dom.ts";
import { moveTo, movedValues, onMove } from "./models.ts";
import { readMoved, readPlace, type Theme, writePlace } from "./place.ts";
import { corporaSection } from "./sections/corpora.ts";
import { differenceSection } from "./sections/difference.ts";
import { documentsSection } from "./sections/documents.ts";
import { funnelSection, timeSection } from "./sections/funnel.ts";
import { groupsSection } from "./sections/groups.ts";
import { metricsSection } from "./sections/metrics.ts";
import { overlapSection } from "./sections/overlap.ts";
import { tokensSection } from "./sections/tokens.ts";
import { Words } from "./words.ts";

const sections = [
  differenceSection,
  funnelSection,
  metricsSection,
  documentsSection,
  groupsSection,
  corporaSection,
  overlapSection,
  tokensSection,
  timeSection,
];
const place = readPlace();

function header(report: Report, words: Words): HTMLElement {
  const languages = choice(
    words.say("language"),
    [
      ["en", "English"],
      ["ja", "日本語"],
    ],
    place.language,
    (language) => {
      place.language = language;
      changed();
      document.querySelector<HTMLInputElement>(`input[value="${language}"]`)?.focus();
    },
  );
  const themes: [Theme, string][] = [
    ["auto", words.say("themeAuto")],
    ["light", words.say("themeLight")],
    ["dark", words.say("themeDark")],
  ];
  const theme = choice(words.say("theme"), themes, place.theme, (value) => {
    place.theme = value;
    writePlace(place, movedValues());
    applyTheme();
  });
  return element(
    "header",
    { class: "top" },
    element(
      "div",
      {},
      element("h1", {}, report.title),
      element("p", { class: "lead" }, words.say("madeBy", report.generator)),
    ),
    element("div", { class: "choices" }, languages, theme),
  );
}

// Links to sections are buttons: what stands behind `#` is what was chosen.
function navigation(shown: HTMLElement[], words: Words): HTMLElement {
  const links = shown.map((section) => {
    const title = section.querySelector("h2")!;
    title.tabIndex = -1;
    return element(
      "li",
      {},
      button(title.textContent, () => {
        title.scrollIntoView({ block: "start" });
        title.focus({ preventScroll: true });
      }),
    );
  });
  return element("nav", { "aria-label": words.say("sections") }, element("ul", {}, ...links));
}

function applyTheme(): void {
  document.documentElement.setAttribute("data-theme", place.theme);
}

const notice = (text: string) =>
  document.body.replaceChildren(element("main", {}, element("p", { class: "notice" }, withCode(text))));

function draw(report: Report | null): void {
  const words = new Words(place.language);
  document.documentElement.lang = place.language;
  if (report === null) return notice(words.say("noData"));
  document.title = `${report.title} – Uzushio`;
  if (report.version !== supportedVersion) return notice(words.say("unknownVersion", String(report.version)));
  const shown = sections.map((section) => section(report, words)).filter((section) => section !== null);
  const main = element("main", {}, ...shown);
  if (shown.length === 0) main.append(element("p", { class: "notice" }, words.say("nothingToShow")));
  document.body.replaceChildren(header(report, words), ...(shown.length > 1 ? [navigation(shown, words)] : []), main);
}

function read(): Report | null {
  try {
    return readReport();
  } catch {
    return null;
  }
}

const report = read();
function changed(): void {
  writePlace(place, movedValues());
  applyTheme();
  draw(report);
}
function followAddress(): void {
  Object.assign(place, readPlace());
  if (report !== null && report.version === supportedVersion) moveTo(report, readMoved());
  applyTheme();
  draw(report);
}

// Browsers refuse to change the address too often.
const patience = 250; // milliseconds without a move
let waiting = 0;
addEventListener("hashchange", followAddress);
followAddress();
onMove(() => {
  clearTimeout(waiting);
  waiting = window.setTimeout(() => writePlace(place, movedValues()), patience);
});
