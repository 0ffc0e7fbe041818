// Small charts in SVG: axes, lines, areas, markers; pointer positions as values of the axes.

import { add, h, svg } from "./dom";
import { number } from "./format";

export interface Axis {
  label: string;
  low: number;
  high: number;
  log?: boolean;
  ticks?: number[];
  tickText?: (x: number) => string;
}

const WIDTH = 560;
const LEFT = 70, RIGHT = 26, TOP = 12, BOTTOM = 50;

function niceTicks(low: number, high: number, about: number): number[] {
  const raw = (high - low) / about;
  if (!(raw > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw)!;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(i * step);
  return ticks;
}

function logTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let p = Math.ceil(Math.log10(low) - 1e-9); p <= Math.log10(high) + 1e-9; p++) ticks.push(10 ** p);
  return ticks;
}

export class Chart {
  readonly figure: HTMLElement;
  readonly root: SVGElement;
  private readonly axes = svg("g", { class: "axes" });
  private readonly content: SVGElement;
  private readonly over = svg("g", { class: "over" });
  private x!: Axis;
  private y!: Axis;
  readonly height: number;

  constructor(title: string, description: string, x: Axis, y: Axis, height = 400) {
    this.height = height;
    const clip = `clip-${Math.random().toString(36).slice(2)}`;
    this.content = svg("g", { "clip-path": `url(#${clip})` });
    this.root = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `${title}. ${description}` },
      svg("defs", {}, svg("clipPath", { id: clip },
        svg("rect", { x: LEFT, y: TOP - 6, width: WIDTH - LEFT - RIGHT + 2, height: height - TOP - BOTTOM + 12 }))),
      this.axes, this.content, this.over);
    this.figure = h("figure", { class: "chart" }, h("figcaption", {}, title), this.root);
    this.setAxes(x, y);
  }

  setAxes(x: Axis, y: Axis): void {
    this.x = x;
    this.y = y;
    this.axes.replaceChildren();
    const bottom = this.height - BOTTOM, right = WIDTH - RIGHT;
    const ticks = (a: Axis, about: number) => a.ticks ?? (a.log ? logTicks(a.low, a.high) : niceTicks(a.low, a.high, about));
    for (const t of ticks(x, 6)) {
      const at = this.px(t);
      if (at < LEFT - 0.5 || at > right + 0.5) continue;
      add(this.axes, [
        svg("line", { class: "grid", x1: at, x2: at, y1: TOP, y2: bottom }),
        svg("text", { x: at, y: bottom + 20, "text-anchor": "middle" }, (x.tickText ?? ((v) => number(v, 3)))(t)),
      ]);
    }
    for (const t of ticks(y, 5)) {
      const at = this.py(t);
      if (at < TOP - 0.5 || at > bottom + 0.5) continue;
      add(this.axes, [
        svg("line", { class: "grid", x1: LEFT, x2: right, y1: at, y2: at }),
        svg("text", { x: LEFT - 7, y: at + 4, "text-anchor": "end" }, (y.tickText ?? ((v) => number(v, 3)))(t)),
      ]);
    }
    add(this.axes, [
      svg("text", { class: "axis-label", x: (LEFT + right) / 2, y: this.height - 8, "text-anchor": "middle" }, x.label),
      svg("text", {
        class: "axis-label", transform: `translate(14 ${(TOP + bottom) / 2}) rotate(-90)`, "text-anchor": "middle",
      }, y.label),
    ]);
  }

  private static share(a: Axis, v: number): number {
    if (a.log) {
      const at = Math.max(v, a.low);
      return Math.log(at / a.low) / Math.log(a.high / a.low);
    }
    return (v - a.low) / (a.high - a.low);
  }

  private static value(a: Axis, share: number): number {
    return a.log ? a.low * (a.high / a.low) ** share : a.low + share * (a.high - a.low);
  }

  px(v: number): number {
    return LEFT + Chart.share(this.x, v) * (WIDTH - LEFT - RIGHT);
  }

  py(v: number): number {
    return this.height - BOTTOM - Chart.share(this.y, v) * (this.height - TOP - BOTTOM);
  }

  // Where a pointer is, in values of the axes.
  at(event: { clientX: number; clientY: number }): { x: number; y: number } {
    const box = this.root.getBoundingClientRect();
    const px = ((event.clientX - box.left) / box.width) * WIDTH;
    const py = ((event.clientY - box.top) / box.height) * this.height;
    return {
      x: Chart.value(this.x, Math.min(Math.max((px - LEFT) / (WIDTH - LEFT - RIGHT), 0), 1)),
      y: Chart.value(this.y, Math.min(Math.max((this.height - BOTTOM - py) / (this.height - TOP - BOTTOM), 0), 1)),
    };
  }

  // A path through points, without those that fall on the same half pixel.
  path(xs: ArrayLike<number>, ys: ArrayLike<number>, step = false): string {
    let text = "", lastX = NaN, lastY = NaN;
    for (let i = 0; i < xs.length; i++) {
      const px = Math.round(2 * Math.min(Math.max(this.px(xs[i]!), -2000), 4000)) / 2;
      const py = Math.round(2 * Math.min(Math.max(this.py(ys[i]!), -2000), 4000)) / 2;
      if (Number.isNaN(px) || Number.isNaN(py) || (px === lastX && py === lastY)) continue;
      if (text === "") text = `M${px} ${py}`;
      else if (step && px !== lastX && py !== lastY) text += `H${px}V${py}`;
      else text += `L${px} ${py}`;
      lastX = px;
      lastY = py;
    }
    return text;
  }

  clear(): void {
    this.content.replaceChildren();
  }

  line(xs: ArrayLike<number>, ys: ArrayLike<number>, className: string): SVGElement {
    const node = svg("path", { class: `line ${className}`, d: this.path(xs, ys) });
    this.content.append(node);
    return node;
  }

  area(xs: ArrayLike<number>, ys: ArrayLike<number>, className: string): SVGElement {
    const node = svg("path", { class: className, d: `${this.path(xs, ys)}Z` });
    this.content.append(node);
    return node;
  }

  rect(x0: number, x1: number, y0: number, y1: number, className: string): SVGElement {
    const node = svg("rect", { class: className });
    this.placeRect(node, x0, x1, y0, y1);
    this.content.append(node);
    return node;
  }

  placeRect(node: SVGElement, x0: number, x1: number, y0: number, y1: number): void {
    const a = this.px(x0), b = this.px(x1), c = this.py(y0), d = this.py(y1);
    node.setAttribute("x", String(Math.min(a, b)));
    node.setAttribute("width", String(Math.abs(b - a)));
    node.setAttribute("y", String(Math.min(c, d)));
    node.setAttribute("height", String(Math.abs(d - c)));
  }

  text(x: number, y: number, text: string, anchor = "start", dx = 0, dy = 0): SVGElement {
    const node = svg("text", { class: "note", x: this.px(x) + dx, y: this.py(y) + dy, "text-anchor": anchor }, text);
    this.over.append(node);
    return node;
  }

  // A marker that can be moved: "circle" or "diamond".
  marker(shape: "circle" | "diamond", className: string): { move(x: number, y: number): void; node: SVGElement } {
    const node = shape === "circle"
      ? svg("circle", { class: `marker ${className}`, r: 7 })
      : svg("path", { class: `marker ${className}`, d: "M0-8L8 0L0 8L-8 0Z" });
    this.over.append(node);
    return {
      node,
      move: (x, y) => node.setAttribute("transform", `translate(${this.px(x)} ${this.py(y)})`),
    };
  }

  dot(x: number, y: number, className: string): void {
    this.content.append(svg("circle", { class: `dot ${className}`, cx: this.px(x), cy: this.py(y), r: 3.5 }));
  }

  vertical(className: string): { move(x: number): void; node: SVGElement } {
    const node = svg("line", { class: className, y1: TOP, y2: this.height - BOTTOM });
    this.over.append(node);
    return {
      node,
      move: (x) => {
        node.setAttribute("x1", String(this.px(x)));
        node.setAttribute("x2", String(this.px(x)));
      },
    };
  }

  // Call back while the pointer is down on the chart; the first call has `began`.
  onDrag(moved: (at: { x: number; y: number }, began: boolean) => void): void {
    this.root.classList.add("draggable");
    let down = false;
    this.root.addEventListener("pointerdown", (event) => {
      down = true;
      this.root.setPointerCapture(event.pointerId);
      moved(this.at(event), true);
      event.preventDefault();
    });
    this.root.addEventListener("pointermove", (event) => {
      if (down) moved(this.at(event), false);
    });
    const end = () => (down = false);
    this.root.addEventListener("pointerup", end);
    this.root.addEventListener("pointercancel", end);
  }

  legend(items: [string, string][]): void {
    this.figure.append(h("div", { class: "legend" },
      ...items.map(([className, text]) => {
        const key = svg("svg", { viewBox: "0 0 30 14", width: 30, height: 14, "aria-hidden": "true" });
        if (className.startsWith("area")) {
          key.append(svg("rect", { class: className.slice(5), x: 1, y: 1, width: 28, height: 12 }));
        } else if (className.startsWith("dot")) {
          key.append(svg("circle", { class: className, cx: 15, cy: 7, r: 3.5 }));
        } else if (className.startsWith("marker")) {
          key.append(className.includes("own")
            ? svg("path", { class: className, d: "M15 0L22 7L15 14L8 7Z" })
            : svg("circle", { class: className, cx: 15, cy: 7, r: 6 }));
        } else {
          key.append(svg("path", { class: `line ${className}`, d: "M1 7H29" }));
        }
        return h("span", {}, key, text);
      })));
  }
}

export const share = (v: number): string => `${number(100 * v, 3)} %`;
