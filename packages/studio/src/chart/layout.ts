/**
 * Where the states and arrows of a chart are drawn, by the layered layout of ELK. It weighs 1.6 MB,
 * which few readers need: so the build lays out the catalogue, in Node, and the page has
 * only the numbers. Where it has none, a chart is laid out by rows (graph.ts).
 */
import type { Protocol } from '@conclave/core/protocol';
import type { ElkExtendedEdge, ElkNode } from 'elkjs/lib/elk.bundled.js';
import type { AnyStateMachine } from 'xstate';
import {
  type ChartBox,
  type ChartGraph,
  type ChartLayout,
  graphOf,
  isFramed,
  keyOf,
  type Layouts,
  labelRoom,
  padding,
  rowsLayout,
  textRoom,
} from './graph.js';
import { chartSvg } from './svg.js';

/** Panels are about this much wider than high. */
const aspect = 1.5;

/** Lays a graph out from above or from the left, whichever is shown larger. Runs in Node. */
export async function layOut(graph: ChartGraph): Promise<ChartLayout> {
  const [down, right] = await Promise.all([layOutTo(graph, 'DOWN'), layOutTo(graph, 'RIGHT')]);
  const size = ({ width, height }: ChartLayout) => Math.max(width / aspect, height);
  return size(right) < 0.8 * size(down) ? right : down;
}

async function layOutTo(graph: ChartGraph, direction: 'DOWN' | 'RIGHT'): Promise<ChartLayout> {
  const [root] = graph.boxes;
  if (!root) return { width: 0, height: 0, boxes: [], edges: [], labels: [] };
  const { default: elkjs } = await import('elkjs/lib/elk.bundled.js'); // 1.6 MB, which few need
  const elk = new elkjs.default();
  const known = new Map(graph.boxes.map((box, index) => [box.id, index] as const));
  const name = (id: string) => `box${known.get(id)}`;
  const nodeOf = (box: ChartBox): ElkNode => {
    const inner = graph.boxes.filter(({ parent }) => parent === box.id);
    const { width, height } = textRoom(box);
    const first = box.kind === 'initial' && {
      layoutOptions: { 'elk.layered.layering.layerConstraint': 'FIRST' },
    };
    if (inner.length === 0) return { id: name(box.id), width, height, ...first };
    const sides = isFramed(box) ? padding + 4 : 0;
    return {
      id: name(box.id),
      children: inner.map(nodeOf),
      layoutOptions: {
        'elk.padding': `[top=${height + 8},left=${sides},bottom=${sides},right=${sides}]`,
        'elk.nodeSize.constraints': 'MINIMUM_SIZE',
        'elk.nodeSize.minimum': `(${width},${height})`,
      },
    };
  };
  const edges = graph.edges.map((edge, index): ElkExtendedEdge => {
    const room = labelRoom(edge);
    return {
      id: `edge${index}`,
      sources: [name(edge.from)],
      targets: [name(edge.to)],
      ...(room.height > 0 && { labels: [{ id: `label${index}`, text: 'label', ...room }] }),
    };
  });
  const laidOut = await elk.layout({
    id: 'all',
    children: [nodeOf(root)],
    edges,
    layoutOptions: { ...options, 'elk.direction': direction },
  });
  return numbersOf(graph, laidOut);
}

const options = {
  'elk.algorithm': 'layered',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.padding': '[top=4,left=4,bottom=4,right=4]',
  'elk.spacing.nodeNode': '28',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '12',
  'elk.spacing.edgeLabel': '4',
  'elk.spacing.labelLabel': '6',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '14',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '12',
  'elk.layered.considerModelOrder.strategy': 'PREFER_NODES',
  'elk.layered.cycleBreaking.strategy': 'MODEL_ORDER',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.thoroughness': '20',
  'elk.layered.nodePlacement.favorStraightEdges': 'true',
  'elk.edgeLabels.placement': 'CENTER',
} as const;

/** The numbers of a layout, in the order of the graph. */
function numbersOf(graph: ChartGraph, all: ElkNode): ChartLayout {
  const boxes: number[][] = graph.boxes.map(() => []);
  const visit = ({ id, x = 0, y = 0, width = 0, height = 0, children = [] }: ElkNode) => {
    if (id !== 'all') boxes[Number(id.slice('box'.length))] = [x, y, width, height].map(Math.round);
    for (const child of children) visit(child);
  };
  visit(all);
  const sections = (all.edges ?? []).map(({ sections = [] }) => sections);
  return {
    width: Math.ceil(all.width ?? 0),
    height: Math.ceil(all.height ?? 0),
    boxes,
    edges: sections.map((parts) =>
      parts.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
        [startPoint, ...bendPoints, endPoint].flatMap(({ x, y }) => [Math.round(x), Math.round(y)]),
      ),
    ),
    labels: (all.edges ?? []).map(({ labels = [] }) =>
      labels.flatMap(({ x = 0, y = 0 }) => [Math.round(x), Math.round(y)]),
    ),
  };
}

/** Larger charts are laid out by rows: elkjs takes most of a minute for a thousand states. */
export const mostBoxes = 150;

/** The layouts of the charts of these protocols, but for very large ones. Runs in Node. */
export async function layoutsOf(protocols: readonly Protocol[]): Promise<Layouts> {
  const graphs = protocols
    .flatMap(({ roles, drawn = {} }) =>
      Object.entries(roles).map(([name, { machine }]) => graphOf(drawn[name] ?? machine)),
    )
    .filter(({ boxes }) => boxes.length <= mostBoxes);
  const byKey = new Map(graphs.map((graph) => [keyOf(graph), graph]));
  return Object.fromEntries(
    await Promise.all([...byKey].map(async ([key, graph]) => [key, await layOut(graph)] as const)),
  );
}

/** A statechart as the studio draws it: an SVG. Runs in Node. */
export async function drawing(machine: AnyStateMachine, title: string): Promise<string> {
  const graph = graphOf(machine);
  const layout = graph.boxes.length <= mostBoxes ? await layOut(graph) : rowsLayout(graph);
  return chartSvg(graph, layout, title);
}
