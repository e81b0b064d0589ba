import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { type NodeView, sometimes } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { withoutSteps } from '../../../contract/without-steps.js';
import { forgiving } from '../../ignoring-unexpected.contract.js';
import { ricartAgrawala } from './protocol.js';

describe('ricart-agrawala fencing', () => {
  const [, , , larger] = withoutSteps(ricartAgrawala).properties;
  const fencing = (budget: ExploreOptions) => {
    const protocol = forgiving(ricartAgrawala);
    const [, , , found] = explore(withoutSteps(protocol), complete(2), { commands: 2, ...budget }).properties;
    expect(found?.name).toBe(larger?.name);
    if (found?.trace) expect(replay(protocol, complete(2), found.trace)).toEqual({ steps: found.trace.lines.length });
    return found?.trace ? `${found.verdict} in ${found.trace.lines.length}` : found?.verdict;
  };

  it('numbers grow where a message is lost or a node crashes', () => {
    expect([{ losses: 1 }, { crashes: 1 }].map(fencing)).toEqual(['holds', 'holds']);
  });

  it('they do not where a reply comes twice, nor where a node comes back with its clock at 0', () => {
    expect([{ duplications: 1 }, { crashes: 1, restarts: 1 }].map(fencing)).toEqual(['violated in 10', 'violated in 8']);
  });
});

describe('ricart-agrawala assumptions', () => {
  const lossy = {
    protocol: withoutSteps(ricartAgrawala),
    topology: complete(4),
    conditions: { order: 'any', loss: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } },
  } as const;
  const verdicts = (options: object) =>
    simulate({ ...lossy, workload: closedLoop({ entries: 3 }), ...options }).properties.map(({ verdict }) => verdict);

  it('a lost message breaks liveness, not safety', () => {
    for (let seed = 1; seed <= 200; seed++) expect(verdicts({ seed })[0]).toBe('holds');
    expect(verdicts({ seed: 1 })).toEqual(['holds', 'violated', 'reached', 'holds']);
  });

  it.each([
    [2, 60, 2],
    [3, 22_748, 4],
  ])('one lost message, wherever among %i nodes, breaks liveness, not safety: every interleaving', (n, states, steps) => {
    const found = explore(withoutSteps(ricartAgrawala), complete(n), { commands: 1, losses: 1 });
    expect(found).toMatchObject({ complete: true, states });
    const [exclusion, enters, , handled] = found.properties;
    expect([exclusion?.verdict, enters?.verdict, handled?.verdict]).toEqual(['holds', 'violated', 'holds']);
    const trace = enters?.trace;
    expect(trace?.lines).toHaveLength(steps);
    expect(trace?.lines.filter(({ event }) => event.kind === 'drop')).toHaveLength(1);
    expect(trace && replay(ricartAgrawala, complete(n), trace)).toEqual({ steps });
  });

  it('a reliable link below makes up for loss, doubling and overtaking', () => {
    for (let seed = 1; seed <= 50; seed++)
      expect(verdicts({ seed, reliable: true, conditions: { ...lossy.conditions, duplication: 0.1 } })).toEqual([
        'holds',
        'holds',
        'reached',
        'holds',
      ]);
  });

  it.each<readonly [string, NonNullable<ExploreOptions['mayCrash']>, number]>([
    ['neither waits nor is inside', ({ tags }) => tags.size === 0, 4],
    ['waits', ({ tags }) => tags.has('waiting'), 7],
    ['is inside', ({ tags }) => tags.has('critical'), 9],
  ])('one of three nodes that crashes while it %s breaks liveness, not safety: every interleaving', (_where, mayCrash, steps) => {
    const found = explore(withoutSteps(ricartAgrawala), complete(3), { crashes: 1, mayCrash });
    expect(found.complete).toBe(true);
    expect(found.properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual(['holds', 'violated', 'reached', 'holds']);
    const trace = found.properties[1]?.trace;
    expect(trace && replay(ricartAgrawala, complete(3), trace)).toEqual({ steps });
  });

  it('whoever lacks the reply of a node that has crashed never enters; whoever has it does', () => {
    const lacking = sometimes(
      'inside without the reply',
      ({ nodes }) =>
        nodes.some(({ tags }) => tags.has('critical')) &&
        nodes.some(({ id, crashed, context }) => id === 'c' && crashed && context.clock === 0),
    );
    const having = sometimes(
      'inside with the reply',
      ({ nodes }) => nodes.some(({ tags }) => tags.has('critical')) && nodes.some(({ id, crashed }) => id === 'c' && crashed),
    );
    const budget = { crashes: 1, mayCrash: ({ id }: NodeView) => id === 'c', initiators: ['a', 'b'], properties: [lacking, having] };
    const { properties } = explore(ricartAgrawala, complete(3), budget);
    expect(properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['unreached', 'reached']);
  });

  it('a node that crashes stops everybody else, sooner or later', () => {
    const result = simulate({
      ...lossy,
      conditions: {},
      workload: closedLoop({ entries: 3 }),
      faults: [{ kind: 'crash', node: 'd', at: 30 }],
    });
    expect(result.properties.map(({ verdict }) => verdict)).toEqual(['holds', 'violated', 'reached', 'holds']);
    expect(result.trace?.lines.some(({ event }) => event.kind === 'crash')).toBe(true);
  });
});
