import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { increases, type Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { everyInterleaving } from '../../../contract/explored.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { centralCoordinator } from '../../central/central-coordinator/protocol.js';
import {
  entry,
  exclusion,
  fencing,
  ignoringUnexpected,
  outcomeOf,
} from '../../outcome.contract.js';
import { lamport } from '../../permission/lamport/protocol.js';
import { ricartAgrawalaAcknowledged } from '../../permission/ricart-agrawala/protocol.js';
import { raymond } from '../../token/raymond/protocol.js';
import {
  claimsTooEarly,
  doesNotCountClaims,
  doesNotCountTurns,
  forgetsClaim,
  givesBackInnerTooEarly,
  keepsWithoutRequest,
  mutant,
} from './mutants.contract.js';
import { hierarchical } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const ring = hierarchical();
const central = hierarchical({ within: centralCoordinator(), between: raymond() });

/** The verdicts of the whole; the traces by property. */
function found(protocol: Protocol, n: number, budget: ExploreOptions) {
  const { states, verdicts, traces } = outcomeOf(protocol, complete(n), budget);
  return {
    verdicts: {
      states,
      exclusion: verdicts[exclusion],
      entry: verdicts[entry],
      fence: verdicts[fencing],
    },
    traces,
  };
}

describe('hierarchical assumptions', () => {
  proof('after a lost message exclusion holds, and a node may wait forever', () => {
    expect(found(ring, 4, { losses: 1 }).verdicts).toEqual({
      states: 9_652,
      exclusion: 'holds',
      entry: 'violated in 10',
      fence: 'holds',
    });
    expect(found(central, 6, { losses: 1 }).verdicts).toEqual({
      states: 18_512,
      exclusion: 'holds',
      entry: 'violated in 2',
      fence: 'holds',
    });
  });

  proof('after a crash exclusion holds, and a node may wait forever', () => {
    expect(found(ring, 4, { crashes: 1 }).verdicts).toEqual({
      states: 32_990,
      exclusion: 'holds',
      entry: 'violated in 7',
      fence: 'holds',
    });
    expect(found(central, 6, { crashes: 1 }).verdicts).toEqual({
      states: 71_984,
      exclusion: 'holds',
      entry: 'violated in 2',
      fence: 'holds',
    });
  });

  proof(
    'a representative that restarts has forgotten which node it has admitted: the page shows the shortest run',
    () => {
      const budget = { crashes: 1, restarts: 1, initiators: ['b', 'd'] };
      const { verdicts, traces } = found(ignoringUnexpected(central), 4, budget);
      expect(verdicts).toEqual({
        states: 1_995,
        exclusion: 'violated in 14',
        entry: 'violated in 2',
        fence: 'violated in 14',
      });
      expect(page).toContain(traces[exclusion]);
    },
  );

  it('a part restores its stable fields: a coordinator grants no number twice', () => {
    const granted = increases('the number that a coordinator grants to b', ({ id, context }) =>
      id === 'b' ? Object(context.within).entry || undefined : undefined,
    );
    const budget = {
      crashes: 1,
      restarts: 1,
      initiators: ['b'],
      commands: 2,
      properties: [granted],
    };
    const verdictOf = (protocol: Protocol) =>
      propertyNamed(explore(protocol, complete(4), budget).properties, granted.name).verdict;
    expect(verdictOf(ignoringUnexpected(central))).toBe('holds');
    const roles = Object.entries(central.roles).map(([name, role]) => [
      name,
      { ...role, stable: [] },
    ]);
    expect(verdictOf(ignoringUnexpected({ ...central, roles: Object.fromEntries(roles) }))).toBe(
      'violated',
    );
  });

  proof('a duplicated message breaks exclusion', () => {
    const { verdicts } = found(ignoringUnexpected(central), 4, { duplications: 1, commands: 2 });
    expect(verdicts).toEqual({
      states: 24_324,
      exclusion: 'violated in 20',
      entry: 'violated in 13',
      fence: 'violated in 12',
    });
  });

  proof('the hierarchy needs the channels that its parts need', () => {
    const fragile = hierarchical({ between: lamport });
    expect(fragile.channels.order).toBe('fifo');
    const budget = { initiators: ['b', 'd'] };
    expect(found(fragile, 4, budget).verdicts).toEqual({
      states: 344,
      exclusion: 'holds',
      entry: 'holds',
      fence: 'holds',
    });
    expect(found(ignoringUnexpected(fragile), 4, { ...budget, order: 'any' }).verdicts).toEqual({
      states: 1_665,
      exclusion: 'violated in 12',
      entry: 'holds',
      fence: 'violated in 12',
    });
  });

  proof('a part with timeouts needs exact time, and so does the hierarchy', () => {
    const timed = hierarchical({
      within: centralCoordinator(),
      between: ricartAgrawalaAcknowledged(),
    });
    const { time } = ricartAgrawalaAcknowledged().channels;
    expect(time).toMatchObject({ kind: 'exact' });
    expect(timed.channels.time).toEqual(time);
    expect(hierarchical({ within: timed }).channels.time).toEqual(time);
    const other = ricartAgrawalaAcknowledged({ timeout: 500 });
    expect(() => hierarchical({ within: timed, between: other })).toThrow(
      'the parts need different times',
    );
    expect(ring.channels.time).toBeUndefined();
    const budget = { initiators: ['b', 'd'] };
    expect(found(timed, 4, budget).verdicts).toEqual({
      states: 2_104,
      exclusion: 'holds',
      entry: 'holds',
      fence: 'holds',
    });
    expect(found(timed, 4, { ...budget, time: 'untimed' }).verdicts).toEqual({
      states: 5_078,
      exclusion: 'violated in 12',
      entry: 'holds',
      fence: 'violated in 12',
    });
  });
});

describe('hierarchical fencing', () => {
  proof('a duplicated `admitted` breaks the order: the page shows the shortest run', () => {
    const { traces } = found(ignoringUnexpected(central), 4, { duplications: 1, commands: 2 });
    expect(page).toContain(traces[fencing]);
  });

  it('does not exist where the outer part has none', () => {
    const { fence: _, ...numberless } = raymond();
    const { fence, properties } = hierarchical({ between: numberless });
    expect(fence).toBeUndefined();
    expect(properties.some(({ kind }) => kind === 'increases')).toBe(false);
  });
});

// Tests by the explorer alone: mutants that seeded runs seldom refute, several turns, three
// clusters.

const parts = { within: centralCoordinator(), between: raymond() };
const three = hierarchical({ ...parts, clusters: 3 });
const twice = hierarchical({ ...parts, turns: 2 });

describe('A13 hierarchical: mutual exclusion, in few networks', () => {
  everyInterleaving(ring, [[complete(4), { initiators: ['a', 'b', 'd'] }, 849]], {
    'a member claims before it has the inner lock': mutant(
      'complete:4, 17 steps: no node waits in a quiescent state',
      ring,
      claimsTooEarly,
    ),
    'a member gives back the inner lock when it claims the outer one': mutant(
      'complete:4, 4 steps: in each cluster: a node that waits keeps waiting until it enters',
      ring,
      givesBackInnerTooEarly,
    ),
    'the representative forgets a claim that overtakes `left`': mutant(
      'complete:4, 22 steps: every node that wants to enter eventually enters',
      ring,
      forgetsClaim,
    ),
  });
});

describe('A13 hierarchical: mutual exclusion, in three clusters', () => {
  everyInterleaving(three, [
    [complete(6), { commands: 2 }, 22_565],
    [complete(6), { commands: 2, order: 'fifo' }, 13_098],
  ]);
});

describe('A13 hierarchical: mutual exclusion, 2 turns', () => {
  everyInterleaving(
    twice,
    [
      [complete(6), { initiators: ['b', 'c', 'e'] }, 6_405],
      [complete(6), { commands: 2, initiators: ['b', 'c', 'e'], order: 'fifo' }, 16_315],
    ],
    {
      'the cluster keeps the outer lock without a request': mutant(
        'complete:6, 20 steps: no node waits in a quiescent state',
        twice,
        keepsWithoutRequest,
      ),
      'turns are not counted': mutant(
        'complete:6, 13 steps: each entry has a larger fencing token than every entry before it',
        twice,
        doesNotCountTurns,
      ),
      'a request counts even after its claim': mutant(
        'complete:6, 20 steps: no node waits in a quiescent state',
        twice,
        doesNotCountClaims,
      ),
    },
  );
});

describe('A13 hierarchical: mutual exclusion, 2 turns of a token ring', () => {
  const ringTwice = hierarchical({ turns: 2 });
  everyInterleaving(ringTwice, [
    [complete(4), {}, 17_090],
    [complete(5), { initiators: ['b', 'c', 'e'] }, 9_448],
  ]);
});
