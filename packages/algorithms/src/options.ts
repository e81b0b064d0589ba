/**
 * What the options of protocols may be. Factories, the catalogue and the command line check them by
 * the same schemas.
 */
import { checkOptions, schemas } from '@conclave/core/internal';
import { ConclaveError, type Json, type NodeId, type Protocol } from '@conclave/core/protocol';
import { chain, complete, ring, type Topology } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';

/** One option. The command line offers it by its type and meaning. */
export interface OptionSchema {
  /** `list`: of texts, with commas between them. */
  readonly type: 'boolean' | 'number' | 'string' | 'list';
  readonly meaning: string;
  readonly schema: ReturnType<typeof schemas.optional>;
}

/** One for each key of the interface `Options`. */
export type OptionSchemas<Options> = { readonly [Name in keyof Options]-?: OptionSchema };

type Schemas<Options> = { readonly [Name in keyof Options]-?: Pick<OptionSchema, 'schema'> };

/**
 * The options of the factory `where`.
 *
 * @throws {ConclaveError} `bad-input`: an unknown option, with the nearest known one; a value of
 * another type, or out of range.
 */
export function validOptions<Options extends object>(
  where: string,
  known: Schemas<Options>,
  options: Options,
): Options {
  const entries = Object.entries<Pick<OptionSchema, 'schema'>>(known).map(([name, { schema }]) => [
    name,
    schemas.optional(schema),
  ]);
  checkOptions(where, schemas.optionsOf(Object.fromEntries(entries)), options);
  return options;
}

const longestTimer = 2 ** 31 - 1; // what setTimeout takes

export const flag = (meaning: string): OptionSchema => ({
  type: 'boolean',
  meaning,
  schema: schemas.flag,
});
export const whole = (least: number, meaning: string): OptionSchema => ({
  type: 'number',
  meaning,
  schema: schemas.whole(least),
});
export const time = (
  meaning: string,
  schema: OptionSchema['schema'] = schemas.measureAbove0('milliseconds', longestTimer),
): OptionSchema => ({
  type: 'number',
  meaning: `${meaning}, in ms`,
  schema,
});
export const text = (meaning: string): OptionSchema => ({
  type: 'string',
  meaning,
  schema: schemas.text,
});
export const oneOf = (words: readonly string[], meaning: string): OptionSchema => ({
  type: 'string',
  meaning,
  schema: schemas.oneOf(words),
});
/** A protocol that is a part of another one. */
export const part = (meaning: string): OptionSchema => ({
  type: 'string',
  meaning,
  schema: schemas.protocol,
});

export const cancel = flag('the application may withdraw a request');

/**
 * The least that a timer of real time can keep, in milliseconds. `setTimeout` counts whole
 * milliseconds, fires up to one of them early and some late, and browsers wait 4 ms at least: of
 * shorter times, too little is left to tell one from the next.
 */
export const shortestTimer = 10;

/** `times` of a protocol: these, each at least `least` in real time. */
export const timers = (
  times: Readonly<Record<string, number>>,
  least = shortestTimer,
): NonNullable<Protocol['times']> =>
  Object.fromEntries(Object.entries(times).map(([option, ms]) => [option, { ms, least }]));

// The networks of protocols with an option that names a node, such as the one that has the token at
// first.

type Need = Protocol['topology'];

/** The name of the option, and the node; undefined: the option is not given. */
type Naming = (option: string, node: NodeId | undefined) => Need;

/** A complete network, with the named node. */
export const completeWith: Naming = (...named) => withNode(needs.complete, complete, ...named);

/** The same for a one-way ring. */
export const ringWith: Naming = (...named) =>
  withNode(needs.oneWayRing, (ids) => ring(ids), ...named);

/** The same for a connected network. */
export const connectedWith: Naming = (...named) => withNode(needs.connected, chain, ...named);

/** The same for a tree. */
export const treeWith: Naming = (...named) => withNode(needs.tree, chain, ...named);

function withNode(
  need: Need,
  of: (ids: readonly NodeId[]) => Topology,
  option: string,
  node: NodeId | undefined,
): Need {
  if (node === undefined) return need;
  return {
    ...need,
    named: { option, node },
    refuses: (topology) =>
      need.refuses(topology) ??
      (topology.has(node) ? undefined : `there is no node '${node}', which ${option} names`),
    example: (n) => of([node, ...need.example(n).nodes.filter((id) => id !== node)].slice(0, n)),
  };
}

// Options that are protocols, as texts.

/**
 * The name of a part and its options as text, which {@link partOf} parses.
 *
 * @example partText(raymond({ greedy: 2 })) // 'raymond?greedy=2'
 */
export function partText({ name, options = {} }: Protocol): string {
  const query = new URLSearchParams(
    Object.entries(options).map(([option, value]): [string, string] => [option, optionText(value)]),
  );
  return query.size === 0 ? name : `${name}?${query}`;
}

/** The part that `text` names, as `make` makes it: `raymond`, `raymond?greedy=2`. */
export function partOf(
  text: string,
  make: (name: string, options: Readonly<Record<string, Json>>) => Protocol,
): Protocol {
  const [name = '', query = ''] = text.split(/\?(.*)/s);
  return make(
    name,
    Object.fromEntries(
      [...new URLSearchParams(query)].map(([option, value]) => [option, optionJson(value)]),
    ),
  );
}

/** As JSON, except for strings that do not parse as JSON. */
const optionText = (value: Json) =>
  typeof value === 'string' && optionJson(value) === value ? value : JSON.stringify(value);

function optionJson(value: string): Json {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

// How long a lease counts for the one that has it, and how short it may be.

/**
 * Who gives a lease keeps it for at least lease · (1 − drift). Who has it counts it for at most
 * validity · (1 + drift), from an earlier moment on. So validity is the largest multiple of
 * `renewal` that is less than lease · (1 − drift) / (1 + drift).
 *
 * @throws {ConclaveError} `bad-input` where two renewals do not fit into it.
 */
export function validityOf(
  who: string,
  { lease, drift, renewal }: Readonly<Record<'lease' | 'drift' | 'renewal', number>>,
): number {
  const validity = (Math.ceil((lease * (1 - drift)) / (1 + drift) / renewal) - 1) * renewal;
  if (validity >= 2 * renewal) return validity;
  throw new ConclaveError(
    'bad-input',
    `${who}: a lease of ${lease} ms is too short for two renewals, ${renewal} ms each, with a drift of ${drift}`,
    'Give a longer lease, or renew more often.',
  );
}

/**
 * In real time a timer may end 1 ms early, which must be within the drift. No clock is better than
 * the least drift that there is.
 */
export const shortestLease = (drift: number): number => 1 / Math.max(drift, 1e-6);
