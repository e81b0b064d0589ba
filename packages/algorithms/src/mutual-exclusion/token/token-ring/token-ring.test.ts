import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, send } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { ring } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { costOf } from '../../../contract/cost.contract.js';
import { failing, propertyNamed } from '../../../contract/findings.contract.js';
import {
  mutantOf,
  takeAll,
  withMachine,
  withoutSteps,
  withState,
} from '../../../contract/machines.contract.js';
import { shuffledRing } from '../../../contract/networks.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { countedTokenContract } from '../building-blocks/token-faults.contract.js';
import { tokenRing } from './protocol.js';
import { cancellableMachine, type Event, type Message, machine } from './token-ring.js';

const plain = tokenRing();
const mutant = mutantOf(withoutSteps(plain));
const systems = (budget: object) => [
  { topology: ring(2), budget: { ...budget, commands: 2 } },
  { topology: ring(3), budget: { ...budget, commands: 2 } },
  { topology: ring(4), budget: { ...budget, commands: 2 } },
  { topology: ring(['c', 'a', 'd', 'b']), budget: { ...budget, commands: 1 } },
];

mutualExclusionContract({
  protocol: plain,
  topologies: [ring(2), ring(3), ring(4), shuffledRing(6, 1)],
  small: [
    { topology: ring(2), budget: { commands: 2 } },
    { topology: ring(3), budget: { commands: 1, initiators: ['a', 'c'] } },
  ],
  explored: [
    ['rings of 2 to 4', systems({}), {}, 4_527],
    ['rings of 2 to 4, FIFO', systems({ order: 'fifo' }), {}, 4_527],
    [ring(6), { commands: 2 }, 131_250],
    [
      'the token anywhere at first',
      ['a', 'b', 'c', 'd'].map((holder) => ({
        topology: ring([holder, ...['a', 'b', 'c', 'd'].filter((id) => id !== holder)]),
        budget: {},
      })),
      {},
      4 * 432,
    ],
  ],
  costs: [2, 3, 5, 9].map((n) => ring(n)),
  mutants: {
    'a node that leaves sends two tokens': mutant(
      'ring:2, 4 steps: there is exactly one token, in a node or on its way',
      machine.provide({
        actions: {
          passToken: enqueueActions(({ context, event, enqueue }) => {
            const token = send<Message>(context.next, { type: 'token', entries: context.entries });
            enqueue.emit(token);
            if (event.type === 'release') enqueue.emit(token);
          }),
        },
      }),
    ),
  },
});

describe('token-ring rules', () => {
  const first = (first: boolean) => start(machine, 'm', { next: 'n', first });
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const token: Event = { type: 'token', entries: 4, from: 'l' };
  const passed = (entries: number) => [send('n', { type: 'token', entries })];
  const idle = first(false).state;

  it('[TR1] one node sends the token as it starts, the others do not', () => {
    expect(first(true)).toMatchObject({ state: { value: 'released' }, effects: passed(0) });
    expect(first(false)).toMatchObject({ state: { value: 'released' }, effects: [] });
  });

  it('[TR2] a node that does not wait passes the token on at once', () => {
    expect(after(idle, token)).toMatchObject({
      state: { value: 'released', context: { entries: 0 } },
      effects: passed(4),
    });
  });

  it('[TR3] a node that requests entry sends nothing, enters with the token, and counts the entry', () => {
    const wanted = after(idle, { type: 'acquire' });
    expect(wanted).toMatchObject({ state: { value: 'wanted' }, effects: [] });
    expect(after(wanted.state, token)).toMatchObject({
      state: { value: 'held', context: { entries: 5 } },
      effects: [],
    });
  });

  it('[TR4] a node that leaves passes the token on, and waits for its next round', () => {
    const left = after(idle, { type: 'acquire' }, token, { type: 'release' });
    expect(left).toMatchObject({
      state: { value: 'released', context: { entries: 0 } },
      effects: passed(5),
    });
    expect(after(left.state, { type: 'acquire' }).state.value).toBe('wanted');
  });

  it('holder: another node starts the token', () => {
    const found = explore(tokenRing({ holder: 'c' }), ring(4));
    expect(found.states).toBe(432);
    expect(failing(found)).toEqual([]);
    expect(() => explore(tokenRing({ holder: 'z' }), ring(4))).toThrow(
      /the option holder names the node 'z'/,
    );
  });
});

describe('token-ring liveness', () => {
  it('every node that wants to enter eventually enters, with any fairness and none', () => {
    for (const fairness of ['none', 'weak', 'strong'] as const) {
      const found = explore(plain, ring(3), { commands: 2, fairness });
      expect(failing(found)).toEqual([]);
    }
  });
});

describe('token-ring assumptions', () => {
  const lines = (budget: object, name: string) => {
    const found = explore(withoutSteps(plain), ring(3), budget);
    const { verdict, trace } = propertyNamed(found.properties, name);
    expect([found.complete, verdict]).toEqual([true, 'violated']);
    expect(trace && replay(plain, ring(3), trace)).toEqual({ steps: trace?.lines.length });
    return linesText(trace?.lines ?? [])
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
  };
  const exclusion = 'at most one node is in the critical section';
  const enters = 'every node that wants to enter eventually enters';
  const tokens = 'there is exactly one token, in a node or on its way';

  it('a lost token is not regenerated: after that no node enters', () => {
    expect(lines({ losses: 1 }, tokens)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'b  drop token(0) from a',
    ]);
    expect(lines({ losses: 1 }, enters)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'a  acquire  released → wanted',
      'b  drop token(0) from a',
    ]);
    const found = explore(plain, ring(3), { losses: 1 });
    expect(found.states).toBe(135);
    expect(propertyNamed(found.properties, exclusion).verdict).toBe('holds');
  });

  it('a duplicated token lets in two nodes', () => {
    expect(lines({ duplications: 1 }, exclusion)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'b  duplicate token(0) from a',
      'b  token(0) from a  released  ⇒ c: token(0)',
      'b  acquire  released → wanted',
      'b  token(0) from a  wanted → held',
      'c  acquire  released → wanted',
      'c  token(0) from b  wanted → held',
    ]);
  });

  it('no node may crash, not even one that does not request entry: the token does not pass it', () => {
    expect(lines({ crashes: 1 }, enters)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'a  acquire  released → wanted',
      'b  crash',
    ]);
    expect(
      propertyNamed(explore(plain, ring(3), { crashes: 1 }).properties, exclusion).verdict,
    ).toBe('holds');
  });

  it('the node that started the token must not restart: it would send a second one', () => {
    expect(lines({ crashes: 1, restarts: 1 }, tokens)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'b  token(0) from a  released  ⇒ c: token(0)',
      'b  crash',
      'c  drop token(0) from b',
    ]);
    expect(lines({ crashes: 1, restarts: 1 }, exclusion)).toHaveLength(8);
  });

  it('a reliable link cannot help: it needs a channel back', () => {
    expect(() => simulate({ protocol: plain, topology: ring(5), reliable: true })).toThrow(
      /needs channels both ways, and a→b has none back/,
    );
  });
});

countedTokenContract(plain, { topology: ring(3), duplicated: 7, restarted: 8 });

describe('token-ring cost', () => {
  it('is 1 message per entry under full load for n = 2 … 20, and one more in the whole run', () => {
    for (let n = 2; n <= 20; n++) {
      const result = simulate({
        protocol: plain,
        topology: ring(n),
        workload: closedLoop({ entries: 10, think: { kind: 'fixed', ms: 0 } }),
      });
      expect(result.exclusion.entries).toHaveLength(10 * n);
      expect(totalMessages(result)).toBe(10 * n + 1);
    }
  });

  proof(
    'has no bound: while no node is in its critical section, the token makes a hop per message delay',
    () => {
      const delay = 2;
      for (const mean of [100, 1_000, 10_000]) {
        const hold = { kind: 'fixed', ms: 5 } as const;
        const result = simulate({
          protocol: plain,
          topology: ring(5),
          conditions: { delay: { kind: 'fixed', ms: delay } },
          workload: poisson({ mean, entries: 20, hold }),
        });
        expect(result.exclusion.entries).toHaveLength(100);
        const hops = (result.virtualMs - 100 * hold.ms) / delay;
        expect(Math.abs(totalMessages(result) - hops)).toBeLessThanOrEqual(1);
        expect(totalMessages(result) / 100).toBeGreaterThan(mean / 10 / delay);
      }
      expect(costOf(plain, 5)).toBeUndefined();
      expect(
        failing(
          explore(plain, ring(3), {
            properties: [atMost(1_000_000, { per: 'acquire', name: 'bounded' })],
          }),
        ),
      ).toEqual(['bounded']);
    },
  );
});

const protocol = tokenRing({ cancel: true });
const wanted = cancellableMachine.config.states?.wanted?.on;

cancelContract({
  protocol,
  topologies: [2, 3, 5].map((n) => ring(n)),
  explored: [
    [ring(2), { commands: 3 }, 704],
    [ring(3), { commands: 2 }, 2_916],
    [ring(4), {}, 1_280],
  ],
  mutants: {
    'a cancelled request is not withdrawn': {
      protocol: withMachine(
        protocol,
        withState(cancellableMachine, ['wanted'], { on: { ...wanted, cancel: {} } }),
      ),
      refuted:
        'ring:2, 3 steps: a node whose application cancels waits no more, and does not enter',
    },
  },
});

it('[TR5] a node that cancels passes the token on', () => {
  const token = { type: 'token', entries: 4, from: 'a' };
  const { state: first } = start(cancellableMachine, 'b', { next: 'c', first: false });
  const events = [{ type: 'acquire' }, { type: 'cancel' }, token];
  const { state, effects } = takeAll(cancellableMachine, 'b', first, events);
  expect([state.value, effects]).toEqual(['released', [send('c', { type: 'token', entries: 4 })]]);
});
