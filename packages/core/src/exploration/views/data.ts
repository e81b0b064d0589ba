import type { Json, NodeId } from '../../protocol/node.js';
import { canonical } from '../worlds/canonical.js';
import { Unprovable } from './unprovable.js';

/** In a view: some node that is not in it. */
export const outside = '*';

/** Which nodes of a network stay, and the names that they get. */
export interface Renaming {
  readonly all: ReadonlySet<NodeId>;
  readonly names: ReadonlyMap<NodeId, NodeId>;
}

const isRecord = (data: Json): data is { readonly [key: string]: Json } =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

const isOutside = (data: Json, { all, names }: Renaming): boolean =>
  typeof data === 'string' && (data === outside || (all.has(data) && !names.has(data)));

/** An item of a list is left out if it is the name of a node outside, or has one as a field. */
const isLost = (item: Json, renaming: Renaming): boolean =>
  isOutside(item, renaming) ||
  (isRecord(item) && Object.values(item).some((field) => isOutside(field, renaming)));

/**
 * Data as a view has it: lists and records lose the nodes outside, any other mention of one becomes
 * {@link outside}; `numberAt` says what becomes of a number at a path.
 */
export function restricted(
  data: Json,
  renaming: Renaming,
  numberAt: (path: string, value: number) => number,
  path: string,
): Json {
  if (typeof data === 'number') return numberAt(path, data);
  if (typeof data === 'string')
    return renaming.names.get(data) ?? (isOutside(data, renaming) ? outside : data);
  if (typeof data !== 'object' || data === null) return data;
  const within = (item: Json, at: string) => restricted(item, renaming, numberAt, at);
  if (Array.isArray(data))
    return (data as readonly Json[]).flatMap((item) =>
      isLost(item, renaming) ? [] : [within(item, `${path}[]`)],
    );
  const kept: Record<string, Json> = {};
  for (const [key, value] of Object.entries(data)) {
    if (isOutside(key, renaming)) continue;
    const name = renaming.names.get(key);
    kept[name ?? key] = within(value, name === undefined ? `${path}.${key}` : `${path}.*`);
  }
  return kept;
}

/** No more than so many ways to join two views are tried. */
const mostJoins = 4096;

export function requireFew(joins: number): void {
  if (joins > mostJoins)
    throw new Unprovable(
      `two views can be joined in more than ${mostJoins} ways: they tell too little about the order of lists`,
    );
}

/** Every way to choose one of each. */
export function product<T>(choices: readonly (readonly T[])[]): readonly (readonly T[])[] {
  let chosen: readonly (readonly T[])[] = [[]];
  for (const options of choices) {
    requireFew(chosen.length * options.length);
    chosen = chosen.flatMap((before) => options.map((option) => [...before, option]));
  }
  return chosen;
}

/** All orders of some items. */
export function orders<T>(items: readonly T[]): readonly (readonly T[])[] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, index) =>
    orders(items.toSpliced(index, 1)).map((others) => [item, ...others]),
  );
}

/** Data that one view has and another one cannot show: a node outside may be `name`. */
export function widened(data: Json, name: NodeId): readonly Json[] {
  if (data === outside) return [outside, name];
  if (typeof data !== 'object' || data === null) return [data];
  if (Array.isArray(data))
    return product((data as readonly Json[]).map((item) => widened(item, name)));
  const keys = Object.keys(data);
  return product(keys.map((key) => widened((data as Record<string, Json>)[key] ?? null, name))).map(
    (values) => Object.fromEntries(keys.map((key, index) => [key, values[index] ?? null])),
  );
}

/** Two nodes of a world; the first view lacks `first`, the second one lacks `second`. */
export interface Missing {
  readonly first: NodeId;
  readonly second: NodeId;
}

const mentions = (item: Json, name: NodeId): boolean =>
  item === name || (isRecord(item) && Object.values(item).includes(name));

/** All data whose view without `missing.first` is `one`, and without `missing.second` `other`. */
export function joined(one: Json, other: Json, missing: Missing): readonly Json[] {
  if (typeof one === 'string' && typeof other === 'string') {
    if (one === other) return one === missing.first || one === missing.second ? [] : [one];
    if (one === outside && other === missing.first) return [other];
    return other === outside && one === missing.second ? [one] : [];
  }
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return one === other ? [one] : [];
  if (Array.isArray(one) !== Array.isArray(other)) return [];
  return Array.isArray(one)
    ? joinedLists(one as readonly Json[], other as readonly Json[], missing)
    : joinedRecords(one as Record<string, Json>, other as Record<string, Json>, missing);
}

/** The order of an item that only one has and one that only the other has is not known. */
function joinedLists(
  one: readonly Json[],
  other: readonly Json[],
  missing: Missing,
): readonly (readonly Json[])[] {
  const [a, ...restOfOne] = one;
  const [b, ...restOfOther] = other;
  if (a === undefined && b === undefined) return [[]];
  const found: (readonly Json[])[] = [];
  const onlyOne = a !== undefined && mentions(a, missing.second);
  const onlyOther = b !== undefined && mentions(b, missing.first);
  if (onlyOne) for (const rest of joinedLists(restOfOne, other, missing)) found.push([a, ...rest]);
  if (onlyOther)
    for (const rest of joinedLists(one, restOfOther, missing)) found.push([b, ...rest]);
  if (!onlyOne && !onlyOther && a !== undefined && b !== undefined)
    for (const item of joined(a, b, missing))
      for (const rest of joinedLists(restOfOne, restOfOther, missing)) found.push([item, ...rest]);
  requireFew(found.length);
  return found;
}

function joinedRecords(
  one: Readonly<Record<string, Json>>,
  other: Readonly<Record<string, Json>>,
  missing: Missing,
): readonly Json[] {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const choices = keys.map((key) => {
    const [a, b] = [one[key], other[key]];
    if (a !== undefined && b !== undefined) return joined(a, b, missing);
    if (a !== undefined) return key === missing.second ? widened(a, missing.first) : [];
    return key === missing.first ? widened(b ?? null, missing.second) : [];
  });
  return product(choices).map((values) =>
    Object.fromEntries(keys.map((key, index) => [key, values[index] ?? null])),
  );
}

/**
 * Why data cannot be put together from its views; undefined if it can: then no item of a list
 * mentions two nodes, and no entry of a node has a list or record of others.
 */
export function inseparable(data: Json, free: ReadonlySet<NodeId>): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const items = Array.isArray(data) ? (data as readonly Json[]) : undefined;
  for (const [key, value] of Object.entries(data as Readonly<Record<string, Json>>)) {
    const named = mentioned(value, free);
    if (items ? named.size > 1 : free.has(key) && hasInner(value, free))
      return canonical(items ? value : { [key]: value });
    const inner = inseparable(value, free);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** The nodes that data mentions. */
export function mentioned(data: Json, among: ReadonlySet<NodeId>): ReadonlySet<NodeId> {
  const found = new Set<NodeId>();
  const visit = (value: Json): void => {
    if (typeof value === 'string' && among.has(value)) found.add(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [key, item] of Object.entries(value as Readonly<Record<string, Json>>)) {
      if (!Array.isArray(value) && among.has(key)) found.add(key);
      visit(item);
    }
  };
  visit(data);
  return found;
}

/** Whether lists or records inside of `data` mention nodes. */
function hasInner(data: Json, free: ReadonlySet<NodeId>): boolean {
  if (typeof data !== 'object' || data === null) return false;
  if (Array.isArray(data)) return mentioned(data as Json, free).size > 0;
  return Object.entries(data as Readonly<Record<string, Json>>).some(
    ([key, value]) => free.has(key) || hasInner(value, free),
  );
}
