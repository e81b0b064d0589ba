import { Random } from '../channel/random.js';
import { checkOptions } from '../options/check.js';
import { budgetIn, walkOptions } from '../options/exploration.js';
import { checkGiven } from '../options/shapes.js';
import { answerOf } from '../protocol/answer.js';
import { checkProperties } from '../protocol/check-properties.js';
import { ConclaveError } from '../protocol/error.js';
import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { withoutChance } from '../protocol/purity.js';
import { waitingOf } from '../protocol/waiting.js';
import type { Topology } from '../topology/topology.js';
import { traceHeader } from '../trace/recording.js';
import type { Trace } from '../trace/trace.js';
import type { PropertyFinding } from './explore.js';
import { standardProperties } from './verdicts/claims.js';
import { shrink } from './verdicts/shrink.js';
import type { Budget } from './worlds/budget.js';
import { faultIn, nextOrFault } from './worlds/fault.js';
import { runLines } from './worlds/run-lines.js';
import { viewOf } from './worlds/view.js';
import { type Action, type World, Worlds, worldKey } from './worlds/world.js';

export interface WalkOptions extends Budget {
  /** The same options and seed, the same walks. */
  readonly seed: number;
  /** How many walks, each from the first world on. */
  readonly walks: number;
  /** How many steps a walk takes at most; it ends before when nothing can happen any more. */
  readonly steps: number;
  /** Default: the protocol's. Those that every protocol is checked for come on top ({@link standardProperties}). */
  readonly properties?: readonly Property[];
  /** Asked after each walk, and now and then on it; true ends the walks. */
  readonly stop?: () => boolean;
  /** Called after each walk, with what there was so far. */
  readonly onProgress?: (walks: number, steps: number, states: number) => void;
}

/** What random walks found. */
export interface Walks {
  readonly protocol: string;
  readonly topology: string;
  readonly seed: number;
  readonly walks: number;
  /** Steps taken, in all walks together. */
  readonly steps: number;
  /** Different worlds met, the first one included. */
  readonly states: number;
  /** That {@link WalkOptions.stop} ended them before the last. */
  readonly limit?: 'interrupted';
  /** Never `holds` or `unreached`: walks prove nothing. Their traces are shrunk (see {@link shrink}), not shortest. */
  readonly properties: readonly PropertyFinding[];
}

/** How many steps of a walk go by between two looks at `stop`. */
const lookEvery = 64;

/** A property as a walk asks it. */
interface Claim {
  readonly name: string;
  readonly kind: Property['kind'];
  /** Whether `world` refutes it, or (`sometimes`) reaches it. Liveness and cost are decided by no world. */
  readonly decidedBy?: (world: World) => boolean;
}

/**
 * Takes random steps through a system too large to be explored: safety is checked in each world on the way, and one step beyond it for
 * what breaks the rules of the protocol. What is not refuted stays `incomplete`, liveness and cost always.
 *
 * @throws {ConclaveError} `bad-topology`; `bad-input` for an unknown option, or one that cannot be.
 * @example walk(ricartAgrawala, complete(9), { seed: 1, walks: 100, steps: 1000 }).properties.some(({ verdict }) => verdict === 'violated')
 */
export function walk(protocol: Protocol, topology: Topology, options: WalkOptions): Walks {
  checkGiven('walk', { protocol, topology });
  checkOptions('walk', walkOptions, options);
  if (options.properties) checkProperties(protocol, options.properties, topology);
  return withoutChance(() => new Walker(new Worlds(protocol, topology, budgetIn(options)), options).run());
}

class Walker {
  readonly #random: Random;
  readonly #known = new Set<string>();
  readonly #rules: Claim;
  readonly #claims: readonly Claim[];
  /** By claim: the run that decides it. */
  readonly #evidence = new Map<Claim, readonly Action[]>();
  #stopped = false;

  constructor(
    private readonly worlds: Worlds,
    private readonly options: WalkOptions,
  ) {
    this.#random = new Random(options.seed);
    const [handled = '', noDeadlock = ''] = standardProperties;
    const waiting = waitingOf(worlds.protocol);
    const waits = (world: World) => waiting !== undefined && this.#view(world).nodes.some((node) => !node.crashed && waiting(node));
    this.#rules = { name: handled, kind: 'always', decidedBy: (world) => faultIn(this.worlds, world) !== undefined };
    this.#claims = [
      ...(options.properties ?? worlds.protocol.properties).map((property) => this.#claim(property)),
      this.#rules,
      ...(worlds.protocol.waiting !== false
        ? [{ name: noDeadlock, kind: 'always', decidedBy: (world: World) => worlds.actions(world).length === 0 && waits(world) } as const]
        : []),
    ];
  }

  run(): Walks {
    const { protocol, topology } = this.worlds;
    const { seed, walks, onProgress, stop } = this.options;
    let steps = 0;
    let made = 0;
    while (made < walks && !this.#stopped) {
      steps += this.#walk();
      made++;
      this.#stopped ||= made < walks && stop?.() === true;
      onProgress?.(made, steps, this.#known.size);
    }
    const properties = this.#claims.map((claim) => this.#finding(claim));
    const limit = this.#stopped ? { limit: 'interrupted' as const } : {};
    return { protocol: protocol.name, topology: topology.spec, seed, walks: made, steps, states: this.#known.size, ...limit, properties };
  }

  /** One walk; how many steps it took. */
  #walk(): number {
    const run: Action[] = [];
    let world = this.worlds.initial;
    this.#judge(world, run);
    while (run.length < this.options.steps) {
      this.#stopped ||= run.length % lookEvery === lookEvery - 1 && this.options.stop?.() === true;
      if (this.#stopped) break;
      const step = this.#step(world);
      if (!step) break;
      run.push(step.action);
      world = step.world;
      this.#judge(world, run);
    }
    return run.length;
  }

  /** One of the steps that break no rule, each as likely as any other. */
  #step(world: World): { readonly action: Action; readonly world: World } | undefined {
    for (const action of this.#random.shuffled(this.worlds.actions(world))) {
      const next = nextOrFault(this.worlds, world, action);
      if (!(next instanceof ConclaveError)) return { action, world: next };
    }
    return undefined;
  }

  #judge(world: World, run: readonly Action[]): void {
    const key = worldKey(world, this.worlds.order);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    for (const claim of this.#claims)
      if (!this.#evidence.has(claim) && claim.decidedBy?.(world)) this.#evidence.set(claim, shrink(this.worlds, run, claim.decidedBy));
  }

  #claim(property: Property): Claim {
    const { name, kind } = property;
    if (property.kind !== 'always' && property.kind !== 'never' && property.kind !== 'sometimes') return { name, kind }; // it is of runs
    return { name, kind, decidedBy: (world) => answerOf(property, property.holds, this.#view(world)) === (kind !== 'always') };
  }

  #finding(claim: Claim): PropertyFinding {
    const { name, kind } = claim;
    const run = this.#evidence.get(claim);
    if (!run) return { name, kind, verdict: 'incomplete' };
    return { name, kind, verdict: kind === 'sometimes' ? 'reached' : 'violated', trace: this.#trace(claim, run) };
  }

  #trace(claim: Claim, run: readonly Action[]): Trace {
    const header = new Map(traceHeader(this.worlds.protocol, this.worlds.topology));
    header.set('channels', `order ${this.worlds.order}`);
    const end = run.reduce((world, action) => this.worlds.next(world, action), this.worlds.initial);
    const fault = claim === this.#rules ? faultIn(this.worlds, end) : undefined;
    if (fault) header.set('fault', fault.message);
    return { header, lines: runLines(this.worlds, run).lines };
  }

  #view(world: World) {
    return viewOf(this.worlds.protocol, this.worlds.topology, world);
  }
}
