import { byPlan, isOfStates } from '@conclave/core/internal';
import type { Tracker } from '@conclave/core/internal/judge';
import { trackerOf } from '@conclave/core/internal/judge';
import type { Property } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { mayEndBefore, Position } from '../run-judge/position.js';
import { type JudgedRun, RunJudge } from '../run-judge/run-judge.js';
import { standardsOf } from '../run-judge/standards.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import type {
  CompiledProperty,
  RunProperty,
  StateProperty,
} from '../verdicts/properties/compiled-property.js';
import type { Witness } from '../verdicts/property-finding.js';
import { headerOf, type Steppable, shrink } from '../verdicts/witness.js';
import { sameData } from '../worlds/canonical.js';
import { runLines } from '../worlds/run-lines.js';
import type { Action } from '../worlds/world.js';
import { faultIn, nextOrFault, Worlds } from '../worlds/worlds.js';

type StepProperty = RunProperty & Required<Pick<RunProperty, 'wrongStepIn'>>;

const isOfSteps = (property: CompiledProperty): property is StepProperty =>
  'wrongStepIn' in property;

/**
 * Judges walks, and keeps the first run that decides each property: worlds, and all that is
 * possible in them, by the tables of the search; runs by the trackers of the judge of runs.
 */
export class WalkJudge {
  readonly properties: CompiledProperties;
  /** The run that decides a property. */
  readonly evidence = new Map<CompiledProperty, Evidence>();
  readonly #worlds: Worlds;
  readonly #ofStates: readonly StateProperty[];
  readonly #ofSteps: readonly StepProperty[];
  readonly #ofRuns: readonly { readonly asked: CompiledProperty; readonly property: Property }[];
  #trackers: readonly { readonly asked: CompiledProperty; readonly tracker: Tracker }[] = [];
  #run: number[] = [];
  #position: Position | undefined;

  constructor(
    private readonly compiled: CompiledWorlds,
    declared: readonly Property[],
  ) {
    const { protocol, topology, budget } = compiled.worlds;
    this.properties = new CompiledProperties(compiled, declared, undefined);
    this.#worlds = new Worlds(protocol, topology, budget, undefined, byPlan);
    const all = declared.map((property, place) => ({
      property,
      asked: this.properties.declared[place] as CompiledProperty, // one for each
    }));
    this.#ofStates = this.properties.declared.filter(isOfStates);
    this.#ofSteps = this.properties.declared.filter(isOfSteps);
    this.#ofRuns = all.filter(({ asked }) => !isOfStates(asked) && !isOfSteps(asked));
  }

  get isRefuted(): boolean {
    return [...this.evidence.keys()].some(({ kind }) => kind !== 'sometimes');
  }

  /** A walk begins. */
  begin(vector: Int32Array): void {
    this.#run = [];
    this.#position = undefined;
    this.#trackers = this.#ofRuns
      .filter(({ asked }) => !this.evidence.has(asked))
      .map(({ asked, property }) => ({
        asked,
        tracker: trackerOf(property, this.#worlds.protocol),
      }));
    this.#tell(vector);
  }

  /** The walk takes a step to `vector`. */
  take(action: number, vector: Int32Array): void {
    this.#run.push(action);
    this.#tell(vector);
  }

  /** Looks at a world that is new. */
  look(vector: Int32Array): void {
    for (const asked of this.#ofStates)
      if (!this.evidence.has(asked) && asked.holds(vector) === (asked.kind !== 'always'))
        this.#note(asked);
    for (const asked of this.#ofSteps) {
      if (this.evidence.has(asked)) continue;
      const action = asked.wrongStepIn(vector);
      if (action !== undefined) this.#note(asked, [this.compiled.actionOf(action)]);
    }
  }

  /** An action fails in the world that the walk has come to. */
  fails(step: number): void {
    this.#note(this.properties.violatedBy(this.compiled.errorOf(step)));
  }

  /** What is false if the walk ends here, where `possible` may happen. */
  end(vector: Int32Array, possible: readonly number[]): void {
    const { deadlocks } = this.properties;
    const isQuiescent = possible.length === 0 && this.compiled.time?.runs(vector) !== true;
    if (isQuiescent && deadlocks && !this.evidence.has(deadlocks) && !deadlocks.holds(vector))
      this.#note(deadlocks);
    const actions = possible.map((action) => this.compiled.actionOf(action));
    const { protocol } = this.#worlds;
    for (const { asked, tracker } of this.#trackers) {
      if (tracker.decided || !this.#position) continue;
      const mayEnd = this.compiled.time ? isQuiescent : mayEndBefore(actions, protocol, asked.kind);
      if (mayEnd && tracker.ended(this.#position.view).value === 'false')
        this.#note(asked, [], true);
    }
  }

  /** Tells the trackers that are not decided. */
  #tell(vector: Int32Array): void {
    if (!this.#trackers.some(({ tracker }) => !tracker.decided)) return;
    const from = this.#position;
    const last = this.#run.at(-1);
    this.#position = new Position(
      this.#worlds,
      this.compiled.encoding.decode(vector),
      from && last !== undefined
        ? { from: from.alone, action: this.compiled.actionOf(last) }
        : undefined,
    );
    for (const { asked, tracker } of this.#trackers)
      if (this.#position.tell(tracker)) this.#note(asked);
  }

  /** `last`: what follows the steps of the walk. */
  #note(asked: CompiledProperty, last: readonly Action[] = [], ends = false): void {
    if (this.evidence.has(asked)) return;
    const run = [...this.#run.map((action) => this.compiled.actionOf(action)), ...last];
    this.evidence.set(asked, { run, ends });
  }
}

/** The run that decides a property. */
export interface Evidence {
  readonly run: readonly Action[];
  /** Whether it violates the property because it ends there. */
  readonly ends: boolean;
}

/** A property, or the name of a standard one. */
type Asked = Property | string;

/** The runs of a system as the judge of runs sees them. */
interface JudgedRuns extends Steppable<JudgedRun, Action> {
  /** Whether a run decides the property. `ends`: if it ends there. */
  decides(end: JudgedRun, ends: boolean): boolean;
}

function judgedRuns(worlds: Worlds, asked: Asked): JudgedRuns {
  const isStandard = typeof asked === 'string';
  const judge = new RunJudge(worlds, isStandard ? [] : [asked]);
  const place = isStandard ? standardsOf(worlds).findIndex(({ name }) => name === asked) : 0;
  return {
    initial: judge.begin(),
    actions: ({ position }) => position.actions,
    next: (before, action) =>
      judge.after(before, action, worlds.next(before.position.world, action)),
    decides: (end, ends) =>
      !isStandard && asked.kind === 'sometimes'
        ? end.standing(place).value === 'true'
        : end.isFalse(place, ends && !isStandard && end.position.mayEnd(asked.kind)),
  };
}

/** Whether it is a run of this system, and decides the property in it. */
export function decidesIn(worlds: Worlds, asked: Asked, { run, ends }: Evidence): boolean {
  const runs = judgedRuns(worlds, asked);
  let end = runs.initial;
  for (const action of run) {
    if (!runs.actions(end).some((possible) => sameData(possible, action))) return false;
    if (nextOrFault(worlds, end.position.world, action) instanceof ConclaveError) return false;
    end = runs.next(end, action);
  }
  return runs.decides(end, ends);
}

/**
 * The run that decides a property, shrunk until no step can be left out. XState takes its steps;
 * most of the rest is left out by plan before, which is faster.
 */
export function witnessOf(worlds: Worlds, asked: Asked, { run, ends }: Evidence): Witness {
  const { protocol, topology, budget } = worlds;
  const planned = new Worlds(protocol, topology, budget, undefined, byPlan);
  const short = [planned, worlds].reduce((longer, system) => {
    const runs = judgedRuns(system, asked);
    return shrink(runs, longer, (end) => runs.decides(end, ends));
  }, run);
  const header = headerOf(worlds);
  const end = short.reduce((world, action) => worlds.next(world, action), worlds.initial);
  const fault = typeof asked === 'string' ? faultIn(worlds, end, asked) : undefined;
  if (fault) header.set('fault', fault.message);
  const { lines, steps } = runLines(worlds, short);
  const loop = ends ? { loopsFrom: lines.length, loopsFromStep: steps.length } : {};
  return { trace: { header, lines }, steps, ...loop, ...(fault && { reason: fault.message }) };
}
