import { ConclaveError } from '../../base/error.js';
import { Random } from '../../base/random.js';
import { trackerOf } from '../../judge/judge.js';
import type { Tracker } from '../../judge/tracker.js';
import { checkOptions } from '../../options/check.js';
import { budgetIn, walkOptions } from '../../options/exploration.js';
import { checkGiven } from '../../options/shapes.js';
import { answerOf } from '../../protocol/answer.js';
import { checkProperties } from '../../protocol/check-properties.js';
import type { Property } from '../../protocol/property.js';
import { isOfStates, type StateProperty } from '../../protocol/property-kinds.js';
import type { Protocol } from '../../protocol/protocol.js';
import { withoutChance } from '../../protocol/purity.js';
import { standardProperties } from '../../protocol/unhandled-messages.js';
import type { Topology } from '../../topology/topology.js';
import { traceHeader } from '../../trace/recording.js';
import { Position } from '../run-judge/position.js';
import { type JudgedRun, RunJudge } from '../run-judge/run-judge.js';
import { standardsOf } from '../run-judge/standard.js';
import type { PropertyFinding, Witness } from '../verdicts/property-finding.js';
import { type Steppable, shrink } from '../verdicts/witness/shrink.js';
import { faultIn, nextOrFault } from '../worlds/next-or-fault.js';
import { runLines } from '../worlds/run-lines.js';
import { timeOf, withFittingTick } from '../worlds/time.js';
import type { Action, World } from '../worlds/world.js';
import { worldKey } from '../worlds/world-key.js';
import { Worlds } from '../worlds/worlds.js';
import { assumptionsOf } from './assumptions.js';
import type { WalkOptions } from './options.js';

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

/** A property as walks check it. */
interface Walked {
  readonly name: string;
  readonly kind: Property['kind'];
  /** Whether a single world violates it, or (`sometimes`) reaches it; absent: runs decide. */
  readonly decidedBy?: (position: Position) => boolean;
  /** Of a property of runs: the tracker of one walk. */
  readonly track?: () => Tracker;
  /** See `shrink`. `ends`: the run is to violate it because it ends. */
  readonly shrink: (run: readonly Action[], ends: boolean) => readonly Action[];
}

/** The run that decides a property. */
interface Evidence {
  readonly run: readonly Action[];
  /** Whether it violates the property because it ends there. */
  readonly ends: boolean;
}

/**
 * Takes random walks through a system that is too large to explore. Each step is checked, each
 * visited world and each action in it, and where a fair run may end, what has not happened.
 * Properties that are not violated stay `incomplete`.
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
  readonly #walked: readonly Walked[];
  readonly #evidence = new Map<Walked, Evidence>();
  #stopped = false;

  constructor(
    private readonly worlds: Worlds,
    private readonly options: WalkOptions,
  ) {
    this.#random = new Random(options.seed);
    this.#walked = [
      ...(options.properties ?? worlds.protocol.properties).map((property) =>
        isOfStates(property) ? this.#ofStates(property) : this.#ofRuns(property),
      ),
      ...standardsOf(worlds).map(({ name, at }) =>
        this.#decidedBy({ name, kind: 'always' }, (position) => at(position).value === 'false'),
      ),
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
    const properties = this.#walked.map((property) => this.#finding(property));
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
    const trackers = new Map<Walked, Tracker>();
    for (const property of this.#walked)
      if (property.track && !this.#evidence.has(property)) trackers.set(property, property.track());
    let position = new Position(this.worlds, this.worlds.initial);
    this.#judge(position, trackers, run);
    while (run.length < this.options.steps) {
      this.#stopped ||= run.length % lookEvery === lookEvery - 1 && this.options.stop?.() === true;
      if (this.#stopped) break;
      const step = this.#step(position);
      if (!step) break;
      const { action, world } = step;
      run.push(action);
      position = new Position(this.worlds, world, { from: position.alone, action });
      this.#judge(position, trackers, run);
    }
    return run.length;
  }

  /**
   * A random action that does not fail; all are equally likely, but the crashes in the middle of a
   * step count as one: they are so many that nearly each walk would begin with them.
   */
  #step({
    world,
    actions,
  }: Position): { readonly action: Action; readonly world: World } | undefined {
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

  #judge(position: Position, trackers: ReadonlyMap<Walked, Tracker>, run: readonly Action[]): void {
    for (const [property, tracker] of trackers) {
      if (this.#evidence.has(property)) continue;
      if (position.tell(tracker)) this.#note(property, run, false);
      else if (position.mayEnd(property.kind) && isFalseAtEnd(tracker, position))
        this.#note(property, run, true);
    }
    const key = worldKey(position.world, this.worlds.order);
    if (this.#known.has(key)) return;
    this.#known.add(key);
    for (const property of this.#walked)
      if (!this.#evidence.has(property) && property.decidedBy?.(position))
        this.#note(property, run, false);
  }

  #note(property: Walked, run: readonly Action[], ends: boolean): void {
    this.#evidence.set(property, { run: property.shrink(run, ends), ends });
  }

  #ofStates(property: StateProperty): Walked {
    const wanted = property.kind !== 'always';
    return this.#decidedBy(
      property,
      ({ view }) => answerOf(property, property.holds, view) === wanted,
    );
  }

  #decidedBy(
    { name, kind }: Pick<Walked, 'name' | 'kind'>,
    decidedBy: (position: Position) => boolean,
  ): Walked {
    const { worlds } = this;
    const keeps = (end: World) => decidedBy(new Position(worlds, end));
    return { name, kind, decidedBy, shrink: (run) => shrink(worlds, run, keeps) };
  }

  #ofRuns(property: Property): Walked {
    const { worlds } = this;
    const { name, kind } = property;
    return {
      name,
      kind,
      track: () => trackerOf(property, worlds.protocol),
      shrink: (run, ends) => {
        const judge = new RunJudge(worlds, [property]);
        const system: Steppable<JudgedRun, Action> = {
          initial: judge.begin(),
          actions: ({ position }) => position.actions,
          next: (before, action) =>
            judge.after(before, action, worlds.next(before.position.world, action)),
        };
        return shrink(system, run, (end) =>
          end.isFalse(0, ends ? end.position.mayEnd(kind) : false),
        );
      },
    };
  }

  #finding(property: Walked): PropertyFinding {
    const { name, kind } = property;
    const evidence = this.#evidence.get(property);
    if (!evidence) return { name, kind, verdict: 'incomplete' };
    return {
      name,
      kind,
      verdict: kind === 'sometimes' ? 'reached' : 'violated',
      ...this.#witness(property, evidence),
    };
  }

  #witness({ name }: Walked, { run, ends }: Evidence): Witness {
    const header = new Map(traceHeader(this.worlds.protocol, this.worlds.topology));
    header.set('channels', `order ${this.worlds.order}`);
    if (this.worlds.budget.unexpected === 'discard') header.set('unexpected', 'discard');
    const end = run.reduce((world, action) => this.worlds.next(world, action), this.worlds.initial);
    const fault = standardProperties.includes(name) && faultIn(this.worlds, end, name);
    if (fault) header.set('fault', fault.message);
    const { lines, steps } = runLines(this.worlds, run);
    const loop = ends ? { loopsFrom: lines.length, loopsFromStep: steps.length } : {};
    return { trace: { header, lines }, steps, ...loop };
  }
}

const isFalseAtEnd = (tracker: Tracker, { view }: Position): boolean =>
  !tracker.decided && tracker.ended(view).value === 'false';
