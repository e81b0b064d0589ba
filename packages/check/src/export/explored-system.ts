import { checkOptions, faults } from '@conclave/core/internal';
import type { Protocol, Verdict } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { withoutChance } from '../base/resumable.js';
import { assumptionsOf, discardedIn, discardsAssumed } from '../explore/assumptions.js';
import { Strategy } from '../explore/explore.js';
import type { ExploreOptions } from '../explore/options.js';
import { budgetIn, checkGiven, exploreOptions } from '../options/options.js';
import { LimitReached, Watch } from '../search/limits/limits.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Budget } from '../worlds/budget.js';
import { timeOf } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { type Formula, Formulas, type PropertyFormula } from './formulas.js';
import { modelledFaults, type SystemTables } from './system-tables.js';
import { tablesOf } from './tables-of.js';

/** A property of the protocol or a standard one, with what the explorer found. */
export interface JudgedProperty {
  readonly name: string;
  readonly kind: string;
  readonly verdict: Verdict;
  /** Absent for the standard ones, which follow from the tables. */
  readonly formula?: PropertyFormula;
}

/** What the explorer has found, for a model. */
export interface Found {
  /** The first lines of the model. */
  readonly head: readonly string[];
  readonly states: number;
  readonly transitions: number;
  readonly assumptions: readonly string[];
  readonly properties: readonly JudgedProperty[];
  /** That some live node waits; undefined if the protocol does not say when. */
  readonly waiting: Formula | undefined;
}

/**
 * A system, explored completely.
 *
 * @throws {ConclaveError} as `explore`; `bad-input` for what a model cannot say, and for a system
 * that is too large.
 */
export function exploredSystem(
  call: string,
  protocol: Protocol,
  topology: Topology,
  { head = [], ...options }: ExportOptions,
): { readonly tables: SystemTables; readonly found: Found } {
  checkGiven(call, { protocol, topology });
  checkOptions(call, exploreOptions, options);
  requireWithin(protocol, options);
  try {
    return withoutChance(() => explored(protocol, topology, options, head));
  } catch (reached) {
    if (!(reached instanceof LimitReached)) throw reached;
    throw tooLarge(topology, `was not explored within the limit of ${reached.limit}`);
  }
}

function explored(
  protocol: Protocol,
  topology: Topology,
  options: Omit<ExportOptions, 'head'>,
  head: readonly string[],
): { readonly tables: SystemTables; readonly found: Found } {
  const watch = new Watch(options.limits);
  const worlds = new Worlds(protocol, topology, budgetIn(options), () => watch.look());
  if (worlds.initial.starting)
    throw badInput(
      `Nodes of ${protocol.title} send at their start, and may crash in the middle of that; a model for another tool has no such start`,
      'Let nodes crash between steps only: atomicSteps, in the CLI --atomic-steps.',
    );
  const compiled = new CompiledWorlds(worlds, watch);
  const strategy = new Strategy(compiled, options, watch);
  const { search, judged } = strategy.judge();
  const { states, transitions, complete, limit } = search;
  if (!complete)
    throw tooLarge(topology, `has more than ${states} states; limit: ${limit ?? 'none'}`);
  const tables = tablesOf(compiled);
  const formulas = new Formulas(
    worlds,
    tables.nodes.map((node) => node.states.map(({ state }) => state)),
  );
  const declared = options.properties ?? protocol.properties;
  const properties = strategy.properties.all.map((property) => {
    const { name, kind } = property;
    const own = declared[strategy.properties.declared.indexOf(property)];
    const formula = own && formulas.of(own);
    return { name, kind, verdict: judged(property).verdict, ...(formula && { formula }) };
  });
  const assumptions = [
    ...assumptionsOf(protocol, topology, options),
    ...discardsAssumed(discardedIn(compiled)),
  ];
  return {
    tables,
    found: {
      head: [`${protocol.title} on ${topology.spec}`, ...head],
      ...{ states, transitions, assumptions, properties },
      waiting: formulas.waiting,
    },
  };
}

/** What is exported, and the limits of its exploration. */
export interface ExportOptions
  extends Budget,
    Pick<ExploreOptions, 'properties' | 'limits' | 'onProgress'> {
  /** Lines for the head of the file, such as who has written it. */
  readonly head?: readonly string[];
}

/** @throws {ConclaveError} `bad-input` for what only the explorer knows. */
function requireWithin(protocol: Protocol, options: ExportOptions): void {
  const lacks = 'and a model for another tool has none';
  if (timeOf(protocol, options) !== 'untimed')
    throw badInput(
      `${protocol.title} is explored in exact time, ${lacks}`,
      "Try time: 'untimed', in the CLI --time untimed: each timer may then fire at any moment.",
    );
  if (protocol.channels.sameProcess)
    throw badInput(
      `${protocol.title} has machines in one process, whose messages come first, ${lacks}`,
      'Export each machine alone.',
    );
  const missing = faults.faultNames.find(
    (name) => !modelledFaults.some((known) => known === name) && (options[name] ?? 0) > 0,
  );
  if (missing !== undefined)
    throw badInput(`The budget has ${missing}, ${lacks}`, 'Leave them out; losses are there.');
  if (options.unsent)
    throw badInput(
      'The budget has unsent, a crash that loses what was sent before, and a model for another tool has none',
      'Leave it out; a crash in the middle of a step is there.',
    );
}

/** The error for a system that was not searched to the end. */
export const tooLarge = ({ spec }: Topology, why: string) =>
  badInput(
    `The system on '${spec}' ${why}: there is no complete model of it`,
    'Take a smaller network, fewer commands and faults, or a higher limit.',
  );
