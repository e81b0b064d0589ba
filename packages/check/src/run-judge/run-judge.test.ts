/** A judged run agrees with the explorer, which knows all runs. */

import type { Protocol } from '@conclave/core/protocol';
import {
  always,
  atMost,
  ConclaveError,
  leadsTo,
  type NodeView,
  never,
  type Property,
  sometimes,
} from '@conclave/core/protocol';
import { Random } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { centralLock } from '../../../core/src/protocol/examples.contract.js';
import { explore } from '../explore/explore.js';
import { greetings } from '../fixtures/explored.contract.js';
import { systems } from '../fixtures/systems.contract.js';
import { actionText } from '../worlds/run-lines.js';
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

/** The standings of a run of these actions, each the first that its text begins with. */
function standings(
  protocol: Protocol,
  topology: Topology,
  texts: readonly string[],
  properties: readonly Property[],
  budget = {},
) {
  const worlds = new Worlds(protocol, topology, budget);
  const judge = new RunJudge(worlds, properties);
  let run = judge.begin();
  for (const text of texts) {
    const { world } = run.position;
    const action =
      worlds.actions(world).find((one) => actionText(protocol, one).startsWith(text)) ??
      expect.fail(`no ${text}`);
    run = judge.after(run, action, nextOrFault(worlds, world, action));
  }
  return run.standings;
}

const waits = ({ tags }: NodeView) => tags.has('waiting');

describe('a standing', () => {
  const lock = (texts: readonly string[], ...properties: Property[]) =>
    standings(
      centralLock,
      star(4),
      texts,
      properties.length === 0 ? centralLock.properties : properties,
      { commands: 2 },
    );

  it('names the nodes that are awaited', () => {
    const [, , entry] = lock(['b acquire', 'c acquire']);
    expect(entry).toEqual({
      name: 'a waiting node enters',
      kind: 'leadsTo',
      value: 'undecided',
      reason: 'b and c wait.',
      nodes: ['b', 'c'],
    });
    expect(lock(['c acquire', 'b acquire'])[2]).toMatchObject({ nodes: ['b', 'c'] });
    expect(lock(['b acquire', 'c acquire', 'a request', 'b grant'])[2]).toMatchObject({
      value: 'undecided',
      reason: 'c waits.',
      nodes: ['c'],
    });
    expect(lock(['b acquire', 'a request', 'b grant'])[2]).toMatchObject({
      value: 'true',
      nodes: [],
    });
  });

  it('names each smallest set of nodes without which a property of the system would hold', () => {
    const few = always('at most one waits', (system) => system.count('waiting') <= 1);
    expect(lock(['b acquire', 'd acquire'], few)[0]).toMatchObject({
      value: 'false',
      reason: 'It would hold without b or without d.',
      nodes: ['b', 'd'],
    });
    const none = never('two wait', (system) => system.count('waiting') > 0);
    expect(lock(['b acquire'], none)[0]).toMatchObject({
      reason: 'It would hold without b.',
      nodes: ['b'],
    });
    const empty = always(
      'no client waits and nothing is in flight',
      (system) => system.count('waiting') + system.inFlight().length === 0,
    );
    expect(lock(['c acquire'], empty)[0]).toMatchObject({
      reason: 'It would hold without c.',
      nodes: ['c'],
    });
    const three = always(
      'two at least are quiet',
      (system) => system.nodes.length - system.count('waiting') >= 2,
    );
    expect(lock(['b acquire', 'c acquire', 'd acquire'], three)[0]).toMatchObject({
      reason: 'No single node is to blame.',
      nodes: [],
    });
  });

  it('stays false, as it was when it became false', () => {
    const few = always('at most one waits', (system) => system.count('waiting') <= 1);
    const then = lock(['b acquire', 'd acquire'], few)[0];
    expect(lock(['b acquire', 'd acquire', 'a request', 'b grant'], few)[0]).toEqual(then);
  });

  it('counts', () => {
    const cost = atMost(1, { per: 'acquire' });
    expect(lock(['b acquire'], cost)[0]).toMatchObject({
      value: 'true',
      reason: '1 of at most 1, after 1 acquire.',
    });
    expect(lock(['b acquire', 'a request'], cost)[0]).toMatchObject({
      value: 'false',
      reason: '2 of at most 1, after 1 acquire.',
      nodes: ['a'],
    });
  });

  it('is an error where the property fails, and the others stand', () => {
    const broken = always('a colour', ({ nodes }) => {
      if (nodes.some(({ tags }) => tags.has('waiting'))) throw new Error('no colour');
      return true;
    });
    const [failed, other] = lock(
      ['b acquire'],
      broken,
      sometimes('a node waits', (system) => system.count('waiting') > 0),
    );
    expect(failed).toMatchObject({
      value: 'undecided',
      reason: expect.stringContaining("Property 'a colour' fails: no colour"),
    });
    expect(failed?.error).toBeInstanceOf(ConclaveError);
    expect(other).toMatchObject({ value: 'true' });
  });

  it('is an error only of deadlocks where what says that a node waits fails', () => {
    const protocol: Protocol = {
      ...greetings,
      waiting: () => {
        throw new Error('who knows');
      },
    };
    const answer = leadsTo('an answer', waits, (node) => !waits(node));
    const [waited, , deadlock] = standings(protocol, complete(2), [], [answer], { commands: 0 });
    expect(waited).toMatchObject({
      value: 'false',
      reason: "a in 'asleep' and b in 'asleep' are awaited where the run ends.",
    });
    expect(deadlock?.error?.message).toContain('who knows');
  });

  it('is that of another property where the property is changed', () => {
    const texts = ['b acquire', 'c acquire', 'a request', 'b grant'];
    const changed = always('at most none holds', (system) => system.count('critical') <= 0);
    expect([lock(texts)[0]?.value, lock(texts, changed)[0]?.value]).toEqual(['true', 'false']);
  });

  it('of the handling of messages is false where one could arrive that is not handled, and names the node', () => {
    const { value, reason, nodes } = standings(greetings, complete(2), ['a greet'], [])[0] ?? {};
    expect({ value, nodes }).toEqual({ value: 'false', nodes: ['b'] });
    expect(reason).toMatch(/^Node b in 'asleep' does not handle 'hello' \(from a\)/);
  });

  it('of a run that went into a fault says so, and decides no property of runs', () => {
    const answer = leadsTo('an answer', waits, (node) => !waits(node));
    const [waited, handled, deadlock] = standings(
      greetings,
      complete(2),
      ['a greet', 'b hello'],
      [answer],
    );
    expect(waited).toMatchObject({ value: 'undecided', nodes: ['b'] });
    expect(handled).toMatchObject({ value: 'false', nodes: ['b'] });
    expect(deadlock).toMatchObject({
      value: 'true',
      reason: 'The run goes no further than the fault.',
    });
  });

  it('of deadlocks is false where nothing can happen and a node waits', () => {
    expect(standings(greetings, complete(2), [], [], { commands: 0 })[1]).toMatchObject({
      value: 'false',
      reason: 'Nothing can happen, and a and b wait.',
      nodes: ['a', 'b'],
    });
  });
});
