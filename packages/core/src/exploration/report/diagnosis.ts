import type { Json, NodeId } from '../../protocol/node.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { NodeConfiguration } from '../compiled/configuration-table.js';
import { canonical } from '../worlds/canonical.js';

/** What multiplies the worlds of a system: how many different values its parts take. */
export interface Diagnosis {
  /** By node: its different local states. */
  readonly nodes: Readonly<Record<NodeId, number>>;
  /** By context field: its different values over all nodes, most first. */
  readonly fields: Readonly<Record<string, number>>;
  /** Different messages, and different contents of a channel. */
  readonly messages: number;
  readonly contents: number;
  /** Counters that look as if they grow without bound; none when the search came to an end. */
  readonly growing: readonly Growth[];
}

/** A number in the context, and its range as far as the search got: `clock`, `deferred[].ts`, or `known.*` in an object by node. */
export interface Growth {
  readonly field: string;
  readonly least: number;
  readonly most: number;
}

/** What {@link diagnose} reads of a compiled system. */
export interface Diagnosed {
  readonly worlds: Pick<CompiledWorlds['worlds'], 'topology'>;
  readonly configurations: readonly { readonly items: readonly NodeConfiguration[] }[];
  readonly messages: { readonly items: { readonly length: number } };
  readonly contents: { readonly size: number };
}

/** Reads off the tables of a search what its worlds are made of; `complete`: the search came to an end. */
export function diagnose({ configurations, worlds, messages, contents }: Diagnosed, complete: boolean): Diagnosis {
  const { nodes } = worlds.topology;
  const values = new Map<string, Set<string>>();
  for (const { items } of configurations)
    for (const { state } of items)
      for (const [field, value] of Object.entries(state.context)) {
        const known = values.get(field) ?? new Set();
        values.set(field, known.add(canonical(value)));
      }
  const fields = [...values].map(([field, known]) => [field, known.size] as const).sort(([, a], [, b]) => b - a);
  return {
    nodes: Object.fromEntries(nodes.map((id, index) => [id, configurations[index]?.items.length ?? 0])),
    fields: Object.fromEntries(fields),
    messages: messages.items.length,
    contents: contents.size,
    growing: complete
      ? []
      : growth(
          configurations.map(({ items }) => items),
          new Set(nodes),
        ),
  };
}

/** Fewer different values do not make a counter. */
const fewest = 8;

/**
 * Guesses which counters grow for ever. The places of a node stand in the order in which a breadth-first search found them, so a bounded
 * counter comes to its end early: one grows if the last third of the places holds greater values than all before, and it took many values.
 */
function growth(places: readonly (readonly NodeConfiguration[])[], ids: ReadonlySet<NodeId>): readonly Growth[] {
  const growing = new Map<string, Growth>();
  for (const items of places)
    for (const [field, { least, early, late, values }] of rangesOf(items, ids)) {
      if (late <= early || values.size < fewest) continue;
      const known = growing.get(field);
      growing.set(field, { field, least: Math.min(least, known?.least ?? least), most: Math.max(late, known?.most ?? late) });
    }
  return [...growing.values()];
}

interface Range {
  least: number;
  /** The greatest value up to the last third of the places, and in it. */
  early: number;
  late: number;
  readonly values: Set<number>;
}

function rangesOf(places: readonly NodeConfiguration[], ids: ReadonlySet<NodeId>): ReadonlyMap<string, Range> {
  const ranges = new Map<string, Range>();
  for (const [index, { state }] of places.entries()) {
    const isLate = index >= (places.length * 2) / 3;
    for (const [field, value] of numbersIn(state.context, ids)) {
      const range = ranges.get(field) ?? { least: value, early: -Infinity, late: -Infinity, values: new Set() };
      ranges.set(field, range);
      range.least = Math.min(range.least, value);
      if (isLate) range.late = Math.max(range.late, value);
      else range.early = Math.max(range.early, value);
      range.values.add(value);
    }
  }
  return ranges;
}

function* numbersIn(value: Json, ids: ReadonlySet<NodeId>, path = ''): Generator<readonly [field: string, value: number]> {
  if (typeof value === 'number') yield [path, value];
  else if (Array.isArray(value)) for (const item of value) yield* numbersIn(item, ids, `${path}[]`);
  else if (value !== null && typeof value === 'object')
    for (const [key, inner] of Object.entries(value)) {
      yield* numbersIn(inner, ids, path === '' ? key : `${path}.${ids.has(key) ? '*' : key}`);
    }
}
