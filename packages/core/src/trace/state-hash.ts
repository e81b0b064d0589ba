import type { AnyStateNode, StateValue } from 'xstate';
import type { Protocol } from '../protocol/protocol.js';
import { stateNodes } from '../protocol/regions.js';

/*
 * Two multiplicative hashes of 32 bits side by side, with the multipliers of cyrb53 and the finish
 * of MurmurHash3. Not cryptographic. The entries of an object are hashed one by one and added up,
 * so their order does not count, and nothing is sorted.
 */
let high = 0;
let low = 0;

const highSeed = 0xdeadbeef;
const lowSeed = 0x41c6ce57;

function feed(code: number): void {
  high = Math.imul(high ^ code, 2654435761);
  low = Math.imul(low ^ code, 1597334677);
}

const mixed = (bits: number): number => {
  let hash = Math.imul(bits ^ (bits >>> 16), 2246822507);
  hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
  return hash ^ (hash >>> 16);
};

/** Codes of characters are below 0x10000. */
const kinds = {
  string: 0x10000,
  integer: 0x10001,
  number: 0x10002,
  list: 0x10003,
  object: 0x10004,
  word: 0x10005,
} as const;

function feedText(text: string, kind: number): void {
  feed(kind);
  for (let index = 0; index < text.length; index++) feed(text.charCodeAt(index));
  feed(text.length);
}

function feedValue(value: unknown): void {
  if (typeof value === 'string') feedText(value, kinds.string);
  else if (typeof value === 'number' && (value | 0) === value) {
    feed(kinds.integer);
    feed(value | 0); // −0 is 0, as in JSON
  } else if (Array.isArray(value)) {
    feed(kinds.list);
    for (const item of value) feedValue(item);
    feed(value.length);
  } else if (typeof value === 'object' && value !== null)
    feedSum(sumOf(value as Readonly<Record<string, unknown>>));
  else feedText(String(value), typeof value === 'number' ? kinds.number : kinds.word);
}

/** The entries of an object, added up. */
interface Sum {
  high: number;
  low: number;
}

/** Leaves the hash so far as it is. */
function sumOf(fields: Readonly<Record<string, unknown>>): Sum {
  const outerHigh = high;
  const outerLow = low;
  const sum: Sum = { high: 0, low: 0 };
  for (const key in fields) {
    const item = fields[key];
    if (item === undefined) continue;
    high = highSeed;
    low = lowSeed;
    feedText(key, kinds.string);
    feedValue(item);
    sum.high = (sum.high + mixed(high)) | 0;
    sum.low = (sum.low + mixed(low ^ high)) | 0;
  }
  high = outerHigh;
  low = outerLow;
  return sum;
}

function feedSum(sum: Sum): void {
  feed(kinds.object);
  feed(sum.high);
  feed(sum.low);
}

/** The hash so far after the key of a field, and after its item, where that is no object. */
interface Field {
  readonly high: number;
  readonly low: number;
  item: unknown;
  readonly entry: Sum;
}

/**
 * The hashes of the states of one node, as {@link stateHash}. What it knows of the step before is
 * not computed again: the keys, and the fields that are no objects and have not changed.
 */
export class StateHashes {
  readonly #fields = new Map<string, Field>();
  readonly #values = new WeakMap<object, Sum>();

  of(value: StateValue, context: object, timers: readonly string[]): string {
    high = highSeed;
    low = lowSeed;
    if (typeof value === 'string') feedValue(value);
    else feedSum(this.#sumOfValue(value));
    feedSum(this.#sumOf(context));
    feedValue(timers);
    return hex(mixed(high)) + hex(mixed(low ^ high));
  }

  /** A value is not changed in place. */
  #sumOfValue(value: object): Sum {
    const known = this.#values.get(value);
    if (known) return known;
    const sum = sumOf(value as Readonly<Record<string, unknown>>); // it is one
    this.#values.set(value, sum);
    return sum;
  }

  #sumOf(context: object): Sum {
    const [outerHigh, outerLow] = [high, low];
    const sum: Sum = { high: 0, low: 0 };
    const fields = context as Readonly<Record<string, unknown>>; // an object
    for (const key in fields) {
      const item = fields[key];
      if (item === undefined) continue;
      const field = this.#fields.get(key) ?? this.#begun(key);
      if (field.item !== item || typeof item === 'object') {
        high = field.high;
        low = field.low;
        feedValue(item);
        field.item = item;
        field.entry.high = mixed(high);
        field.entry.low = mixed(low ^ high);
      }
      sum.high = (sum.high + field.entry.high) | 0;
      sum.low = (sum.low + field.entry.low) | 0;
    }
    [high, low] = [outerHigh, outerLow];
    return sum;
  }

  #begun(key: string): Field {
    high = highSeed;
    low = lowSeed;
    feedText(key, kinds.string);
    const field: Field = { high, low, item: undefined, entry: { high: 0, low: 0 } };
    this.#fields.set(key, field);
    return field;
  }
}

/** Each byte as two digits: numbers as text take longer. */
const digits: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
);

const hex = (bits: number): string =>
  `${digits[bits >>> 24]}${digits[(bits >>> 16) & 255]}${digits[(bits >>> 8) & 255]}${digits[bits & 255]}`;

/**
 * A hash of 64 bits, as 16 hexadecimal digits, of the state of a node: its value, its context, and
 * the ids of its armed timers in the order they were armed. Two states with the same canonical JSON
 * have the same hash. Not cryptographic.
 */
export function stateHash(value: StateValue, context: object, timers: readonly string[]): string {
  high = highSeed;
  low = lowSeed;
  feedValue(value);
  feedValue(context);
  feedValue(timers);
  return hex(mixed(high)) + hex(mixed(low ^ high));
}

/** A hash of 32 bits, as 8 hexadecimal digits, of a text. Not cryptographic. */
export function textSum(text: string): string {
  let bits = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
  return hex(mixed(bits));
}

const known = new WeakMap<Protocol['roles'], string>();

/**
 * 16 hexadecimal digits that differ between two versions of a protocol whose charts, messages or
 * stable fields differ. The bodies of guards and actions do not count: they change with each build.
 */
export function protocolFingerprint({ roles, messages, commands }: Protocol): string {
  const before = known.get(roles);
  if (before !== undefined) return before;
  const text = JSON.stringify([
    Object.entries(roles).map(([name, { machine, stable = [] }]) => [
      name,
      stable,
      stateNodes(machine).map(partsOf),
    ]),
    fieldsOf(messages),
    fieldsOf(commands),
  ]);
  const made = textSum(text) + textSum([...text].reverse().join(''));
  known.set(roles, made);
  return made;
}

const fieldsOf = (shapes: Protocol['messages']) =>
  Object.entries(shapes).map(([type, { fields = [] }]) => [type, fields]);

const partsOf = (node: AnyStateNode) => [
  node.id,
  node.type,
  node.tags,
  node.entry.map(nameOf),
  node.exit.map(nameOf),
  [...[...node.transitions.values()].flat(), ...(node.always ?? [])].map(
    ({ eventType, target, guard, actions }) => [
      eventType,
      (target ?? []).map(({ id }) => id),
      nameOf(guard),
      actions.map(nameOf),
    ],
  ),
];

/** What XState knows an action or a guard by; the functions of its own have a type. */
const nameOf = (part: unknown): string => {
  if (typeof part === 'string') return part;
  const isNamed =
    (typeof part === 'object' || typeof part === 'function') && part !== null && 'type' in part;
  return isNamed ? String(part.type) : typeof part;
};
