import type { AnyStateMachine } from 'xstate';
import { graphOf } from './graph.js';
import { layOut } from './layout.js';
import { mostBoxes } from './layouts-of.js';
import { rowsLayout } from './rows-layout.js';
import { chartSvg } from './svg.js';

/** A statechart as the studio draws it: an SVG. Runs in Node. */
export async function drawing(machine: AnyStateMachine, title: string): Promise<string> {
  const graph = graphOf(machine);
  const layout = graph.boxes.length <= mostBoxes ? await layOut(graph) : rowsLayout(graph);
  return chartSvg(graph, layout, title);
}
