import { badInput, ConclaveError } from '../base/error.js';
import { CompiledWorlds } from '../exploration/search/tables/compiled-worlds.js';
import { decidesIn, type Evidence } from '../exploration/walk/judged-runs.js';
import { Walker } from '../exploration/walk/walker.js';
import { timeOf, withFittingTick } from '../exploration/worlds/time.js';
import { Worlds } from '../exploration/worlds/worlds.js';
import { budgetIn } from '../options/exploration.js';
import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { withoutChance } from '../protocol/purity.js';
import { handled } from '../protocol/unhandled-messages.js';
import type { Mutant } from './mutant.js';
import { Reached } from './reached.js';
import type { MutantFinding } from './report.js';
import { type MutationSystem, optionsOf, systemText } from './systems.js';
import type { TimeLimit } from './time-limit.js';

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
export class WalkBench {
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
    return { fate: name === handled ? 'unhandled' : 'killed', by: name, system };
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

const textOf = (error: unknown): string =>
  error instanceof ConclaveError
    ? error.what
    : error instanceof Error
      ? error.message
      : String(error);
