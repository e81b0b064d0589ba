import type { catalogue } from '@conclave/algorithms';
import type { Protocol } from '@conclave/core/protocol';
import type { ChartLayout } from './chart-layout.js';
import { graphOf, keyOf } from './graph.js';
import { layOut } from './layout.js';

/** Layouts by the key of their graph, see `keyOf`. */
export type Layouts = Readonly<Record<string, ChartLayout>>;

/** The layouts of every role of some protocols: for the page, which cannot make them. */
export async function layoutsOfProtocols(protocols: readonly Protocol[]): Promise<Layouts> {
  const graphs = protocols.flatMap(({ roles }) => Object.values(roles).map(({ machine }) => graphOf(machine)));
  const distinct = new Map(graphs.map((graph) => [keyOf(graph), graph]));
  return Object.fromEntries(await Promise.all([...distinct].map(async ([key, graph]) => [key, await layOut(graph)] as const)));
}

/** The layouts of a catalogue: of each entry with its defaults, and with the options that have another statechart. */
export const layoutsOf = (entries: typeof catalogue): Promise<Layouts> =>
  layoutsOfProtocols(entries.flatMap(({ make, charted }) => [{}, ...charted].map((options) => make(options))));
