// A value that can be typed, with its name and what it comes to.
import { breakable, element } from "./dom.ts";

export interface Typed {
  name: string;
  value(): number;
  set(value: number): void;
  says(): { name: string; result: string };
}

export function numberRow(typed: Typed): { row: HTMLElement; update: () => void } {
  const input = element("input", { type: "text", inputmode: "decimal", "aria-label": typed.name, autocomplete: "off" });
  input.addEventListener("change", () => {
    const value = Number(input.value);
    if (input.value.trim() !== "" && Number.isFinite(value)) typed.set(value);
    input.value = String(typed.value());
  });
  const name = element("span", { class: "name" });
  const result = element("span", { class: "alone" });
  const update = () => {
    if (document.activeElement !== input) input.value = String(typed.value());
    const says = typed.says();
    name.replaceChildren(breakable(says.name));
    result.textContent = says.result;
  };
  return { row: element("div", { class: "threshold" }, name, input, result), update };
}
