import { ConclaveError } from '../base/error.js';
import { explore } from '../exploration/explore/explore.js';
import { defineProtocol } from '../protocol/define-protocol.js';
import type { Protocol } from '../protocol/protocol.js';
import { stateNodes } from '../protocol/state-nodes.js';
import { handled } from '../protocol/unhandled-messages.js';
import { firstParting } from './bisimulation.js';
import { type Difference, differenceOf } from './difference.js';
import { type ExploredGraph, exploredGraph, timeIn } from './explored-graph.js';
import { Labels, Numbers, noteReads, StepReads } from './labels.js';
import type { Mutant } from './mutant.js';
import { Reached } from './reached.js';
import type { MutantFinding, MutationReport } from './report.js';
import { type Baseline, needsAll, optionsOf, shownOf } from './systems.js';
import type { TimeLimit } from './time-limit.js';
import { WalkBench, type WalkedSystem } from './walked.js';

export type Outcome = Pick<
  MutantFinding,
  'fate' | 'by' | 'system' | 'steps' | 'limit' | 'difference'
>;

interface Original {
  readonly baseline: Baseline;
  readonly explored: ExploredGraph;
  readonly labels: Labels;
}

/** A protocol and its explored systems, with which mutants are compared. */
export class Bench {
  readonly #originals: readonly Original[];
  readonly #reads = new StepReads();
  readonly #numbers = new Numbers();
  readonly #reached: Reached;
  readonly #walks: readonly WalkBench[];
  /** In parallel states a transition that is never taken may still prevent another one. */
  readonly #hasRegions: boolean;

  constructor(
    protocol: Protocol,
    baselines: readonly Baseline[],
    private readonly options: {
      readonly states: number;
      readonly bisimulation: boolean;
      readonly timeLimit: TimeLimit;
      readonly walks: readonly WalkedSystem[];
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
    this.#walks = options.timeLimit.end
      ? []
      : options.walks.map((one) => new WalkBench(protocol, one, options.timeLimit));
    // Labels depend on everything that was read on any system.
    this.#originals = all.map((one) => ({
      ...one,
      labels: new Labels(one.explored, this.#reads, this.#numbers),
    }));
  }

  /** The systems of the walks, and how many steps the protocol itself took there. */
  get walks(): MutationReport['walks'] {
    return this.#walks.map(({ name, taken }) => ({ name, steps: taken }));
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
    const outcome = this.#judge(mutant, protocol);
    const isOpen = ['unreached', 'survived', 'inconclusive'].includes(outcome.fate);
    return isOpen ? this.#walk(mutant, protocol, outcome) : outcome;
  }

  /** Walks through larger systems, where the small ones leave a mutant open. */
  #walk(mutant: Mutant, protocol: Protocol, outcome: Outcome): Outcome {
    let isReached = outcome.fate !== 'unreached';
    for (const walk of this.#walks) {
      const reaches = walk.reaches(mutant);
      // without regions it is the protocol itself as far as it gets
      if (!reaches && !this.#hasRegions) continue;
      isReached ||= reaches;
      const found = walk.judge(mutant, protocol);
      if (found) return found;
    }
    return outcome.fate === 'unreached' && isReached ? { fate: 'survived' } : outcome;
  }

  #judge(mutant: Mutant, protocol: Protocol): Outcome {
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
        all: needsAll(system),
      });
    } catch (error) {
      return { fate: 'killed', by: `it fails: ${textOf(error)}`, system: name };
    }
    const killer = found.properties.find(
      (property) =>
        verdicts.get(property.name) !== 'violated' &&
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
