import { trackerOf } from '../../judge/judge.js';
import type { Tracker } from '../../judge/tracker.js';
import { byPlan } from '../../protocol/compiled/stepper.js';
import type { Property } from '../../protocol/property.js';
import { isOfStates } from '../../protocol/property-kinds.js';
import { mayEndBefore, Position } from '../run-judge/position.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import type { CompiledProperty } from '../verdicts/properties/compiled-property.js';
import type { Action } from '../worlds/world.js';
import { Worlds } from '../worlds/worlds.js';
import type { Evidence } from './judged-runs.js';

/**
 * Judges walks, and keeps the first run that decides each property: worlds, and all that is
 * possible in them, by the tables of the search; runs by the trackers of the judge of runs.
 */
export class WalkJudge {
  readonly properties: CompiledProperties;
  /** The run that decides a property. */
  readonly evidence = new Map<CompiledProperty, Evidence>();
  readonly #worlds: Worlds;
  readonly #ofStates: readonly CompiledProperty[];
  readonly #ofSteps: readonly CompiledProperty[];
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
    this.#ofStates = all.flatMap(({ property, asked }) => (isOfStates(property) ? [asked] : []));
    this.#ofSteps = all.flatMap(({ asked }) => (asked.violatedStepIn ? [asked] : []));
    this.#ofRuns = all.filter(
      ({ property, asked }) => !isOfStates(property) && !asked.violatedStepIn,
    );
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
      const action = asked.violatedStepIn?.(vector);
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
