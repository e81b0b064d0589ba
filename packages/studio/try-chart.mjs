// ../../../../try-chart.mts
import { writeFileSync, mkdirSync } from "node:fs";
import { catalogue } from "@conclave/algorithms";

// src/chart/graph.ts
import { actionsText, pathOf, reactions } from "@conclave/core/chart";

// src/chart/text-size.ts
var titleSize = 13;
var rowSize = 11;
var rowHeight = 15;
var widths = [
  28,
  28,
  35,
  56,
  56,
  89,
  67,
  19,
  33,
  33,
  39,
  58,
  28,
  33,
  28,
  28,
  56,
  56,
  56,
  56,
  56,
  56,
  56,
  56,
  56,
  56,
  28,
  28,
  58,
  58,
  58,
  56,
  102,
  67,
  67,
  72,
  72,
  67,
  61,
  78,
  72,
  28,
  50,
  67,
  56,
  83,
  72,
  78,
  67,
  78,
  72,
  67,
  61,
  72,
  67,
  94,
  67,
  67,
  61,
  28,
  28,
  28,
  47,
  56,
  33,
  56,
  56,
  50,
  56,
  56,
  28,
  56,
  56,
  22,
  22,
  50,
  22,
  83,
  56,
  56,
  56,
  56,
  33,
  50,
  28,
  56,
  50,
  72,
  50,
  50,
  50,
  33,
  26,
  33,
  58
];
var margin = 1.08;
function widthOf(text, size, bold = false) {
  let sum = 0;
  for (const character of text) sum += widths[character.charCodeAt(0) - 32] ?? 100;
  return Math.ceil(sum * size * margin * (bold ? 1.06 : 1) / 100);
}
function wrapped(text, size, limit) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && widthOf(longer, size) > limit) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === "" ? lines : [...lines, line];
}

// src/chart/graph.ts
var widestRow = 300;
var widestLabel = 230;
function graphOf(machine) {
  const boxes = [];
  const edges = /* @__PURE__ */ new Map();
  const connect = (from, to, label) => {
    const edge = edges.get(`${from} ${to}`) ?? { from, to, labels: [] };
    edges.set(`${from} ${to}`, edge);
    if (label) edge.labels.push(label);
  };
  const visit = (node) => {
    boxes.push(boxOf(node));
    const children = Object.values(node.states);
    if (node.type === "compound") {
      const { target, actions } = node.initial;
      const dot = `${idOf(node)} initial`;
      boxes.push({ id: dot, title: "", kind: "initial", parent: idOf(node), tags: [], rows: [], description: "" });
      const does = actionsText(actions);
      for (const first of target) connect(dot, idOf(first), does ? textOf("reaction", `/ ${does}`, [], "", widestLabel) : void 0);
    }
    for (const child of children) visit(child);
  };
  visit(machine.root);
  const visitEdges = (node) => {
    for (const reaction of reactions(node))
      for (const target of reaction.targets)
        if (isDrawn(node, target, reaction))
          connect(idOf(node), idOf(target), textOf("reaction", labelOf(reaction), [reaction.key], reaction.description, widestLabel));
    for (const child of Object.values(node.states)) visitEdges(child);
  };
  visitEdges(machine.root);
  return { boxes, edges: [...edges.values()] };
}
var idOf = (node) => node.path.join(".");
function boxOf(node) {
  const { parent, key, type, tags, description = "" } = node;
  return {
    id: idOf(node),
    title: type === "history" ? node.history === "deep" ? "H*" : "H" : key,
    kind: parent ? parent.type === "parallel" ? "region" : type : "machine",
    ...parent && { parent: idOf(parent) },
    tags: [...tags],
    rows: rowsOf(node),
    description
  };
}
function rowsOf(node) {
  const rows = [];
  const ignored = [];
  for (const boundary of ["entry", "exit"]) {
    const actions = actionsText(node.config[boundary]);
    if (actions) rows.push(textOf(boundary, `${boundary} / ${actions}`, [], "", widestRow));
  }
  for (const reaction of reactions(node)) {
    const { key, trigger, actions, targets, description } = reaction;
    if (targets.length === 0 && !actions) ignored.push({ text: trigger, key });
    else if (targets.length === 0) rows.push(textOf("reaction", labelOf(reaction), [key], description, widestRow));
    else if (targets.some((target) => !isDrawn(node, target, reaction)))
      rows.push(textOf("reaction", `${labelOf(reaction)} \u2192 ${targets.map(pathOf).join(", ")}`, [key], description, widestRow));
  }
  if (ignored.length === 0) return rows;
  const keys = ignored.map(({ key }) => key);
  return [...rows, textOf("ignored", `ignores ${ignored.map(({ text }) => text).join(", ")}`, keys, "", widestRow)];
}
var isDrawn = (source, target, { reenter }) => source === target ? reenter : target.parent !== void 0 && source.parent !== void 0;
var labelOf = ({ trigger, actions }) => actions ? `${trigger} / ${actions}` : trigger;
var textOf = (kind, text, keys, description, widest) => ({ kind, lines: wrapped(text, rowSize, widest), keys, description });
function keyOf(graph) {
  const text = JSON.stringify([
    graph.boxes.map(({ id, title, kind, parent, tags, rows }) => [id, title, kind, parent, tags, rows.map(({ lines }) => lines)]),
    graph.edges.map(({ from, to, labels }) => [from, to, labels.map(({ lines }) => lines)])
  ]);
  let [high, low] = [2646966556, 2166136261];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 16777619);
    high = Math.imul(high ^ code, 1540483477) ^ low >>> 13;
  }
  return (high >>> 0).toString(36) + (low >>> 0).toString(36);
}

// src/chart/layout.ts
import Elk from "elkjs/lib/elk.bundled.js";

// src/chart/chart-layout.ts
var padding = 10;
var dotSize = 10;
var titleHeight = 20;
var isFramed = ({ kind, rows, tags }) => kind !== "machine" || rows.length > 0 || tags.length > 0;
function textRoom(box) {
  if (box.kind === "initial") return { width: dotSize, height: dotSize };
  if (box.kind === "history") return { width: 26, height: 26 };
  if (!isFramed(box)) return { width: 0, height: 0 };
  const title = widthOf(box.title, titleSize, true) + (box.tags.length > 0 ? 12 + widthOf(tagText(box), rowSize) : 0);
  const lines = box.rows.flatMap(({ lines: lines2 }) => lines2);
  const width = Math.max(title, ...lines.map((line, index2) => widthOf(line, rowSize) + indent(box.rows, index2)));
  return {
    width: Math.max(width + 2 * padding, 72),
    height: titleHeight + (lines.length > 0 ? lines.length * rowHeight + 6 : 0) + padding
  };
}
var continued = 10;
function indent(rows, index2) {
  let line = 0;
  for (const { lines } of rows) {
    if (index2 < line + lines.length) return index2 === line ? 0 : continued;
    line += lines.length;
  }
  return 0;
}
var tagText = ({ tags }) => tags.map((tag) => `\xAB${tag}\xBB`).join(" ");
function labelRoom({ labels }) {
  const lines = labels.flatMap(({ lines: lines2 }) => lines2.map((line, index2) => widthOf(line, rowSize) + (index2 > 0 ? continued : 0)));
  return { width: Math.max(...lines, 0), height: lines.length * rowHeight };
}

// src/chart/layout.ts
var aspect = 1.5;
async function layOut(graph) {
  const [down, right] = await Promise.all([layOutTo(graph, "DOWN"), layOutTo(graph, "RIGHT")]);
  const size = ({ width, height }) => Math.max(width / aspect, height);
  return size(right) < 0.8 * size(down) ? right : down;
}
async function layOutTo(graph, direction) {
  const [root] = graph.boxes;
  if (!root) return { width: 0, height: 0, boxes: [], edges: [], labels: [] };
  const elk = new Elk();
  const known = new Map(graph.boxes.map((box, index2) => [box.id, index2]));
  const name = (id) => `box${known.get(id)}`;
  const nodeOf = (box) => {
    const inner = graph.boxes.filter(({ parent }) => parent === box.id);
    const { width, height } = textRoom(box);
    if (inner.length === 0) return { id: name(box.id), width, height };
    const sides = isFramed(box) ? padding + 4 : 0;
    return {
      id: name(box.id),
      children: inner.map(nodeOf),
      layoutOptions: {
        "elk.padding": `[top=${height + 8},left=${sides},bottom=${sides},right=${sides}]`,
        "elk.nodeSize.constraints": "MINIMUM_SIZE",
        "elk.nodeSize.minimum": `(${width},${height})`
      }
    };
  };
  const edges = graph.edges.map((edge, index2) => {
    const room = labelRoom(edge);
    return {
      id: `edge${index2}`,
      sources: [name(edge.from)],
      targets: [name(edge.to)],
      ...room.height > 0 && { labels: [{ id: `label${index2}`, text: "", ...room }] }
    };
  });
  const laidOut = await elk.layout({ id: "all", children: [nodeOf(root)], edges, layoutOptions: { ...options, "elk.direction": direction } });
  return collected(graph, laidOut);
}
var options = {
  "elk.algorithm": "layered",
  "elk.hierarchyHandling": "INCLUDE_CHILDREN",
  "elk.edgeRouting": "ORTHOGONAL",
  "elk.json.shapeCoords": "ROOT",
  "elk.json.edgeCoords": "ROOT",
  "elk.padding": "[top=4,left=4,bottom=4,right=4]",
  "elk.spacing.nodeNode": "28",
  "elk.spacing.edgeNode": "14",
  "elk.spacing.edgeEdge": "12",
  "elk.spacing.edgeLabel": "4",
  "elk.spacing.labelLabel": "6",
  "elk.layered.spacing.nodeNodeBetweenLayers": "30",
  "elk.layered.spacing.edgeNodeBetweenLayers": "14",
  "elk.layered.spacing.edgeEdgeBetweenLayers": "12",
  "elk.layered.considerModelOrder.strategy": "PREFER_NODES",
  "elk.layered.cycleBreaking.strategy": "MODEL_ORDER",
  "elk.layered.nodePlacement.strategy": "BRANDES_KOEPF",
  "elk.layered.thoroughness": "20",
  "elk.layered.nodePlacement.favorStraightEdges": "true",
  "elk.edgeLabels.placement": "CENTER"
};
function collected(graph, all) {
  const boxes = graph.boxes.map(() => []);
  const visit = ({ id, x = 0, y = 0, width = 0, height = 0, children = [] }) => {
    if (id !== "all") boxes[Number(id.slice("box".length))] = [x, y, width, height].map(Math.round);
    for (const child of children) visit(child);
  };
  visit(all);
  const sections = (all.edges ?? []).map(({ sections: sections2 = [] }) => sections2);
  return {
    width: Math.ceil(all.width ?? 0),
    height: Math.ceil(all.height ?? 0),
    boxes,
    edges: sections.map(
      (parts) => parts.flatMap(
        ({ startPoint, bendPoints = [], endPoint }) => [startPoint, ...bendPoints, endPoint].flatMap(({ x, y }) => [Math.round(x), Math.round(y)])
      )
    ),
    labels: (all.edges ?? []).map(({ labels = [] }) => labels.flatMap(({ x = 0, y = 0 }) => [Math.round(x), Math.round(y)]))
  };
}

// src/chart/svg.ts
function chartSvg(graph, layout, title) {
  const { width, height } = layout;
  const parts = graph.boxes.map((box, index2) => boxSvg(box, layout.boxes[index2] ?? [], hasInside(graph, box)));
  const lines = graph.edges.map((edge, index2) => edgeSvg(edge, index2, layout.edges[index2] ?? [], layout.labels[index2] ?? []));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="statechart" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<style>${chartStyle}</style>`,
    ...parts,
    ...lines.map(({ path }) => path),
    ...lines.map(({ label }) => label),
    "</svg>\n"
  ].join("\n");
}
var hasInside = ({ boxes }, { id }) => boxes.some(({ parent }) => parent === id);
var entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;" };
var escaped = (text) => text.replace(/[&<>"\n]/g, (character) => entities[character] ?? character);
function boxSvg(box, [x = 0, y = 0, width = 0, height = 0], isOuter) {
  const { id, kind, rows, title } = box;
  const state = `data-state="${escaped(id)}"`;
  if (kind === "initial") return `<circle class="dot" cx="${x + dotSize / 2}" cy="${y + dotSize / 2}" r="${dotSize / 2}"/>`;
  if (kind === "history")
    return `<g class="state history" ${state}><circle class="frame" cx="${x + 13}" cy="${y + 13}" r="12"/><text class="title" x="${x + 13}" y="${y + 18}" text-anchor="middle">${title}</text></g>`;
  if (!isFramed(box)) return "";
  const frame = `<rect class="frame" x="${x}" y="${y}" width="${width}" height="${height}" rx="8"/>`;
  const inner = kind === "final" ? `<rect class="inner" x="${x + 3}" y="${y + 3}" width="${width - 6}" height="${height - 6}" rx="6"/>` : "";
  const head = y + titleHeight - 3;
  const tags = box.tags.length === 0 ? "" : `<text class="tags" x="${x + padding + widthOf(title, titleSize, true) + 10}" y="${head}">${escaped(tagText(box))}</text>`;
  const rule = rows.length > 0 ? `<path class="rule" d="M${x} ${y + titleHeight + 4}h${width}"/>` : "";
  const name = `<text class="title" x="${x + padding}" y="${head}">${escaped(title)}</text>`;
  const texts = textsSvg(rows, x + padding, y + titleHeight + 6);
  return `<g class="state ${kind}${isOuter ? " outer" : ""}" ${state}>${frame}${inner}${rule}${name}${tags}${texts}</g>`;
}
function textsSvg(texts, x, y) {
  let top = y;
  return texts.map(({ kind, lines, keys }) => {
    const spans = lines.map((line, index2) => {
      top += rowHeight;
      return `<tspan x="${x + (index2 > 0 ? continued : 0)}" y="${top - 4}">${escaped(line)}</tspan>`;
    });
    const marked = keys.length > 0 ? ` data-keys="${escaped(keys.join("\n"))}"` : "";
    return `<text class="row ${kind}"${marked}>${spans.join("")}</text>`;
  }).join("");
}
function edgeSvg(edge, index2, points, [x, y]) {
  const keys = edge.labels.flatMap((label) => label.keys);
  const marked = keys.length > 0 ? ` data-keys="${escaped(keys.join("\n"))}"` : "";
  const path = `<g class="edge" data-edge="${index2}"${marked}><path class="line" d="${rounded(points)}"/><path class="tip" d="${tip(points)}"/></g>`;
  if (x === void 0 || y === void 0) return { path, label: "" };
  const { width, height } = labelRoom(edge);
  const paper = `<rect class="paper" x="${x - 2}" y="${y}" width="${width + 4}" height="${height}" rx="3"/>`;
  return { path, label: `<g class="label" data-edge="${index2}">${paper}${textsSvg(edge.labels, x, y)}</g>` };
}
var corner = 6;
var tipLength = 8;
function rounded(points) {
  const at = (index2) => [points[2 * index2] ?? 0, points[2 * index2 + 1] ?? 0];
  const last = points.length / 2 - 1;
  if (last < 1) return "";
  let path = `M${at(0).join(" ")}`;
  for (let index2 = 1; index2 < last; index2++) {
    const [before, here, after] = [at(index2 - 1), at(index2), at(index2 + 1)];
    const start = towards(here, before, corner);
    path += `L${start.join(" ")}Q${here.join(" ")} ${towards(here, after, corner).join(" ")}`;
  }
  return `${path}L${towards(at(last), at(last - 1), tipLength - 1).join(" ")}`;
}
function towards([x, y], [toX, toY], distance) {
  const length = Math.hypot(toX - x, toY - y) || 1;
  const part = Math.min(distance, length / 2) / length;
  return [round(x + (toX - x) * part), round(y + (toY - y) * part)];
}
var round = (value) => Math.round(value * 10) / 10;
function tip(points) {
  const [fromX = 0, fromY = 0, x = 0, y = 0] = points.slice(-4);
  const length = Math.hypot(x - fromX, y - fromY) || 1;
  const [ux, uy] = [(x - fromX) / length, (y - fromY) / length];
  const at = (along, aside) => `${round(x - ux * along - uy * aside)} ${round(y - uy * along + ux * aside)}`;
  return `M${at(0, 0)}L${at(tipLength, 4)}L${at(tipLength, -4)}Z`;
}
var fallbacks = {
  light: { paper: "#ffffff", raised: "#ffffff", ink: "#1f2933", faint: "#616e7c", line: "#9aa5b1", guide: "#e4e7eb", accent: "#3b6fd4" },
  dark: { paper: "#12171e", raised: "#1a2029", ink: "#e4e7eb", faint: "#8f9bab", line: "#616e7c", guide: "#252d38", accent: "#5f8ff0" }
};
var own = (theme) => `.statechart{${Object.entries(fallbacks[theme]).map(([name, colour]) => `--chart-${name}:var(--${name},${colour})`).join(";")}}`;
var fonts = 'var(--font,ui-sans-serif,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Liberation Sans",Arial,sans-serif)';
var chartStyle = [
  own("light"),
  `@media (prefers-color-scheme:dark){${own("dark")}}`,
  `.statechart{font-family:${fonts};font-size:11px;background:var(--chart-paper)}`,
  ".statechart text{fill:var(--chart-ink)}",
  ".statechart .title{font-size:13px;font-weight:600}",
  ".statechart .tags,.statechart .ignored,.statechart .entry,.statechart .exit{fill:var(--chart-faint)}",
  ".statechart .frame{fill:var(--chart-raised);stroke:var(--chart-line);stroke-width:1.2}",
  ".statechart .outer>.frame{fill:var(--chart-paper)}",
  ".statechart .region>.frame{stroke-dasharray:5 4}",
  ".statechart .inner{fill:none;stroke:var(--chart-line)}",
  ".statechart .rule{stroke:var(--chart-guide)}",
  ".statechart .dot{fill:var(--chart-ink)}",
  ".statechart .line{fill:none;stroke:var(--chart-faint);stroke-width:1.2}",
  ".statechart .tip{fill:var(--chart-faint)}",
  ".statechart .paper{fill:var(--chart-paper)}"
].join("");

// ../../../../try-chart.mts
var only = process.argv.slice(2);
mkdirSync("/tmp/charts", { recursive: true });
var seen = /* @__PURE__ */ new Map();
var ms = 0;
var index = [];
for (const e of catalogue) for (const o of [{}, ...e.charted]) {
  if (only.length && !only.includes(e.id)) continue;
  for (const [role, { machine }] of Object.entries(e.make(o).roles)) {
    const g = graphOf(machine);
    const key = keyOf(g);
    if (seen.has(key)) continue;
    const t = performance.now();
    const l = await layOut(g);
    ms += performance.now() - t;
    seen.set(key, l);
    const name = `${e.id}-${role}-${key}`;
    writeFileSync(`/tmp/charts/${name}.svg`, chartSvg(g, l, name));
    index.push(`${name} ${l.width}x${l.height}`);
  }
}
console.log(index.join("\n"));
console.log(seen.size, "layouts", Math.round(ms), "ms", JSON.stringify([...seen]).length, "bytes");
