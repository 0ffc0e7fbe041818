// Elements. Text goes in as text nodes only: what a file or a label holds is never markup.

type Child = Node | string | number | null | undefined;

const SVG = "http://www.w3.org/2000/svg";

function fill(node: Element, attributes: Record<string, unknown>, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on") && typeof value === "function") {
      node.addEventListener(name.slice(2), value as EventListener);
    } else {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  add(node, children);
}

export function add(node: Element, children: Child[]): void {
  for (const child of children) {
    if (child !== null && child !== undefined) {
      node.append(child instanceof Node ? child : String(child));
    }
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, unknown> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  fill(node, attributes, children);
  return node;
}

export function svg(tag: string, attributes: Record<string, unknown> = {}, ...children: Child[]): SVGElement {
  const node = document.createElementNS(SVG, tag) as SVGElement;
  fill(node, attributes, children);
  return node;
}

export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const node = document.getElementById(id);
  if (!node) throw new Error(`the page has no element ${id}`);
  return node as T;
}

export function clear(node: Element): void {
  node.replaceChildren();
}

// A name from a file, cut to what a line can hold; the whole of it is the tooltip.
export function named(text: string, most = 40): HTMLElement {
  const characters = Array.from(text.slice(0, 4 * most));
  const cut = characters.length > most || text.length > 4 * most;
  return h("bdi", cut ? { title: text.slice(0, 2000) } : {},
    cut ? characters.slice(0, most).join("") + "…" : text);
}

export function shortName(text: string, most = 40): string {
  return named(text, most).textContent ?? "";
}

let serial = 0;

// A labelled input with what it means.
export function field(
  label: string, input: HTMLInputElement | HTMLSelectElement, unit = "", hint = "",
): HTMLElement {
  input.id ||= `field-${++serial}`;
  return h("div", { class: "field" },
    h("label", { for: input.id, title: hint || undefined }, label),
    h("span", { class: "input" }, input, unit ? h("span", { class: "unit" }, unit) : null));
}

// A word with its definition, on hover and for keyboards.
export function term(word: string, definition: string): HTMLElement {
  return h("span", { class: "term", title: definition }, word);
}
