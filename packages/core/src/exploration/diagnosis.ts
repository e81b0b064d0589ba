import type { NodeId } from '../protocol/node.js';
import { canonical } from './canonical.js';
import type { CompiledWorlds } from './compiled.js';

/** What multiplies the worlds of a system: how many different values its parts take. */
export interface Diagnosis {
  /** By node: its different local states. */
  readonly nodes: Readonly<Record<NodeId, number>>;
  /** By context field: its different values over all nodes, most first. */
  readonly fields: Readonly<Record<string, number>>;
  /** Different messages, and different contents of a channel. */
  readonly messages: number;
  readonly contents: number;
}

/** Reads off the tables of a search what its worlds are made of. */
export function diagnose({ places, worlds, messages, contents }: CompiledWorlds): Diagnosis {
  const values = new Map<string, Set<string>>();
  for (const { items } of places)
    for (const { state } of items)
      for (const [field, value] of Object.entries(state.context)) {
        const known = values.get(field) ?? new Set();
        values.set(field, known.add(canonical(value)));
      }
  const fields = [...values].map(([field, known]) => [field, known.size] as const).sort(([, a], [, b]) => b - a);
  return {
    nodes: Object.fromEntries(worlds.topology.nodes.map((id, index) => [id, places[index]?.items.length ?? 0])),
    fields: Object.fromEntries(fields),
    messages: messages.items.length,
    contents: contents.size,
  };
}
