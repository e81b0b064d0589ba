import { badInput, ConclaveError } from '../base/error.js';
import { explore } from '../exploration/explore/explore.js';
import { defineProtocol } from '../protocol/define-protocol.js';
import type { Protocol } from '../protocol/protocol.js';
import { stateNodes } from '../protocol/state-nodes.js';
import { handled } from '../protocol/unhandled-messages.js';
import { firstParting } from './bisimulation.js';
import { type Difference, differenceOf } from './difference.js';
import { type ExploredGraph, exploredGraph, timeIn } from './explored-graph.js';
import { mutationFingerprint } from './fingerprint.js';
import { Labels, Numbers, noteReads, StepReads } from './labels.js';
import type { Mutant } from './mutant.js';
import { mutantsOf } from './mutants.js';
import { allOperators, type Operator } from './operators.js';
import { Reached } from './reached.js';
import {
  byOperator,
  countsOf,
  type MutantFinding,
  type MutationReport,
  scoreOf,
} from './report.js';
import { type Baseline, baselinesOf, type MutationSystem, optionsOf, shownOf } from './systems.js';
import { TimeLimit } from './time-limit.js';

export interface MutateOptions {
  /**
   * Where mutants are explored. Default: {@link defaultSystems}, as far as the protocol itself has
   * few enough states there.
   */
  readonly systems?: readonly MutationSystem[];
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
  const {
    limits = {},
    operators = allOperators,
    leaveOut = [],
    bisimulation = true,
    onProgress,
  } = options;
  const timeLimit = new TimeLimit(limits);
  const { states = defaultStates } = limits;
  requireOperators(operators);
  const { explored, leftOut } = baselinesOf(protocol, options.systems, states, timeLimit);
  const bench = new Bench(protocol, explored, { states, bisimulation, timeLimit });
  const chosen = new Set(operators);
  const mutants = without(leaveOut, protocol).filter(({ operator }) => chosen.has(operator));
  const findings: MutantFinding[] = [];
  for (const mutant of mutants) {
    const { id, operator, role, state, event, before, after } = mutant;
    const end = timeLimit.end;
    const fate: Outcome = end ? { fate: 'inconclusive', limit: end } : bench.judge(mutant);
    findings.push({ id, operator, role, state, event, before, after, ...fate });
    onProgress?.(findings.length, mutants.length, countsOf(findings));
  }
  const counts = countsOf(findings);
  const cut = findings.find(({ limit }) => limit === 'seconds' || limit === 'interrupted')?.limit;
  return {
    protocol: protocol.name,
    title: protocol.title,
    systems: explored.map(({ name, states }) => ({ name, states })),
    leftOut,
    ...(cut ? { limit: cut } : {}),
    score: scoreOf(counts),
    counts,
    operators: byOperator(findings),
    mutants: findings,
    fingerprint: mutationFingerprint(protocol, options.systems),
    seconds: timeLimit.elapsed,
  };
}

type Outcome = Pick<MutantFinding, 'fate' | 'by' | 'system' | 'steps' | 'limit' | 'difference'>;

interface Original {
  readonly baseline: Baseline;
  readonly explored: ExploredGraph;
  readonly labels: Labels;
}

/** A protocol and its explored systems, with which mutants are compared. */
class Bench {
  readonly #originals: readonly Original[];
  readonly #reads = new StepReads();
  readonly #numbers = new Numbers();
  readonly #reached: Reached;
  /** In parallel states a transition that is never taken may still prevent another one. */
  readonly #hasRegions: boolean;

  constructor(
    protocol: Protocol,
    baselines: readonly Baseline[],
    private readonly options: {
      readonly states: number;
      readonly bisimulation: boolean;
      readonly timeLimit: TimeLimit;
    },
  ) {
    this.#reached = new Reached(protocol);
    this.#hasRegions = Object.values(protocol.roles).some(({ machine }) =>
      stateNodes(machine).some(({ type }) => type === 'parallel'),
    );
    const all = baselines.flatMap((baseline) => {
      const explored = exploredGraph(
        protocol,
        baseline.system,
        this.options.timeLimit.limitsOf(Infinity),
      );
      if (!explored) return []; // the time is over, so that no mutant is judged either
      this.#reached.note(explored);
      if (this.options.bisimulation) noteReads(explored, protocol.properties, this.#reads);
      return [{ baseline, explored }];
    });
    // Labels depend on everything that was read on any system.
    this.#originals = all.map((one) => ({
      ...one,
      labels: new Labels(one.explored, this.#reads, this.#numbers),
    }));
  }

  judge(mutant: Mutant): Outcome {
    let protocol: Protocol;
    try {
      protocol = defineProtocol(mutant.protocol);
    } catch (error) {
      return isRefusedForProperty(mutant.protocol)
        ? { fate: 'killed', by: `its definition: ${textOf(error)}` }
        : { fate: 'rejected', by: textOf(error) };
    }
    const isReached = mutant.site === undefined || this.#reached.has(mutant.site);
    if (!isReached && !this.#hasRegions) return { fate: 'unreached' };
    let limited: Outcome | undefined;
    let parted = !this.options.bisimulation;
    let difference: (() => Difference) | undefined;
    for (const original of this.#originals) {
      // While it is bisimilar to the original, the properties have the same verdicts.
      if (!parted) {
        const parting = this.#parting(protocol, mutant, original);
        if (parting === 'none') continue;
        parted = true;
        if (parting !== 'unknown') difference = parting;
      }
      const outcome = this.#explore(protocol, mutant, original.baseline);
      if (outcome && outcome.fate !== 'inconclusive') return outcome;
      limited ??= outcome;
    }
    if (limited) return limited;
    if (!isReached) return { fate: 'unreached' };
    if (!parted) return { fate: 'equivalent' };
    return { fate: 'survived', ...(difference ? { difference: difference() } : {}) };
  }

  /**
   * What kills the mutant on one system, or the limit that ends its exploration; undefined when it
   * passes.
   */
  #explore(
    protocol: Protocol,
    { budget }: Mutant,
    { system, name, states, verdicts }: Baseline,
  ): Outcome | undefined {
    let found: ReturnType<typeof explore>;
    try {
      const limits = this.options.timeLimit.limitsOf(this.#most(states));
      found = explore(protocol, system.topology, {
        ...optionsOf(system),
        ...budget,
        limits,
        all: false,
      });
    } catch (error) {
      return { fate: 'killed', by: `it fails: ${textOf(error)}`, system: name };
    }
    const killer = found.properties.find((property) =>
      kills(shownOf(property), verdicts.get(property.name)),
    );
    if (killer) {
      const steps = killer.trace ? { steps: killer.trace.lines.length } : {};
      return {
        fate: killer.name === handled ? 'unhandled' : 'killed',
        by: killer.name,
        system: name,
        ...steps,
      };
    }
    const isOpen = found.properties.some(
      (property) =>
        property.verdict === 'incomplete' && verdicts.get(property.name) !== 'incomplete',
    );
    if (found.complete && !isOpen) return undefined;
    return { fate: 'inconclusive', system: name, ...(found.limit ? { limit: found.limit } : {}) };
  }

  /**
   * How a mutant differs from the original on one system; unknown, where it has too many states or
   * fails.
   */
  #parting(
    protocol: Protocol,
    { budget }: Mutant,
    { baseline, explored, labels }: Original,
  ): (() => Difference) | 'none' | 'unknown' {
    const { system, name, states } = baseline;
    const changed = attempt(() =>
      exploredGraph(
        protocol,
        { ...system, budget: { ...system.budget, ...timeIn(explored), ...budget } },
        this.options.timeLimit.limitsOf(this.#most(states)),
      ),
    );
    if (!changed) return 'unknown';
    const parting = firstParting(labels, new Labels(changed, this.#reads, this.#numbers));
    return parting ? () => differenceOf(name, explored, changed, parting) : 'none';
  }

  #most(states: number): number {
    return Math.min(3 * this.options.states, Math.max(2000, 10 * states));
  }
}

/**
 * Whether the definition is refused for a property: one that looks for a tag that no state has
 * after the mutation.
 */
function isRefusedForProperty(protocol: Protocol): boolean {
  const fenceCondition = 'its properties are left out';
  return (
    attempt(() =>
      defineProtocol({
        ...protocol,
        properties: [],
        ...(protocol.fence ? { fenceCondition } : {}),
      }),
    ) !== undefined
  );
}

/** A property kills a mutant if it fails, and has another verdict for the original. */
function kills(verdict: string, original: string | undefined): boolean {
  return (
    verdict !== 'holds' && verdict !== 'reached' && verdict !== 'incomplete' && verdict !== original
  );
}

/** What fails here fails again, and is reported, where the mutant is explored. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const textOf = (error: unknown): string =>
  error instanceof ConclaveError
    ? error.what
    : error instanceof Error
      ? error.message
      : String(error);

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
