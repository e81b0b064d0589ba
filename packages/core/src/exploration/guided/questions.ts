import { trackerOf } from '../../judge/judge.js';
import type { Tracker } from '../../judge/tracker.js';
import type { Property } from '../../protocol/property.js';
import { isOfStates } from '../../protocol/property-kinds.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import type { CompiledProperty } from '../verdicts/properties/compiled-property.js';
import type { Action } from '../worlds/world.js';

/** The run that decides a property. */
export interface Evidence {
  readonly run: readonly Action[];
  /** Whether it violates the property because it ends there. */
  readonly ends: boolean;
}

/** The properties that walks judge, and the runs that decide them. */
export class Questions {
  readonly properties: CompiledProperties;
  readonly #decided = new Set<CompiledProperty>();
  #found: (readonly [place: number, evidence: Evidence])[] = [];
  readonly #ofStates: readonly CompiledProperty[];
  readonly #ofSteps: readonly CompiledProperty[];
  readonly #ofRuns: readonly { readonly asked: CompiledProperty; readonly property: Property }[];

  constructor(
    private readonly compiled: CompiledWorlds,
    readonly declared: readonly Property[],
  ) {
    this.properties = new CompiledProperties(compiled, declared, undefined);
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

  /** What was decided since the last call, by the place among all properties. */
  found(): readonly (readonly [place: number, evidence: Evidence])[] {
    const found = this.#found;
    this.#found = [];
    return found;
  }

  /** A property, by its place, is decided elsewhere. */
  settle(place: number): void {
    const asked = this.properties.all[place];
    if (asked) this.#decided.add(asked);
  }

  /** Trackers of one walk, for the properties of runs that are not decided. */
  trackers(): readonly { readonly asked: CompiledProperty; readonly tracker: Tracker }[] {
    return this.#ofRuns.flatMap(({ asked, property }) =>
      this.#decided.has(asked)
        ? []
        : [{ asked, tracker: trackerOf(property, this.compiled.worlds.protocol) }],
    );
  }

  /** Looks at a world that is new. */
  look(vector: Int32Array, run: () => readonly Action[]): void {
    for (const asked of this.#ofStates)
      if (!this.#decided.has(asked) && asked.holds(vector) === (asked.kind !== 'always'))
        this.note(asked, run());
    for (const asked of this.#ofSteps) {
      if (this.#decided.has(asked)) continue;
      const action = asked.violatedStepIn?.(vector);
      if (action !== undefined) this.note(asked, [...run(), this.compiled.actionOf(action)]);
    }
  }

  /** A world in which nothing is possible, and time does not run. */
  quiescent(vector: Int32Array, run: () => readonly Action[]): void {
    const { deadlocks } = this.properties;
    if (deadlocks && !this.#decided.has(deadlocks) && !deadlocks.holds(vector))
      this.note(deadlocks, run());
  }

  /** An action fails in the world that a run leads to. */
  fails(step: number, run: () => readonly Action[]): void {
    const asked = this.properties.violatedBy(this.compiled.errorOf(step));
    if (!this.#decided.has(asked)) this.note(asked, run());
  }

  note(asked: CompiledProperty, run: readonly Action[], ends = false): void {
    if (this.#decided.has(asked)) return;
    this.#decided.add(asked);
    this.#found.push([this.properties.all.indexOf(asked), { run, ends }]);
  }
}
