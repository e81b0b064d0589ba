import type { Json } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { valueText } from '../../trace/text.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { NodeTable } from './system-tables.js';

/** A local state with its number in the explorer. */
export interface SortedState {
  readonly old: number;
  readonly state: LocalState;
  readonly name: string;
}

/** The local states of a node, by the name of their state. */
export function sortedStates(
  { configurations }: CompiledWorlds,
  node: number,
): readonly SortedState[] {
  const byState = new Map<number, LocalState>();
  const table = configurations[node];
  for (const [place, { state }] of (table?.items ?? []).entries())
    byState.set(table?.stateOf(place) ?? -1, state);
  return [...byState]
    .map(([old, state]) => ({ old, state, name: nameOf(state.value as Json) })) // plain data
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.old - b.old));
}

/** `client.wanted` */
function nameOf(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}.${nameOf(inner)}`)
    .join('+');
}

export function nodeTable(
  compiled: CompiledWorlds,
  node: number,
  sorted: readonly SortedState[],
): NodeTable {
  const { commands, initial, topology } = compiled.worlds;
  const id = topology.nodes[node] as string; // a number of a node
  const types = [...new Set(commands.obligatory.map(({ type }) => type))];
  const isDue = (type: string, state: LocalState) =>
    commands.after(id, state, { commands: [], fulfilled: [type] }).fulfilled.length > 0;
  const first = new Int32Array(compiled.width);
  compiled.initial(first);
  const start = compiled.configurations[node]?.stateOf(first[node] ?? 0);
  return {
    id,
    states: sorted.map(({ state, name }) => ({ name, detail: detailOf(state), state })),
    initial: sorted.findIndex(({ old }) => old === start),
    counters: (initial.remaining.commands[id] ?? []).map((count, index) => ({
      name: commands.optional[commands.counts.indexOf(index)]?.type ?? '',
      initial: count,
    })),
    conditions: types
      .map((type) => ({
        type,
        states: new Set(
          sorted.flatMap(({ state }, number) => (isDue(type, state) ? [number] : [])),
        ),
      }))
      .filter(({ states }) => states.size > 0),
  };
}

function detailOf({ context, timers, recorded, tags }: LocalState): string {
  const parts: Readonly<Record<string, unknown>> = {
    ...context,
    ...(timers.length > 0 && { timers: timers.map(({ id }) => id) }),
    ...(recorded !== undefined && { recorded }),
    ...(tags.length > 0 && { tags }),
  };
  return valueText(parts as Json); // a local state is plain data
}

/** Where a node may crash; undefined: everywhere. */
export function crashStates(
  { worlds }: CompiledWorlds,
  node: number,
  sorted: readonly SortedState[],
): ReadonlySet<number> | undefined {
  const id = worlds.topology.nodes[node] as string; // a number of a node
  if (worlds.budget.mayCrash === undefined) return undefined;
  return new Set(
    sorted.flatMap(({ state }, number) => (worlds.mayCrash(id, state) ? [number] : [])),
  );
}
