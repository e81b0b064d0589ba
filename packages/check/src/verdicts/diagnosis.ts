/** Why a system has more worlds than a search can take: which of its parts have many values. */
import type { Json, LocalState, NodeId } from '@conclave/core/protocol';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { NodeConfiguration } from '../search/tables/encoding.js';
import { canonical } from '../worlds/canonical.js';
import type { Clockwork } from '../worlds/time.js';
import type { Exploration } from './exploration.js';

/** What makes the worlds of a system many: how many different values its parts take. */
export type Diagnosis = Exploration['diagnosis'];

/** What {@link diagnose} reads of a compiled system. */
export interface Diagnosed {
  readonly worlds: Pick<CompiledWorlds['worlds'], 'topology' | 'clockwork'>;
  readonly configurations: readonly { readonly items: readonly NodeConfiguration[] }[];
  readonly parcels: { readonly messages: { readonly items: { readonly length: number } } };
  readonly contents: { readonly size: number };
}

/** Counts the values in the tables of a search. `complete`: whether the search was. */
export function diagnose(
  { configurations, worlds, parcels, contents }: Diagnosed,
  complete: boolean,
): Diagnosis {
  const { nodes } = worlds.topology;
  /** By field: its values as text, and those already seen; many states share them. */
  const values = new Map<string, { readonly texts: Set<string>; readonly seen: Set<unknown> }>();
  for (const state of new Set(
    configurations.flatMap(({ items }) => items.map((item) => item.state)),
  ))
    for (const [field, value] of Object.entries(dataOf(state))) {
      const { texts, seen } = values.get(field) ?? { texts: new Set(), seen: new Set() };
      if (seen.size === 0) values.set(field, { texts, seen });
      if (seen.has(value)) continue;
      seen.add(value);
      texts.add(canonical(value));
    }
  const fields = [...values]
    .map(([field, { texts }]) => [field, texts.size] as const)
    .sort(([, a], [, b]) => b - a);
  return {
    nodes: Object.fromEntries(
      nodes.map((id, index) => [id, configurations[index]?.items.length ?? 0]),
    ),
    fields: Object.fromEntries(fields),
    messages: parcels.messages.items.length,
    contents: contents.size,
    ...fineTime(worlds.clockwork, configurations),
    growing: complete
      ? []
      : growth(
          configurations.map(({ items }) => items),
          new Set(nodes),
        ),
  };
}

/** The context, and the history variable if there is one. */
const dataOf = ({ context, recorded }: LocalState): LocalState['context'] =>
  recorded === undefined ? context : { ...context, 'history variable': recorded };

/** More ticks than this in one delay are worth a hint. */
const mostTicks = 200;

function fineTime(
  clockwork: Clockwork | undefined,
  configurations: Diagnosed['configurations'],
): Pick<Diagnosis, 'fineTime'> {
  if (!clockwork || clockwork.tick === 0) return {};
  const { tick } = clockwork;
  const timers = configurations.flatMap(({ items }) =>
    items.map(({ state }) => Math.max(0, ...state.timers.map(({ delay }) => delay))),
  );
  const longest = timers.reduce((most, delay) => Math.max(most, delay), clockwork.longest);
  return longest > mostTicks * tick ? { fineTime: { tick, longest } } : {};
}

/** A field with fewer values is not considered a counter. */
const fewest = 8;

/**
 * Guesses which counters grow forever. The configurations of a node are in the order in which a
 * breadth-first search found them, so a bounded counter reaches its maximum early. A counter grows
 * if it has many values, and larger ones in the last third of the configurations than before.
 */
function growth(
  configurations: readonly (readonly NodeConfiguration[])[],
  ids: ReadonlySet<NodeId>,
): Diagnosis['growing'] {
  const growing = new Map<string, Diagnosis['growing'][number]>();
  for (const items of configurations)
    for (const [field, { least, early, late, values }] of rangesOf(items, ids)) {
      if (late <= early || values.size < fewest) continue;
      const known = growing.get(field);
      growing.set(field, {
        field,
        least: Math.min(least, known?.least ?? least),
        most: Math.max(late, known?.most ?? late),
      });
    }
  return [...growing.values()];
}

interface Range {
  least: number;
  /** The largest value before the last third of the configurations, and in it. */
  early: number;
  late: number;
  readonly values: Set<number>;
}

function rangesOf(
  configurations: readonly NodeConfiguration[],
  ids: ReadonlySet<NodeId>,
): ReadonlyMap<string, Range> {
  const ranges = new Map<string, Range>();
  for (const [index, { state }] of configurations.entries()) {
    const isLate = index >= (configurations.length * 2) / 3;
    for (const [field, value] of numbersIn(dataOf(state), ids)) {
      const range = ranges.get(field) ?? {
        least: value,
        early: -Infinity,
        late: -Infinity,
        values: new Set(),
      };
      ranges.set(field, range);
      range.least = Math.min(range.least, value);
      if (isLate) range.late = Math.max(range.late, value);
      else range.early = Math.max(range.early, value);
      range.values.add(value);
    }
  }
  return ranges;
}

function* numbersIn(
  value: Json,
  ids: ReadonlySet<NodeId>,
  path = '',
): Generator<readonly [field: string, value: number]> {
  if (typeof value === 'number') yield [path, value];
  else if (Array.isArray(value)) for (const item of value) yield* numbersIn(item, ids, `${path}[]`);
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) {
      yield* numbersIn(inner, ids, path === '' ? key : `${path}.${ids.has(key) ? '*' : key}`);
    }
}
