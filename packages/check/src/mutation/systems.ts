import { faults } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { badInput } from '../base/bad-input.js';
import { explore } from '../explore/explore.js';
import type { ExploreOptions } from '../explore/options.js';
import type { Limit, Limits } from '../search/limits/limits.js';
import type { Exploration } from '../verdicts/exploration.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';
import type { Budget } from '../worlds/budget.js';

/** A small system on which mutants are explored. */
export interface MutationSystem {
  readonly topology: Topology;
  readonly budget?: Budget;
  /** Default: weak, or strong where the protocol itself needs that. */
  readonly fairness?: 'none' | 'weak' | 'strong';
  /**
   * The properties that the protocol itself violates there, because the system breaks what it
   * assumes. The others judge its mutants. Default: none.
   */
  readonly violates?: readonly string[];
}

/** A system on which the protocol itself was explored. */
export interface Baseline {
  readonly system: MutationSystem;
  /** Such as `complete:2, commands 2`. */
  readonly name: string;
  readonly states: number;
  /** By property, what the protocol itself shows: see {@link shownOf}. */
  readonly verdicts: ReadonlyMap<string, string>;
}

/** The systems of a report, and those left out because they have more states than the limit. */
interface Baselines {
  /** The smallest first. */
  readonly explored: readonly Baseline[];
  readonly leftOut: readonly string[];
}

/**
 * The verdict; of a property that holds because it could not fail, that: a mutant in which nothing
 * changes any more is not as good as the original.
 */
export const shownOf = ({
  verdict,
  remark,
}: Pick<PropertyFinding, 'verdict' | 'remark'>): string =>
  remark === undefined ? verdict : 'unchanging';

/** Limits that end a search through a system that may be small enough. */
const isEnd = (limit: Limit | undefined) => limit === 'seconds' || limit === 'interrupted';

/**
 * The protocol's own examples of two and three nodes, with one and with two commands per node; also
 * with one fault of each kind that the channels allow.
 */
export function defaultSystems(
  protocol: Protocol,
  {
    topologies = examplesOfSize(protocol, [2, 3]),
    commands = [1, 2],
  }: { readonly topologies?: readonly Topology[]; readonly commands?: readonly number[] } = {},
): readonly MutationSystem[] {
  const least = Math.min(...commands);
  const budgets: readonly Budget[] = [
    ...commands.map((count) => ({ commands: count })),
    ...faults.channelFaultRows.flatMap(({ count, tolerance }) =>
      protocol.channels[tolerance] ? [{ commands: least, [count]: 1 }] : [],
    ),
  ];
  return topologies.flatMap((topology) => budgets.map((budget) => ({ topology, budget })));
}

/** The protocol's examples of these sizes, each once: some sizes have no example. */
function examplesOfSize(
  { topology: need }: Protocol,
  sizes: readonly number[],
): readonly Topology[] {
  const examples = new Map(
    sizes.map((n) => need.example(n)).map((topology) => [topology.spec, topology]),
  );
  return [...examples.values()].filter((topology) => need.refuses(topology) === undefined);
}

/** `complete:2, commands 2, losses 1`. */
export function systemText({ topology, budget = {}, fairness, violates }: MutationSystem): string {
  const said = Object.entries({
    ...budget,
    ...(fairness ? { fairness } : {}),
    ...(violates ? { violates: violates.map((name) => `'${name}'`) } : {}),
  }).map(([name, value]) => {
    if (name === 'inputs' && Array.isArray(value)) return `${value.length} commands`;
    if (typeof value === 'object' && !Array.isArray(value))
      return `${name} ${JSON.stringify(value)}`;
    return typeof value === 'function'
      ? name
      : `${name} ${Array.isArray(value) ? value.join(' ') : String(value)}`;
  });
  return [topology.spec, ...said].join(', ');
}

export const optionsOf = ({ budget = {}, fairness }: MutationSystem): ExploreOptions => ({
  ...budget,
  ...(fairness ? { fairness } : {}),
});

/** Whether one property that the protocol itself violates must not end the search for others. */
export const needsAll = ({ violates = [] }: MutationSystem): boolean => violates.length > 0;

/**
 * Explores the protocol itself; the systems for which there is no time are left out.
 *
 * @throws {ConclaveError} `bad-input` when it does not pass, naming the property; when a requested
 * system, or every one, has more states than `most`.
 */
export function baselinesOf(
  protocol: Protocol,
  wanted: readonly MutationSystem[] | undefined,
  most: number,
  timeLimit = new TimeLimit({}),
): Baselines {
  const systems = wanted ?? defaultSystems(protocol);
  const exploredBy = (system: MutationSystem) =>
    explore(protocol, system.topology, { ...optionsOf(system), limits: timeLimit.limitsOf(most) });
  const explored: Baseline[] = [];
  const leftOut: string[] = [];
  let isCut = false;
  for (const one of systems) {
    isCut ||= timeLimit.end !== undefined;
    if (isCut) {
      leftOut.push(systemText(one));
      continue;
    }
    let system = one;
    let found = exploredBy(system);
    // A response to a timer, or to a message that may be lost repeatedly, needs strong fairness.
    if (one.fairness === undefined && violatedIn(found, one)) {
      const strong = { ...one, fairness: 'strong' } as const;
      const again = exploredBy(strong);
      if (!violatedIn(again, one)) [system, found] = [strong, again];
    }
    const name = systemText(system);
    requirePassed(protocol, name, found, system);
    if (!found.complete) {
      isCut ||= isEnd(found.limit);
      leftOut.push(name);
      continue;
    }
    const verdicts = new Map(
      found.properties.map((property) => [property.name, shownOf(property)]),
    );
    explored.push({ system, name, states: found.states, verdicts });
  }
  explored.sort((a, b) => a.states - b.states);
  if (isCut) return { explored, leftOut };
  const [tooLarge] = leftOut;
  if (tooLarge !== undefined && (wanted !== undefined || explored.length === 0))
    throw badInput(
      `${protocol.title} has more than ${most} states on ${tooLarge}`,
      'Give a smaller system, or raise limits.states, on the command line --max-states.',
    );
  requireReached(protocol, explored);
  return { explored, leftOut };
}

const violatedIn = ({ properties }: Exploration, { violates = [] }: MutationSystem) =>
  properties.find(({ name, verdict }) => verdict === 'violated' && !violates.includes(name));

/** The protocol violates what the system says, and nothing else. */
function requirePassed(
  { title }: Protocol,
  where: string,
  found: Exploration,
  system: MutationSystem,
): void {
  const violated = violatedIn(found, system);
  if (violated)
    throw badInput(
      `${title} does not pass itself: on ${where}, '${violated.name}' is violated`,
      'Mutation needs a protocol that passes its own check. Run conclave check first, or choose the systems.',
    );
  const { violates = [] } = system;
  const stray = violates.find(
    (name) => !found.properties.some((one) => one.name === name && one.verdict === 'violated'),
  );
  if (stray !== undefined && found.complete)
    throw badInput(
      `${title}: '${stray}' is not violated on ${where}`,
      'Name in violates the properties that the protocol itself violates there.',
    );
}

/** A `sometimes` may be out of reach on the smallest systems, but not on all. */
function requireReached({ title }: Protocol, explored: readonly Baseline[]): void {
  const reached = new Set(
    explored.flatMap(({ verdicts }) =>
      [...verdicts].flatMap(([name, verdict]) => (verdict === 'reached' ? [name] : [])),
    ),
  );
  for (const { verdicts } of explored)
    for (const [name, verdict] of verdicts)
      if (verdict === 'unreached' && !reached.has(name))
        throw badInput(
          `${title} does not pass itself: '${name}' is not reached on ${explored.map(({ name }) => name).join('; ')}`,
          'Choose systems on which it is.',
        );
}

type Ended = Extract<Limit, 'interrupted' | 'seconds'>;

/** The time limit of a report, explorations of the protocol itself included. */
export class TimeLimit {
  readonly #start = performance.now();
  #ended: Ended | undefined;

  constructor(
    private readonly limits: { readonly seconds?: number; readonly stop?: () => boolean },
  ) {}

  /** Seconds since the beginning. */
  get elapsed(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /** Why to go no further. */
  get end(): Ended | undefined {
    const { seconds = Infinity, stop } = this.limits;
    this.#ended ??= stop?.() ? 'interrupted' : this.elapsed >= seconds ? 'seconds' : undefined;
    return this.#ended;
  }

  /** The limits of one exploration. */
  limitsOf(states: number): Limits {
    const { seconds, stop } = this.limits;
    return {
      states,
      ...(seconds === undefined ? {} : { seconds: Math.max(0, seconds - this.elapsed) }),
      ...(stop ? { stop: () => this.end === 'interrupted' } : {}),
    };
  }
}
