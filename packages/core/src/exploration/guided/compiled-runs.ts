import { trackerOf } from '../../judge/judge.js';
import type { Property } from '../../protocol/property.js';
import { isOfRuns } from '../../protocol/property-kinds.js';
import { tellMoment } from '../run-judge/moment.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { CompiledProperties } from '../verdicts/properties/compiled-properties.js';
import type { CompiledProperty } from '../verdicts/properties/compiled-property.js';
import { type Steppable, shrink } from '../verdicts/witness/shrink.js';
import type { Action } from '../worlds/world.js';
import { KnownActions } from './known-actions.js';
import { Outlook } from './outlook.js';
import type { Evidence } from './questions.js';
import { TakenMoment } from './taken-moment.js';

/** A world of a run, and the step before. */
interface Point {
  readonly vector: Int32Array;
  readonly before?: Point;
  readonly action: number;
}

/** What is possible in a world: by the number of its action, the world after it. */
type Possible = ReadonlyMap<number, Int32Array>;

/**
 * A shorter run that still decides a property, as the tables have it: much faster than by XState,
 * which takes what is left.
 */
export function shrunkByTables(
  compiled: CompiledWorlds,
  properties: CompiledProperties,
  { place, property }: { readonly place: number; readonly property: Property | undefined },
  { run, ends }: Evidence,
): readonly Action[] {
  const asked = properties.all[place] as CompiledProperty; // the place of a property
  const actions = new KnownActions(compiled);
  const possible = new WeakMap<Point, Possible>();
  const after = (point: Point): Possible => {
    const known = possible.get(point) ?? possibleIn(compiled, point.vector);
    possible.set(point, known);
    return known;
  };
  const vector = new Int32Array(compiled.width);
  compiled.initial(vector);
  const system: Steppable<Point, number> = {
    initial: { vector, action: -1 },
    actions: (point) => [...after(point).keys()],
    next: (before, action) => ({
      before,
      action,
      vector: after(before).get(action) as Int32Array, // one of its actions
    }),
  };
  const decides = (end: Point): boolean => {
    const outlook = () => outlookIn(compiled, actions, end.vector);
    if (property && isOfRuns(property))
      return violates(compiled, property, end, ends ? outlook() : undefined);
    if (properties.faults.includes(asked)) return failsIn(compiled, properties, asked, end.vector);
    if (asked === properties.deadlocks && !outlook().isQuiescent(end.vector)) return false;
    return asked.holds(end.vector) === (asked.kind !== 'always');
  };
  const numbers = run.map((action) => compiled.actionNumber(action));
  return shrink(system, numbers, decides).map((action) => compiled.actionOf(action));
}

function possibleIn(compiled: CompiledWorlds, vector: Int32Array): Possible {
  const into = new Int32Array(compiled.width);
  const possible = new Map<number, Int32Array>();
  const visit = (action: number) => {
    possible.set(action, into.slice());
    return false;
  };
  compiled.expand(vector, into, visit, () => {});
  return possible;
}

function failsIn(
  compiled: CompiledWorlds,
  properties: CompiledProperties,
  asked: CompiledProperty,
  vector: Int32Array,
): boolean {
  let fails = false;
  const fault = (_action: number, step: number) => {
    fails ||= properties.violatedBy(compiled.errorOf(step)) === asked;
  };
  compiled.expand(vector, new Int32Array(compiled.width), () => false, fault);
  return fails;
}

function outlookIn(compiled: CompiledWorlds, actions: KnownActions, vector: Int32Array): Outlook {
  const outlook = new Outlook(compiled);
  const note = (action: number) => {
    outlook.note(actions.of(action));
    return false;
  };
  compiled.expand(vector, new Int32Array(compiled.width), note, note);
  return outlook;
}

/** Whether a run violates a property of runs, if it ends there or goes on. */
function violates(
  compiled: CompiledWorlds,
  property: Property,
  end: Point,
  outlook: Outlook | undefined,
): boolean {
  const points: Point[] = [];
  for (let at: Point | undefined = end; at; at = at.before) points.push(at);
  const tracker = trackerOf(property, compiled.worlds.protocol);
  const moment = new TakenMoment(compiled);
  for (const { action, vector } of points.reverse()) {
    if (action < 0) moment.begin(vector);
    else moment.take(action, vector);
    if (tellMoment(tracker, moment)) return true;
    if (tracker.decided) return false;
  }
  return (
    outlook?.mayEnd(property.kind, end.vector) === true &&
    tracker.ended(moment.view).value === 'false'
  );
}
