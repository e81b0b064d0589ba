import { everyMessageHandled, stateNodes } from '@conclave/core/internal';
import type { Property, Protocol } from '@conclave/core/protocol';
import { ConclaveError, defineProtocol } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import { withoutChance } from '../base/resumable.js';
import { explore } from '../explore/explore.js';
import { budgetIn } from '../options/options.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { decidesIn, type Evidence } from '../walk/walk-judge.js';
import { Walker } from '../walk/walker.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import { Worlds } from '../worlds/worlds.js';
import { type Difference, differenceOf, firstParting } from './bisimulation.js';
import {
  type ExploredGraph,
  exploredGraph,
  Labels,
  Numbers,
  noteReads,
  StepReads,
  timeIn,
} from './labels.js';
import { Reached } from './reached.js';
import type { Mutant, MutantFinding, MutationReport } from './report.js';
import {
  type Baseline,
  type MutationSystem,
  needsAll,
  optionsOf,
  shownOf,
  systemText,
  type TimeLimit,
} from './systems.js';

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
        fate: killer.name === everyMessageHandled ? 'unhandled' : 'killed',
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

/** A system through which walks go, because it is too large to be exhausted. */
export interface WalkedSystem extends MutationSystem {
  readonly walks: number;
  /** How many steps each takes at most. */
  readonly steps: number;
  /** Default 1. */
  readonly seed?: number;
}

type Fate = Pick<MutantFinding, 'fate' | 'by' | 'system' | 'limit'>;

/** The property that walks refute, and the run that does. */
interface Refuted {
  readonly name: string;
  readonly property: Property | undefined;
  readonly evidence: Evidence;
}

interface Walked {
  readonly worlds: Worlds;
  readonly walker: Walker;
  readonly refuted: Refuted | undefined;
}

/** `complete:4, crashes 2, 500 walks of 300 steps`. */
export const walksText = ({ walks, steps, seed = 1, ...system }: WalkedSystem): string =>
  `${systemText(system)}, ${walks} walks of ${steps} steps${seed === 1 ? '' : ` from seed ${seed}`}`;

/** Walks through one system, of the protocol itself and then of its mutants. */
class WalkBench {
  readonly name: string;
  /** How many steps the walks of the protocol itself took. */
  readonly taken: number;
  readonly #reached: Reached;
  readonly #worlds: Worlds;

  /** @throws {ConclaveError} `bad-input` when the protocol does not pass itself. */
  constructor(
    protocol: Protocol,
    private readonly system: WalkedSystem,
    private readonly timeLimit: TimeLimit,
  ) {
    this.name = walksText(system);
    const { worlds, walker, refuted } = this.#walk(protocol, {});
    this.#worlds = worlds;
    this.taken = walker.steps;
    if (refuted) throw this.#fails(protocol, refuted.name);
    this.#reached = new Reached(protocol);
    this.#reached.note({ worlds, compiled: walker.compiled });
  }

  /** Whether the protocol itself reaches what a mutant changes. */
  reaches({ site }: Mutant): boolean {
    return site === undefined || this.#reached.has(site);
  }

  /** What kills a mutant; undefined if nothing does. */
  judge(mutant: Mutant, protocol: Protocol): Fate | undefined {
    const system = this.name;
    let found: Walked;
    try {
      found = this.#walk(protocol, mutant);
    } catch (error) {
      return { fate: 'killed', by: `it fails: ${textOf(error)}`, system };
    }
    const { worlds, walker, refuted } = found;
    if (!refuted) {
      const limit = walker.isStopped ? this.timeLimit.end : undefined;
      return limit && { fate: 'inconclusive', system, limit };
    }
    const { name, property = name, evidence } = refuted;
    if (!decidesIn(worlds, property, evidence))
      throw new Error(
        `A walk violates '${name}', and does not by XState. This is a mistake of Conclave, not of the protocol`,
      );
    if (decidesIn(this.#worlds, property, evidence)) throw this.#fails(this.#worlds.protocol, name);
    return { fate: name === everyMessageHandled ? 'unhandled' : 'killed', by: name, system };
  }

  #walk(protocol: Protocol, { budget: more = {} }: Partial<Pick<Mutant, 'budget'>>): Walked {
    const { walks, steps, seed = 1 } = this.system;
    const budget = { ...budgetIn(optionsOf(this.system)), ...more };
    return withoutChance(() =>
      withFittingTick(timeOf(protocol, budget), (time) => {
        const worlds = new Worlds(protocol, this.system.topology, { ...budget, time });
        const { violates = [] } = this.system;
        const judges = protocol.properties.filter(({ name }) => !violates.includes(name));
        const stop = () => this.timeLimit.end !== undefined;
        const options = { walks, steps, seed, stop, untilRefuted: true };
        const walker = new Walker(new CompiledWorlds(worlds), judges, options).run();
        return { worlds, walker, refuted: refutedBy(walker, judges) };
      }),
    );
  }

  #fails({ title }: Protocol, property: string): ConclaveError {
    return badInput(
      `${title} does not pass itself: in walks through ${this.name}, '${property}' is violated`,
      'Run conclave check with --walks first, or choose other systems.',
    );
  }
}

/** The first property that is violated. */
function refutedBy({ judge }: Walker, properties: readonly Property[]): Refuted | undefined {
  for (const [place, asked] of judge.properties.all.entries()) {
    const evidence = judge.evidence.get(asked);
    if (evidence && asked.kind !== 'sometimes')
      return { name: asked.name, property: properties[place], evidence };
  }
  return undefined;
}
