// A chart as a file, SVG or PNG, that looks as it does here without this page's style sheet.
import { button, element } from "./dom.ts";
import type { Words } from "./words.ts";

const namespace = "http://www.w3.org/2000/svg";
const pixels = 2; // of a PNG, for one of the page
const styles = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-opacity",
  "stroke-width",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-variant-numeric",
  "text-anchor",
];

// Buttons that save what `make` draws: an SVG that is in the page, or one to be drawn for this.
export function savingButtons(name: string, make: () => SVGSVGElement, words: Words): HTMLElement {
  const svg = button("SVG", () => save(asFile(make()), `${fileName(name)}.svg`), {
    "aria-label": words.say("saveAs", name, "SVG"),
  });
  const png = button("PNG", () => void savePng(make(), `${fileName(name)}.png`), {
    "aria-label": words.say("saveAs", name, "PNG"),
  });
  return element("span", { class: "saving" }, svg, png);
}

const fileName = (name: string) => name.replace(/[^\p{L}\p{N}.,=()_-]+/gu, "-").slice(0, 80);

const asFile = (chart: SVGSVGElement) => new Blob([standalone(chart)], { type: "image/svg+xml" });

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  element("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url));
}

async function savePng(chart: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = sizeOf(chart);
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(chart))}`;
  await image.decode();
  const canvas = element("canvas", { width: width * pixels, height: height * pixels });
  const context = canvas.getContext("2d")!;
  context.scale(pixels, pixels);
  context.drawImage(image, 0, 0, width, height);
  canvas.toBlob((file) => file && save(file, name), "image/png");
}

const sizeOf = (chart: SVGSVGElement) => ({
  width: Number(chart.getAttribute("width")),
  height: Number(chart.getAttribute("height")),
});

// Its text as a document of its own: colours and fonts stand at each element, on the ground that it has here.
function standalone(chart: SVGSVGElement): string {
  const holder = element("div", { class: "unseen" });
  if (!chart.isConnected) {
    holder.append(chart);
    document.body.append(holder);
  }
  const copy = chart.cloneNode(true) as SVGSVGElement;
  const copies = copy.querySelectorAll("*");
  for (const [at, original] of chart.querySelectorAll("*").entries()) setStyles(original, copies[at]!);
  setStyles(chart, copy);
  holder.remove();

  const { width, height } = sizeOf(chart);
  const ground = document.createElementNS(namespace, "rect");
  ground.setAttribute("width", String(width));
  ground.setAttribute("height", String(height));
  const probe = element("div", { class: "card" });
  document.body.append(probe);
  ground.setAttribute("fill", getComputedStyle(probe).backgroundColor);
  probe.remove();
  const title = document.createElementNS(namespace, "title");
  title.textContent = chart.getAttribute("aria-label");
  copy.prepend(title, ground);
  copy.setAttribute("xmlns", namespace);
  copy.removeAttribute("class");
  return new XMLSerializer().serializeToString(copy);
}

function setStyles(from: Element, to: Element): void {
  const computed = getComputedStyle(from);
  for (const name of styles) to.setAttribute(name, computed.getPropertyValue(name));
  to.removeAttribute("class");
}
