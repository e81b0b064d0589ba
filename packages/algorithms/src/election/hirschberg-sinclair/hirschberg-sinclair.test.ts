import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, type NodeId, type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { ring, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, emit, enqueueActions } from 'xstate';
import { rings } from '../../checks/networks.js';
import { failing } from '../../contract/findings.contract.js';
import {
  mutantOf,
  takeAll,
  withHastyLeader,
  withMachine,
} from '../../contract/machines.contract.js';
import { anyInitiators, shuffledRing } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { largestLeads, properties } from '../election.js';
import { type Event, machine } from './hirschberg-sinclair.js';
import { hirschbergSinclair } from './protocol.js';

const mutant = mutantOf(hirschbergSinclair);
const twoWay = { oneWay: false };
const twoWayRing = (nodes: number | readonly NodeId[]) => ring(nodes, twoWay);

electionContract({
  protocol: hirschbergSinclair,
  topologies: [twoWayRing(3), twoWayRing(['a', 'c', 'b']), twoWayRing(['d', 'c', 'b', 'a'])],
  small: [
    { topology: twoWayRing(3), budget: { initiators: ['a'], order: 'fifo' } },
    { topology: twoWayRing(['a', 'c', 'b']), budget: { initiators: ['c'] } },
  ],
  explored: [
    [
      'two-way rings of 3 in any order, any set of initiators',
      anyInitiators(rings(3, twoWay)),
      {},
      21_710,
    ],
    [
      'two-way rings of 4 in any order, any one initiator',
      anyInitiators(rings(4, twoWay)).filter(({ budget }) => budget.initiators?.length === 1),
      {},
      25_910,
    ],
  ],
  costs: [3, 4, 16, 33, 64].flatMap((n) => [twoWayRing(n), shuffledRing(n, n, twoWay)]),
  winner: ({ nodes }) => [...nodes].sort().at(-1) ?? '',
  mutants: {
    'the last node sends its reply on, not back': mutant(
      'two-way-ring:a,b,c, 3 steps: only the last node of a phase replies to an id',
      machine.provide({
        actions: {
          reply: emit(({ context, event }) => {
            assertEvent(event, 'election');
            return send(event.from === context.left ? context.right : context.left, {
              type: 'reply',
              id: event.id,
              phase: event.phase,
            });
          }),
        },
      }),
    ),
  },
});

describe('hirschberg-sinclair rules', () => {
  const asleep: LocalState = start(machine, 'm', { self: 'm', left: 'l', right: 'r' }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const elect: Event = { type: 'elect' };
  const election = (from: 'l' | 'r', id: NodeId, phase: number, hops: number): Event => ({
    type: 'election',
    id,
    phase,
    hops,
    from,
  });
  const reply = (from: 'l' | 'r', id: NodeId, phase = 0): Event => ({
    type: 'reply',
    id,
    phase,
    from,
  });
  const elected: Event = { type: 'elected', id: 'z', from: 'l' };
  const sends = (to: 'l' | 'r', id: NodeId, phase: number, hops: number) =>
    send(to, { type: 'election', id, phase, hops });
  const first = [sends('l', 'm', 0, 1), sends('r', 'm', 0, 1)];
  const relaying = [elect, election('l', 'z', 0, 1)];
  const leading = [elect, election('l', 'm', 2, 3)];

  it('[HS1] an initiator sends its id one link far to both sides', () => {
    const { state, effects } = after(elect);
    expect(state).toMatchObject({ value: { candidate: 'awaitingBoth' }, context: { phase: 0 } });
    expect(effects).toEqual(first);
  });

  it('[HS2] a smaller id wakes a sleeping node, which becomes a candidate and stops it', () => {
    const { state, effects } = after(election('l', 'a', 0, 1));
    expect(state.value).toEqual({ candidate: 'awaitingBoth' });
    expect(effects).toEqual(first);
  });

  it('[HS3] a node passes on a larger id that is not at its last node, counts a link, and is a relay from then on', () => {
    for (const before of [[], [elect], relaying]) {
      const { state, effects } = after(...before, election('r', 'z', 2, 3));
      expect(state.value).toBe('relaying');
      expect(effects).toEqual([sends('l', 'z', 2, 4)]);
    }
  });

  it('[HS4] the last node replies to a larger id, and is a relay from then on', () => {
    for (const before of [[], [elect], relaying]) {
      const { state, effects } = after(...before, election('r', 'z', 2, 4));
      expect(state.value).toBe('relaying');
      expect(effects).toEqual([send('r', { type: 'reply', id: 'z', phase: 2 })]);
    }
  });

  it('[HS5] a node that is awake stops a smaller id, and one that knows the leader stops every id', () => {
    for (const before of [[elect], relaying, leading])
      expect(after(...before, election('l', 'a', 1, 1)).effects).toEqual([]);
    for (const id of ['a', 'z'])
      expect(after(...relaying, elected, election('r', id, 1, 1)).effects).toEqual([]);
    expect(after(...leading, election('r', 'm', 2, 3)).effects).toEqual([]);
  });

  it('[HS6] a relay passes on the replies to others; a follower stops all', () => {
    expect(after(...relaying, reply('r', 'z')).effects).toEqual([
      send('l', { type: 'reply', id: 'z', phase: 0 }),
    ]);
    expect(after(...relaying, reply('r', 'm'))).toMatchObject({
      state: { value: 'relaying' },
      effects: [],
    });
    expect(after(...relaying, elected, reply('r', 'z'))).toMatchObject({
      state: { value: 'follower' },
      effects: [],
    });
  });

  it('[HS7] a candidate with both replies sends its id twice as far', () => {
    const one = after(elect, reply('r', 'm'));
    expect(one).toMatchObject({
      state: { value: { candidate: 'awaitingOne' }, context: { phase: 0 } },
      effects: [],
    });
    const both = after(elect, reply('r', 'm'), reply('l', 'm'));
    expect(both.state).toMatchObject({
      value: { candidate: 'awaitingBoth' },
      context: { phase: 1 },
    });
    expect(both.effects).toEqual([sends('l', 'm', 1, 1), sends('r', 'm', 1, 1)]);
  });

  it('[HS8] a candidate whose own id returns is the leader and announces it to the right', () => {
    const { state, effects } = after(...leading);
    expect(state).toMatchObject({ value: { leader: 'announcing' }, context: { leader: 'm' } });
    expect(effects).toEqual([send('r', { type: 'elected', id: 'm' })]);
  });

  it('[HS9] a relay that receives elected notes the leader and passes the message on', () => {
    const { state, effects } = after(...relaying, elected);
    expect(state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
    expect(effects).toEqual([send('r', { type: 'elected', id: 'z' })]);
  });

  it('[HS10] the leader whose announcement returns has terminated', () => {
    const { state, effects } = after(...leading, { type: 'elected', id: 'm', from: 'l' });
    expect(state.value).toEqual({ leader: 'known' });
    expect(effects).toEqual([]);
  });

  it('[HS10] without it, the leader terminates while others do not know the leader', () => {
    const hasty = withHastyLeader(machine);
    const { verdicts } = outcomeOf(withMachine(hirschbergSinclair, hasty), twoWayRing(3), {
      initiators: ['c'],
    });
    expect(verdicts).toMatchObject({
      'a node has terminated while another one does not know the leader': 'violated in 16',
    });
  });
});

describe('hirschberg-sinclair assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const known = 'every live node knows the one leader';
  const safe = {
    'at most one node is the leader': 'holds',
    'the leader has the largest id': 'holds',
  };

  proof.each([
    ['a lost message', { losses: 1, initiators: ['c'] }, known, 4],
    ['a crash', { crashes: 1 }, known, 7],
    ['a duplicated message', { duplications: 1, initiators: ['c'] }, everyMessageHandled, 17],
    ['a restart', { crashes: 1, restarts: 1, initiators: ['c'] }, everyMessageHandled, 4],
  ])(
    '%s never makes two leaders on a ring of 3, and has this shortest run',
    (_what, budget, broken, steps) => {
      expect(
        outcomeOf(ignoringUnexpected(hirschbergSinclair), twoWayRing(3), budget).verdicts,
      ).toMatchObject(safe);
      const { verdicts, traces } = outcomeOf(hirschbergSinclair, twoWayRing(3), budget);
      expect(verdicts).toMatchObject({ [broken]: `violated in ${steps}` });
      if ('losses' in budget) expect(page).toContain(traces[known]);
    },
  );

  it('any node may start: a lost or duplicated message never makes two leaders on a ring of 3', () => {
    for (const budget of [{ losses: 1 }, { duplications: 1 }])
      expect(
        outcomeOf(ignoringUnexpected(hirschbergSinclair), twoWayRing(3), {
          ...budget,
          order: 'fifo',
        }).verdicts,
      ).toMatchObject(safe);
  });
});

describe('hirschberg-sinclair cost', () => {
  const run = (
    topology: Topology,
    protocol: Protocol = hirschbergSinclair,
    nodes = topology.nodes,
  ) => simulate({ protocol, topology, workload: oneShot({ type: 'elect' }, { nodes }) });
  const phases = (n: number) => Math.ceil(Math.log2(n));
  /** Messages of the largest id in the phases before the last one. */
  const replied = (n: number) => 4 * (2 ** phases(n) - 1);
  const bounds = (n: number) =>
    hirschbergSinclair.cost?.messages(n) ?? { least: Infinity, most: 0 };

  it.each([3, 4])(
    'of an election that only the largest of %i starts: two rounds of its id in the last phase at most, and one to announce',
    (n) => {
      const most = replied(n) + 3 * n;
      const [bound, lower] = [atMost(most, { per: 'elect' }), atMost(most - 1, { per: 'elect' })];
      const { complete, properties: found } = explore(hirschbergSinclair, twoWayRing(n), {
        initiators: ring(n).nodes.slice(-1),
        properties: [bound, lower],
      });
      expect(complete).toBe(true);
      expect(found.slice(0, 2).map(({ verdict }) => verdict)).toEqual(['holds', 'violated']);
    },
  );

  proof(
    'is at least 4(2^⌈log₂ n⌉ − 1) + 2n + 1, when the announcement overtakes the own id in the other direction',
    () => {
      for (const n of [3, 4]) {
        const totals = Array.from({ length: 200 }, (_, seed) =>
          totalMessages(
            simulate({
              protocol: hirschbergSinclair,
              topology: twoWayRing(n),
              workload: oneShot({ type: 'elect' }, { nodes: ring(n).nodes.slice(-1) }),
              conditions: { order: 'any', delay: { kind: 'exponential', mean: 20 } },
              seed,
            }),
          ),
        );
        expect(Math.min(...totals)).toBe(bounds(n).least);
      }
    },
  );

  proof('is within the bounds on random rings of 8 … 64, for all initiators and delays', () => {
    for (let n = 8; n <= 64; n += 8)
      for (const conditions of conditionsFor(hirschbergSinclair)) {
        const topology = shuffledRing(n, n, twoWay);
        const workload = oneShot({ type: 'elect' }, { after: { kind: 'exponential', mean: 30 } });
        const total = totalMessages(
          simulate({ protocol: hirschbergSinclair, topology, workload, conditions, seed: n }),
        );
        expect(total).toBeGreaterThanOrEqual(bounds(n).least);
        expect(total).toBeLessThanOrEqual(bounds(n).most);
      }
  });

  proof('is 36 % of the bound on a random ring of 1,000', () => {
    expect(
      Math.round((100 * totalMessages(run(shuffledRing(1000, 1, twoWay)))) / bounds(1000).most),
    ).toBe(36);
  });

  proof('elects the largest of 10,000 nodes, whose ids rise along the ring, in 15 phases', () => {
    const { messages, leader, properties: found } = run(twoWayRing(10_000));
    expect(messages.elected).toBe(10_000);
    expect(leader).toBe('n9999');
    expect(failing({ properties: found })).toEqual([]);
    // Phase 0 is that of all nodes, and the others are of the largest alone.
    expect((messages.election ?? 0) + (messages.reply ?? 0)).toBe(
      3 * 10_000 + (replied(10_000) - 4) + 2 * 10_000,
    );
  });

  it('is larger if the hops of phase 0 are counted from 0: the same distance twice', () => {
    const twice = withMachine(
      { ...hirschbergSinclair, properties: [...properties, largestLeads] },
      machine.provide({
        actions: {
          sendBoth: enqueueActions(({ context: { left, right, self, phase }, enqueue }) => {
            for (const side of [left, right])
              enqueue.emit(
                send(side, { type: 'election', id: self, phase, hops: Math.min(phase, 1) }),
              );
          }),
        },
      }),
    );
    for (const topology of rings(3, twoWay))
      for (const { kind, verdict } of explore(twice, topology, { order: 'fifo' }).properties)
        expect(verdict).toBe(kind === 'sometimes' ? 'reached' : 'holds');
    const topology = twoWayRing(8);
    expect(
      [hirschbergSinclair, twice].map((protocol) => totalMessages(run(topology, protocol))),
    ).toEqual([72, 86]);
  });
});
