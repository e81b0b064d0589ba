import type { Protocol } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import { Bench, type Outcome, type WalkedSystem, walksText } from './bench.js';
import { mutantsOf } from './mutants.js';
import { allOperators, type Operator } from './operators.js';
import {
  countsOf,
  figuresOf,
  type Mutant,
  type MutantFinding,
  type MutationReport,
} from './report.js';
import {
  baselinesOf,
  defaultSystems,
  type MutationSystem,
  systemText,
  TimeLimit,
} from './systems.js';

export interface MutateOptions {
  /**
   * Where mutants are explored. Default: the protocol's own examples of two and three
   * nodes, with one and with two commands per node, as far as the protocol itself has few enough
   * states there.
   */
  readonly systems?: readonly MutationSystem[];
  /**
   * Larger systems, each with the number of walks through it (see `walk`), their steps at
   * most, and their seed (default 1): for the mutants that the systems leave unreached, survived or
   * inconclusive. Default: none.
   */
  readonly walks?: readonly (MutationSystem & {
    readonly walks: number;
    readonly steps: number;
    readonly seed?: number;
  })[];
  readonly limits?: {
    /**
     * How many states the protocol itself may have on a system; a mutant may have three times as
     * many. Default 20,000.
     */
    readonly states?: number;
    /**
     * After this time the remaining mutants are inconclusive. It includes the explorations of the
     * protocol itself. Default: no limit.
     */
    readonly seconds?: number;
    /** Polled; once it returns true, the remaining mutants are inconclusive. */
    readonly stop?: () => boolean;
  };
  /** Default: all. */
  readonly operators?: readonly Operator[];
  /**
   * States, by their paths such as `group`, whose mutants are left out, and those of the states
   * below: a region that is the machine of another protocol, and is mutated there. Default: none.
   */
  readonly leaveOut?: readonly string[];
  /**
   * Whether equivalent mutants are distinguished from survivors, which takes time. Default true.
   */
  readonly bisimulation?: boolean;
  /** Called after each mutant. */
  readonly onProgress?: (done: number, all: number, counts: MutationReport['counts']) => void;
}

const defaultStates = 20_000;

/**
 * Measures how strong the properties of a protocol are: generates every protocol that differs from
 * it in one place, explores each on small systems, and reports which of them the properties let
 * pass.
 *
 * @throws {ConclaveError} `bad-input`: a protocol that does not pass itself, a system that is too
 * large, an unknown operator.
 * @example mutate(ricartAgrawala).score // 0.97
 */
export function mutate(protocol: Protocol, options: MutateOptions = {}): MutationReport {
  return mutatePart(protocol, options, { index: 1, of: 1 });
}

/**
 * The same for a part of the mutants: the first, `index` 1, has the first of each `of` of them.
 * Neighbours are alike, so that the parts take about the same time.
 */
export function mutatePart(
  protocol: Protocol,
  options: MutateOptions,
  { index, of }: { readonly index: number; readonly of: number },
): MutationReport {
  const {
    limits = {},
    operators = allOperators,
    leaveOut = [],
    walks = [],
    bisimulation = true,
    onProgress,
  } = options;
  const timeLimit = new TimeLimit(limits);
  const { states = defaultStates } = limits;
  requireOperators(operators);
  const { explored, leftOut } = baselinesOf(protocol, options.systems, states, timeLimit);
  const bench = new Bench(protocol, explored, { states, bisimulation, timeLimit, walks });
  const mutants = chosenMutants(protocol, operators, leaveOut).filter(
    (_, place) => place % of === index - 1,
  );
  const findings: MutantFinding[] = [];
  for (const mutant of mutants) {
    const { id, operator, role, state, event, before, after } = mutant;
    const end = timeLimit.end;
    const fate: Outcome = end ? { fate: 'inconclusive', limit: end } : bench.judge(mutant);
    findings.push({ id, operator, role, state, event, before, after, ...fate });
    onProgress?.(findings.length, mutants.length, countsOf(findings));
  }
  const cut = findings.find(({ limit }) => limit === 'seconds' || limit === 'interrupted')?.limit;
  return {
    protocol: protocol.name,
    title: protocol.title,
    systems: explored.map(({ name, states }) => ({ name, states })),
    leftOut,
    walks: bench.walks,
    ...(cut ? { limit: cut } : {}),
    ...figuresOf(findings),
    fingerprint: mutationFingerprint(protocol, options.systems, walks),
    seconds: timeLimit.elapsed,
  };
}

/**
 * The mutants that {@link mutate} judges.
 * @throws {ConclaveError} `bad-input`: a state without mutants.
 */
export function chosenMutants(
  protocol: Protocol,
  operators: readonly Operator[] = allOperators,
  leaveOut: readonly string[] = [],
): readonly Mutant[] {
  const chosen = new Set(operators);
  return without(leaveOut, protocol).filter(({ operator }) => chosen.has(operator));
}

/**
 * The mutants of a protocol without those of some states.
 * @throws {ConclaveError} `bad-input` for a state that has none.
 */
function without(states: readonly string[], protocol: Protocol): readonly Mutant[] {
  const mutants = mutantsOf(protocol);
  const isIn = (whole: string, { state = '' }: Mutant) =>
    state === whole || state.startsWith(`${whole}.`);
  const stray = states.find((whole) => !mutants.some((mutant) => isIn(whole, mutant)));
  if (stray !== undefined)
    throw badInput(
      `mutate: leaveOut names '${stray}', a state without mutants`,
      'Name a state by its path, such as group.open.',
    );
  return mutants.filter((mutant) => !states.some((whole) => isIn(whole, mutant)));
}

function requireOperators(operators: readonly string[]): void {
  const known: readonly string[] = allOperators;
  const stray = operators.find((operator) => !known.includes(operator));
  if (stray !== undefined)
    throw badInput(`There is no mutation operator '${stray}'`, `There are ${known.join(', ')}.`);
}

/**
 * A text that changes when a report on `protocol` may be out of date: when its mutants, its
 * properties or the systems have changed. It needs no exploration.
 *
 * @example mutationFingerprint(ricartAgrawala) // '3f0c91d2…'
 */
function mutationFingerprint(
  protocol: Protocol,
  systems: readonly MutationSystem[] = defaultSystems(protocol),
  walks: readonly WalkedSystem[] = [],
): string {
  const parts = [
    ...mutantsOf(protocol).map(({ id, before, after }) => `${id} ${before} ${after}`),
    ...protocol.properties.map(({ kind, name }) => `${kind} ${name}`),
    ...systems.map(systemText),
    ...walks.map(walksText),
  ];
  return hashText(parts.join('\n'));
}

/** FNV-1a twice, with different offsets: not cryptographic. */
function hashText(text: string): string {
  const hash = (start: number) => {
    let bits = start;
    for (let index = 0; index < text.length; index++)
      bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
    return (bits >>> 0).toString(16).padStart(8, '0');
  };
  return hash(0x811c9dc5) + hash(0x2f9be6cc);
}
