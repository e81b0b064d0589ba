import type { AnyStateMachine } from 'xstate';
import { memo } from '../base/memo.js';
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

export function addLayouts(added: Layouts): void {
  for (const [key, layout] of Object.entries(added)) layouts.set(key, layout);
}

/** The drawing of a machine; one that no layout is known of is laid out by rows. */
export const drawnChart = memo((machine: AnyStateMachine, title: string): Drawn => {
  const graph = graphOf(machine);
  const layout = layouts.get(keyOf(graph)) ?? rowsLayout(graph);
  return { graph, layout, svg: chartSvg(graph, layout, title) };
});
