import type { AnyStateMachine } from 'xstate';
import { fallbackLayout } from '../../chart/fallback.js';
import { graphOf, keyOf } from '../../chart/graph.js';
import type { Layouts } from '../../chart/layouts.js';
import { chartSvg } from '../../chart/svg.js';

let layouts: Layouts | undefined;
const drawings = new WeakMap<AnyStateMachine, string>();

/** The statechart of a machine as SVG; with a plain layout of its own where the page has none for it. */
export function drawingOf(machine: AnyStateMachine, title: string): string {
  const known = drawings.get(machine);
  if (known !== undefined) return known;
  layouts ??= JSON.parse(document.getElementById('charts')?.textContent || '{}') as Layouts; // the page's own data
  const graph = graphOf(machine);
  const svg = chartSvg(graph, layouts[keyOf(graph)] ?? fallbackLayout(graph), title);
  drawings.set(machine, svg);
  return svg;
}
