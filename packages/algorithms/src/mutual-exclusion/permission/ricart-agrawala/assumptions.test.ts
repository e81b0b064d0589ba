import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { type NodeView, sometimes } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../../contract/findings.js';
import { withoutSteps } from '../../../contract/mutant.js';
import { ignoringUnexpected } from '../../ignoring-unexpected.contract.js';
import { entry, exclusion, fencing, handled, outcomeOf } from '../../outcome.contract.js';
import { ricartAgrawala } from './protocol.js';

describe('ricart-agrawala fencing', () => {
  proof.each([
    ['tokens grow where a message is lost', { losses: 1 }, 'holds'],
    ['tokens grow where a node crashes', { crashes: 1 }, 'holds'],
    ['a duplicated reply breaks the order', { duplications: 1 }, 'violated in 10'],
    [
      'a node that restarts with its clock at 0 breaks the order',
      { crashes: 1, restarts: 1 },
      'violated in 8',
    ],
  ] satisfies [string, ExploreOptions, string][])('%s', (_what, fault, verdict) => {
    const { verdicts } = outcomeOf(ignoringUnexpected(ricartAgrawala), complete(2), {
      commands: 2,
      ...fault,
    });
    expect(verdicts).toMatchObject({ [fencing]: verdict });
  });
});

describe('ricart-agrawala assumptions', () => {
  const lossy = {
    protocol: withoutSteps(ricartAgrawala),
    topology: complete(4),
    conditions: { order: 'any', loss: 0.1, delay: { kind: 'uniform', least: 1, most: 20 } },
  } as const;
  const simulated = (options: object) => {
    const { properties, trace } = simulate({
      ...lossy,
      workload: closedLoop({ entries: 3 }),
      ...options,
    });
    return { trace, verdictOf: (name: string) => propertyNamed(properties, name).verdict };
  };

  proof('lost messages break liveness, not safety', () => {
    for (let seed = 1; seed <= 200; seed++)
      expect(simulated({ seed }).verdictOf(exclusion)).toBe('holds');
    expect(simulated({ seed: 1 }).verdictOf(entry)).toBe('violated');
  });

  proof.each([
    [2, 60, 2],
    [3, 22_748, 4],
  ])(
    'one lost message among %i nodes breaks liveness, not safety: every interleaving',
    (n, states, steps) => {
      const found = outcomeOf(ricartAgrawala, complete(n), { commands: 1, losses: 1 });
      expect(found.states).toBe(states);
      expect(found.verdicts).toMatchObject({
        [exclusion]: 'holds',
        [entry]: `violated in ${steps}`,
        [handled]: 'holds',
      });
      expect(found.traces[entry]?.match(/ drop /g)).toHaveLength(1);
    },
  );

  proof('a reliable link compensates loss, duplication and overtaking', () => {
    for (let seed = 1; seed <= 50; seed++) {
      const { verdictOf } = simulated({
        seed,
        reliable: true,
        conditions: { ...lossy.conditions, duplication: 0.1 },
      });
      expect([exclusion, entry, fencing].map(verdictOf)).toEqual(['holds', 'holds', 'holds']);
    }
  });

  proof.each<readonly [string, NonNullable<ExploreOptions['mayCrash']>, number]>([
    ['is idle', ({ tags }) => tags.size === 0, 4],
    ['waits', ({ tags }) => tags.has('waiting'), 7],
    ['is in the critical section', ({ tags }) => tags.has('critical'), 9],
  ])(
    'a node of three that crashes while it %s breaks liveness, not safety: every interleaving',
    (_where, mayCrash, steps) => {
      const { verdicts } = outcomeOf(ricartAgrawala, complete(3), { crashes: 1, mayCrash });
      expect(verdicts).toMatchObject({
        [exclusion]: 'holds',
        [entry]: `violated in ${steps}`,
        [fencing]: 'holds',
      });
    },
  );

  it('a node without the reply of a crashed node never enters; a node with it does', () => {
    const without = sometimes(
      'a node enters without the reply',
      ({ nodes }) =>
        nodes.some(({ tags }) => tags.has('critical')) &&
        nodes.some(({ id, crashed, context }) => id === 'c' && crashed && context.clock === 0),
    );
    const withReply = sometimes(
      'a node enters with the reply',
      ({ nodes }) =>
        nodes.some(({ tags }) => tags.has('critical')) &&
        nodes.some(({ id, crashed }) => id === 'c' && crashed),
    );
    const budget = {
      crashes: 1,
      mayCrash: ({ id }: NodeView) => id === 'c',
      initiators: ['a', 'b'],
      properties: [without, withReply],
    };
    const { properties } = explore(ricartAgrawala, complete(3), budget);
    expect([without, withReply].map(({ name }) => propertyNamed(properties, name).verdict)).toEqual(
      ['unreached', 'reached'],
    );
  });

  it('a node that crashes in a simulation eventually stops all others', () => {
    const { verdictOf, trace } = simulated({
      conditions: {},
      faults: [{ kind: 'crash', node: 'd', at: 30 }],
    });
    expect([exclusion, entry].map(verdictOf)).toEqual(['holds', 'violated']);
    expect(trace?.lines.some(({ event }) => event.kind === 'crash')).toBe(true);
  });
});
