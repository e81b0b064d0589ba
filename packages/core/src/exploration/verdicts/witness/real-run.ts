import { ConclaveError } from '../../../base/error.js';
import type { Property } from '../../../protocol/property.js';
import { reliesOnCommands } from '../../../protocol/property-kinds.js';
import { type JudgedRun, RunJudge } from '../../run-judge/run-judge.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { Search } from '../../search/traversal/search.js';
import { sameData } from '../../worlds/canonical.js';
import { nextOrFault } from '../../worlds/next-or-fault.js';
import type { Evidence } from '../properties/compiled-property.js';
import type { Fairness } from '../properties/liveness.js';
import type { Quotient } from '../reductions/quotient.js';
import { runOf } from './run-of.js';

/**
 * Whether what a search has found that leaves out worlds or steps is a run of the system itself,
 * which violates `property`. XState takes the run again, the judge of runs judges it, and whether
 * it is fair is decided by all actions that are possible in its worlds.
 */
export function isRealViolation(
  compiled: CompiledWorlds,
  {
    property,
    evidence,
    search,
    quotient,
    fairness,
  }: {
    readonly property: Property;
    readonly evidence: Evidence;
    readonly search: Search;
    readonly quotient: Quotient | undefined;
    readonly fairness: Fairness;
  },
): boolean {
  try {
    const { taken, loopsFrom } = runOf(compiled, quotient, evidence, search);
    const judge = new RunJudge(compiled.worlds, [property]);
    const runs = judgedRuns(compiled, judge, taken);
    const last = runs?.at(-1);
    if (!runs || !last) return false;
    if (loopsFrom === undefined) return last.isFalse(0);
    // with the run up to where the loop begins
    const loop = runs.slice(loopsFrom) as [JudgedRun, ...JudgedRun[]];
    const [standing] = judge.repeated(loop[0], last) ?? [];
    return (
      standing?.value === 'false' &&
      (property.kind === 'atMost' || isFair(compiled, property, fairness, loop))
    );
  } catch (error) {
    if (error instanceof ConclaveError) return false;
    throw error;
  }
}

/** The run, judged after each of its actions; undefined if one of them is not possible. */
function judgedRuns(
  compiled: CompiledWorlds,
  judge: RunJudge,
  taken: readonly number[],
): readonly JudgedRun[] | undefined {
  let run = judge.begin();
  const runs = [run];
  for (const number of taken) {
    const action = compiled.actionOf(number);
    if (!run.position.actions.some((possible) => sameData(possible, action))) return undefined;
    const next = nextOrFault(compiled.worlds, run.position.world, action);
    if (next instanceof ConclaveError) return undefined;
    run = judge.after(run, action, next);
    runs.push(run);
  }
  return runs;
}

/** Whether a run that goes around this loop forever is fair; one run: whether it may stop there. */
function isFair(
  compiled: CompiledWorlds,
  { kind }: Property,
  fairness: Fairness,
  [first, ...others]: readonly [JudgedRun, ...JudgedRun[]],
): boolean {
  const classOf = (action: number) =>
    !reliesOnCommands(kind) && compiled.isOptional(action) ? -1 : compiled.fairness(action);
  const enabled = [first, ...others].map((run) => fairClasses(compiled, run, classOf));
  if (others.length === 0) return enabled.every((classes) => classes.size === 0);
  if (fairness === 'none') return true;
  const taken = new Set(
    others.map(
      ({ position }) => position.taken && classOf(compiled.actionNumber(position.taken.action)),
    ),
  );
  const all = [...new Set(enabled.flatMap((classes) => [...classes]))];
  const isStarved = (one: number) =>
    !taken.has(one) && (fairness === 'strong' || enabled.every((classes) => classes.has(one)));
  return !all.some(isStarved);
}

/** The fair classes of the actions that are possible where a run is. */
function fairClasses(
  compiled: CompiledWorlds,
  { position }: JudgedRun,
  classOf: (action: number) => number,
): ReadonlySet<number> {
  const [vector, next] = [new Int32Array(compiled.width), new Int32Array(compiled.width)];
  compiled.encoding.encode(position.world, vector);
  const classes = new Set<number>();
  const note = (action: number) => {
    const fair = classOf(action);
    if (fair >= 0) classes.add(fair);
    return false;
  };
  compiled.expand(vector, next, note, note);
  return classes;
}
