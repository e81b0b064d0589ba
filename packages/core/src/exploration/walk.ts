import { ConclaveError } from '../base/error.js';
import { Random } from '../base/random.js';
import { checkOptions } from '../options/check.js';
import { budgetIn, walkOptions } from '../options/exploration.js';
import { checkGiven } from '../options/shapes.js';
import { answerOf } from '../protocol/answer.js';
import { checkProperties } from '../protocol/check-properties.js';
import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { withoutChance } from '../protocol/purity.js';
import { standardProperties } from '../protocol/unhandled-messages.js';
import { waitingOf } from '../protocol/waiting.js';
import type { Topology } from '../topology/topology.js';
import { traceHeader } from '../trace/recording.js';
import { assumptionsOf } from './explore/assumptions.js';
import type { WalkOptions } from './explore/options.js';
import type { PropertyFinding, Witness } from './verdicts/property-finding.js';
import { shrink } from './verdicts/witness/shrink.js';
import { faultIn, nextOrFault } from './worlds/next-or-fault.js';
import { runLines } from './worlds/run-lines.js';
import { timeOf, withFittingTick } from './worlds/time.js';
import type { Action, World } from './worlds/world.js';
import { worldKey } from './worlds/world-key.js';
import { Worlds } from './worlds/worlds.js';

/** What random walks found. */
export interface Walks {
  readonly protocol: string;
  readonly topology: string;
  readonly seed: number;
  readonly walks: number;
  /** Steps taken, in all walks together. */
  readonly steps: number;
  /** Distinct worlds visited, including the initial one. */
  readonly states: number;
  /** In exact time: the step of time in milliseconds. */
  readonly tick?: number;
  /** Set if {@link WalkOptions.stop} ended them early. */
  readonly limit?: 'interrupted';
  /** What the walks leave out, as in `Exploration`. */
  readonly assumptions: readonly string[];
  /**
   * Never `holds` or `unreached`: walks prove nothing. The traces are shrunk, but need not be
   * shortest.
   */
  readonly properties: readonly PropertyFinding[];
}

/** How many steps a walk takes between two calls of `stop`. */
const lookEvery = 64;

/** A property as a walk checks it. */
interface WalkedProperty {
  readonly name: string;
  readonly kind: Property['kind'];
  /**
   * Whether `world` violates it, or (`sometimes`) reaches it. Undefined for properties of runs: no
   * single world decides them.
   */
  readonly decidedBy?: (world: World) => boolean;
}

/**
 * Takes random walks through a system that is too large to explore. Each visited world is checked
 * for safety, and each action in it for messages that no state handles. Properties that are not
 * violated stay `incomplete`; properties of runs always do.
 *
 * @throws {ConclaveError} `bad-topology`; `bad-input` for an unknown or invalid option.
 * @example walk(ricartAgrawala, complete(9), { seed: 1, walks: 100, steps: 1000
 * }).properties.some(({ verdict }) => verdict === 'violated')
 */
export function walk(protocol: Protocol, topology: Topology, options: WalkOptions): Walks {
  checkGiven('walk', { protocol, topology });
  checkOptions('walk', walkOptions, options);
  if (options.properties) checkProperties(protocol, options.properties, topology);
  return withoutChance(() =>
    withFittingTick(timeOf(protocol, options), (time) =>
      new Walker(new Worlds(protocol, topology, { ...budgetIn(options), time }), options).run(),
    ),
  );
}

class Walker {
  readonly #random: Random;
  readonly #known = new Set<string>();
  /** Those that an action that fails violates. */
  readonly #faults: readonly WalkedProperty[];
  readonly #claims: readonly WalkedProperty[];
  /** The run that decides a property. */
  readonly #evidence = new Map<WalkedProperty, readonly Action[]>();
  #stopped = false;

  constructor(
    private readonly worlds: Worlds,
    private readonly options: WalkOptions,
  ) {
    this.#random = new Random(options.seed);
    const [handled = '', noDeadlock = '', noStepFails = ''] = standardProperties;
    const waiting = waitingOf(worlds.protocol);
    const waits = (world: World) =>
      waiting !== undefined &&
      this.worlds.view(world).nodes.some((node) => !node.crashed && waiting(node));
    this.#faults = [handled, noStepFails].map((name) => ({
      name,
      kind: 'always',
      decidedBy: (world) => faultIn(this.worlds, world, name) !== undefined,
    }));
    const [unhandledMessages, ...others] = this.#faults;
    this.#claims = [
      ...(options.properties ?? worlds.protocol.properties).map((property) =>
        this.#claim(property),
      ),
      ...(unhandledMessages ? [unhandledMessages] : []),
      ...(worlds.protocol.waiting !== false
        ? [
            {
              name: noDeadlock,
              kind: 'always',
              decidedBy: (world: World) => worlds.isQuiescent(world) && waits(world),
            } as const,
          ]
        : []),
      ...others,
    ];
  }

  run(): Walks {
    const { protocol, topology, budget } = this.worlds;
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
    const { clockwork } = this.worlds;
    const found = { steps, states: this.#known.size, ...(clockwork && { tick: clockwork.tick }) };
    return {
      protocol: protocol.name,
      topology: topology.spec,
      seed,
      walks: made,
      ...found,
      ...limit,
      assumptions: assumptionsOf(protocol, topology, budget),
      properties,
    };
  }

  /** Takes one walk; the number of its steps. */
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

  /**
   * A random action that does not fail; all are equally likely, but the crashes in the middle of a
   * step count as one: they are so many that nearly each walk would begin with them.
   */
  #step(world: World): { readonly action: Action; readonly world: World } | undefined {
    const actions = this.worlds.actions(world);
    const isInside = (action: Action) => action.type === 'crash' && action.during !== undefined;
    const inside = actions.filter(isInside);
    const crash = inside.length === 0 ? [] : [this.#random.pick(inside)];
    for (const action of this.#random.shuffled([
      ...actions.filter((action) => !isInside(action)),
      ...crash,
    ])) {
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
      if (!this.#evidence.has(claim) && claim.decidedBy?.(world))
        this.#evidence.set(claim, shrink(this.worlds, run, claim.decidedBy));
  }

  #claim(property: Property): WalkedProperty {
    const { name, kind } = property;
    if (property.kind !== 'always' && property.kind !== 'never' && property.kind !== 'sometimes')
      return { name, kind }; // a property of runs
    return {
      name,
      kind,
      decidedBy: (world) =>
        answerOf(property, property.holds, this.worlds.view(world)) === (kind !== 'always'),
    };
  }

  #finding(claim: WalkedProperty): PropertyFinding {
    const { name, kind } = claim;
    const run = this.#evidence.get(claim);
    if (!run) return { name, kind, verdict: 'incomplete' };
    return {
      name,
      kind,
      verdict: kind === 'sometimes' ? 'reached' : 'violated',
      ...this.#witness(claim, run),
    };
  }

  #witness(claim: WalkedProperty, run: readonly Action[]): Witness {
    const header = new Map(traceHeader(this.worlds.protocol, this.worlds.topology));
    header.set('channels', `order ${this.worlds.order}`);
    const end = run.reduce((world, action) => this.worlds.next(world, action), this.worlds.initial);
    const fault = this.#faults.includes(claim) ? faultIn(this.worlds, end, claim.name) : undefined;
    if (fault) header.set('fault', fault.message);
    const { lines, steps } = runLines(this.worlds, run);
    return { trace: { header, lines }, steps };
  }
}
