/** A judged run agrees with the explorer, which knows all runs. */
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { Random } from '../../base/random.js';
import { explore } from '../explore/explore.js';
import { systems } from '../fixtures/systems.contract.js';
import { nextOrFault, Worlds } from '../worlds/worlds.js';
import { asked } from './questions.contract.js';
import { type JudgedRun, RunJudge } from './run-judge.js';

/** The moments of a random run, until it ends. */
function* walked(
  worlds: Worlds,
  judge: RunJudge,
  random: Random,
  most: number,
): Generator<JudgedRun> {
  let run = judge.begin();
  yield run;
  for (let step = 0; step < most && !run.position.fault; step++) {
    const actions = worlds.actions(run.position.world);
    if (actions.length === 0) return;
    const action = random.pick(actions);
    run = judge.after(run, action, nextOrFault(worlds, run.position.world, action));
    yield run;
  }
}

/** So many runs are looked at. */
const mostRuns = 1500;

/**
 * The length of a shortest run on which each property is false, of all runs up to the length
 * `depth`.
 */
function firstFalse(worlds: Worlds, judge: RunJudge, count: number) {
  const at: (number | undefined)[] = [];
  let runs: readonly JudgedRun[] = [judge.begin()];
  let depth = 0;
  for (let total = 1; ; depth++) {
    for (let index = 0; index < count; index++)
      if (at[index] === undefined && runs.some((run) => run.isFalse(index))) at[index] = depth;
    total += runs.reduce((sum, { position }) => sum + position.actions.length, 0);
    if (total > mostRuns) return { at, depth };
    runs = runs.flatMap((run) =>
      run.position.fault
        ? []
        : run.position.actions.map((action) =>
            judge.after(run, action, nextOrFault(worlds, run.position.world, action)),
          ),
    );
    if (runs.length === 0) return { at, depth };
  }
}

/** What the explorer refuted or reached, by its kind. */
const decided = new Set<string>();

describe.each(sampled(systems, 5).map(([name, ...system]) => ({ name, system })))(
  '$name',
  ({ system: [protocol, topology, options] }) => {
    const properties = asked(protocol);
    const worlds = new Worlds(protocol, topology, options);
    const judge = new RunJudge(worlds, properties);

    const found = explore(protocol, topology, { ...options, properties });

    it('is false on each counterexample of the explorer, and true where it reaches something', () => {
      for (const { name, verdict, steps, loopsFromStep } of found.properties) {
        if (!steps) continue;
        let run = judge.begin();
        const runs = [run];
        for (const number of steps) {
          const action =
            worlds.actions(run.position.world)[number] ?? expect.fail('no such action');
          run = judge.after(run, action, nextOrFault(worlds, run.position.world, action));
          runs.push(run);
        }
        const first = loopsFromStep === undefined ? undefined : runs[loopsFromStep];
        const standings = first ? judge.repeated(first, run) : run.standings;
        const value = standings?.find((standing) => standing.name === name)?.value;
        expect([name, loopsFromStep, value]).toEqual([
          name,
          loopsFromStep,
          verdict === 'violated' ? 'false' : 'true',
        ]);
        decided.add(
          `${verdict} ${found.properties.find((property) => property.name === name)?.kind}${first ? ' forever' : ''}`,
        );
      }
    });

    proof('is false on no shorter run than the shortest counterexample of the explorer', () => {
      const { at, depth } = firstFalse(worlds, judge, properties.length);
      for (const [index, { name }] of properties.entries()) {
        const { verdict, steps, loopsFromStep, trace } = found.properties[index] ?? {};
        if (verdict !== 'violated' || !steps || loopsFromStep !== undefined) continue;
        // a trace goes on until all choices are answered
        const kinds = (trace?.lines ?? []).map(({ event }) => event.kind);
        const taken = kinds.findLastIndex((kind) => kind !== 'chosen' && kind !== 'start');
        const answers = kinds.slice(taken + 1).filter((kind) => kind === 'chosen').length;
        const level = at[index] ?? depth + 1;
        expect([name, level <= steps.length || level > depth]).toEqual([name, true]);
        expect([name, level >= Math.min(steps.length - answers, depth + 1)]).toEqual([name, true]);
      }
    });

    it('is false on no run where the explorer proves it', () => {
      const proved = new Set(
        found.properties.flatMap(({ name, verdict }) =>
          verdict === 'holds' || verdict === 'vacuous' ? name : [],
        ),
      );
      for (let seed = 1; seed <= 4; seed++)
        for (const { standings } of walked(worlds, judge, new Random(seed), 40))
          for (const { name, value } of standings)
            if (value === 'false') expect([name, proved.has(name)]).toEqual([name, false]);
    });
  },
);

proof('was asked about every kind of property', () => {
  expect([...decided].sort()).toEqual([
    'reached sometimes',
    'violated always',
    'violated alwaysEventually forever',
    'violated atMost',
    'violated atMost forever',
    'violated eventually forever',
    'violated everyStep',
    'violated increases',
    'violated leadsTo forever',
    'violated never',
    'violated overtaken',
  ]);
});
