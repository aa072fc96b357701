// Elements. Texts are set as texts; nothing is ever read as HTML, and no style comes from a string of the data.
type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// A box whose length is a share of what it lies in.
export function bar(className: string, from: number, to: number): HTMLElement {
  const made = element("span", { class: `bar ${className}` });
  made.style.setProperty("--from", String(from));
  made.style.setProperty("--to", String(to));
  made.hidden = to <= from;
  return made;
}

// A name of the program's, such as HiraganaRatio.Low(0.1), that may be broken between its words.
export function breakable(name: string): DocumentFragment {
  const made = document.createDocumentFragment();
  for (const word of name.split(/(?<=[a-z])(?=[A-Z])|(?=[.(])|(?<=[/_=])/)) made.append(word, document.createElement("wbr"));
  return made;
}

// What stands between backticks, as code.
export function withCode(text: string): DocumentFragment {
  const made = document.createDocumentFragment();
  for (const [at, part] of text.split("`").entries()) made.append(at % 2 === 1 ? element("code", {}, part) : part);
  return made;
}

export function button(label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

let names = 0;
export const newId = (): string => `id-${++names}`;

// One of several values, as radio buttons beside each other.
export function choice<Value extends string>(
  label: string,
  values: [Value, string][],
  chosen: Value,
  choose: (value: Value) => void,
): HTMLElement {
  const name = newId();
  const made = element("fieldset", { class: "choice" }, element("legend", {}, label));
  for (const [value, text] of values) {
    const input = element("input", { type: "radio", name, value, checked: value === chosen });
    input.addEventListener("change", () => choose(value));
    made.append(element("label", {}, input, element("span", {}, text)));
  }
  return made;
}

// One of many, as a menu. Values are places.
export function menu(label: string, texts: string[], chosen: number, choose: (place: number) => void): HTMLElement {
  const select = element("select");
  for (const [place, text] of texts.entries()) {
    select.append(element("option", { value: place, selected: place === chosen }, text));
  }
  select.addEventListener("change", () => choose(Number(select.value)));
  return element("label", { class: "menu" }, `${label} `, select);
}

// Rows of which the first `few` are shown, and a button for the rest.
export function few(rows: HTMLElement[], count: number, into: HTMLElement, more: string, fewer: string): Node[] {
  into.append(...rows);
  const rest = rows.slice(count);
  if (rest.length === 0) return [into];
  const show = (all: boolean) => {
    for (const row of rest) row.hidden = !all;
    toggle.textContent = all ? fewer : more;
    toggle.setAttribute("aria-expanded", String(all));
  };
  const toggle = button(more, () => show(rest[0]!.hidden === true), { class: "more" });
  show(false);
  return [into, toggle];
}

export interface Head {
  text: string;
  number?: boolean;
}

// A table. Cells of columns of numbers are set to the right; the first cell of a row is its head.
export function table(heads: Head[], rows: (string | Node)[][], caption: string): { whole: HTMLElement; body: HTMLElement; rows: HTMLElement[] } {
  const kind = (at: number) => (heads[at]?.number ? "number" : null);
  const body = element("tbody");
  const made = rows.map((cells) =>
    element(
      "tr",
      {},
      ...cells.map((cell, at) =>
        at === 0 ? element("th", { scope: "row" }, cell) : element("td", { class: kind(at) }, cell),
      ),
    ),
  );
  const head = element("tr", {}, ...heads.map((one, at) => element("th", { scope: "col", class: kind(at) }, one.text)));
  const whole = element(
    "table",
    {},
    element("caption", { class: "unseen" }, caption),
    element("thead", {}, head),
    body,
  );
  return { whole, body, rows: made };
}
