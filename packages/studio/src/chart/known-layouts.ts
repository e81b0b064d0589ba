import type { AnyStateMachine } from 'xstate';
import type { ChartLayout, Layouts } from './chart-layout.js';
import { type ChartGraph, graphOf, keyOf } from './graph.js';
import { rowsLayout } from './rows-layout.js';
import { chartSvg } from './svg.js';

/** A statechart that can be shown. */
export interface Drawn {
  readonly graph: ChartGraph;
  readonly layout: ChartLayout;
  readonly svg: string;
}

const layouts = new Map<string, ChartLayout>();
const drawn = new WeakMap<AnyStateMachine, Drawn>();

export function addLayouts(added: Layouts): void {
  for (const [key, layout] of Object.entries(added)) layouts.set(key, layout);
}

/** The drawing of a machine; one that no layout is known of is laid out by rows. */
export function drawnChart(machine: AnyStateMachine, title: string): Drawn {
  const known = drawn.get(machine);
  if (known) return known;
  const graph = graphOf(machine);
  const layout = layouts.get(keyOf(graph)) ?? rowsLayout(graph);
  const made = { graph, layout, svg: chartSvg(graph, layout, title) };
  drawn.set(machine, made);
  return made;
}
