import { fire, start, step } from '@conclave/core/internal';
import { type LocalState, notify, send } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { cancellable, clockedStore, type Message, machine, store } from './lease-in-one-row.js';
import { leaseInOneRow } from './protocol.js';

/** A lease as short as it may be: the fewer renewals, the fewer worlds. */
const times = { lease: 5_000, renewal: 2_000 } as const;
const protocol = leaseInOneRow(times);
const withCancel = leaseInOneRow({ ...times, cancel: true });
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
const instant = { ...time, delay: [0, 0], stays: { critical: [0, 0] } } as const;
/** The holder may outstay its lease. */
const long = { ...time, stays: { critical: [0, 8_000] } } as const;
const storing = (of: AnyStateMachine) => withMachine(protocol, of, 'store');
const asking = (of: AnyStateMachine) => withMachine(protocol, of, 'client');

mutualExclusionContract({
  protocol,
  topologies: [2, 3, 5].map((n) => star(n)),
  small: [{ topology: star(2), budget: { time } }],
  explored: [
    ['a client, 2 entries, messages of 1 s', star(2), { commands: 2, time }, 252],
    ['2 clients, an entry each, which takes no time', star(3), { time: instant }, 56],
    ['2 clients, one crashes', star(3), { crashes: 1, mayCrash: ['client'], time }, 16_435],
    ['2 clients, a lost message', star(3), { losses: 1, time }, 35_133],
    ['a client that outstays its lease, 2 losses', star(2), { losses: 2, time: long }, 483],
  ],
  costs: [2, 3, 5].map((n) => star(n)),
  mutants: {
    'the store gives the row to whoever asks': {
      protocol: storing(store.provide({ guards: { isUnchanged: () => true } })),
      refuted:
        'star:2, 5 steps: the row of a store that is up names the client in the critical section, with its token',
    },
    'a client does not free its row': {
      protocol: asking(machine.provide({ actions: { free: assign({}) } })),
      refuted:
        'star:2, 4 steps: a client that leaves the critical section frees its row, unless it was taken',
    },
    'a row keeps its epoch when it is taken': {
      protocol: storing(
        store.provide({
          actions: { writeEntry: assign(({ event }) => ({ holder: Object(event).from })) },
        }),
      ),
      refuted: 'star:2, 8 steps: each entry has a larger fencing token than every entry before it',
    },
  },
});

cancelContract({
  protocol: withCancel,
  topologies: [2, 3, 5].map((n) => star(n)),
  explored: [
    ['a client, 2 requests', star(2), { commands: 2, time }, 927],
    ['2 clients, a request each', star(3), { time: instant }, 187],
  ],
  costs: [],
  mutants: {
    'a client keeps the row that it does not need': {
      protocol: withMachine(
        withCancel,
        cancellable.provide({ actions: { freeThis: assign({}) } }),
        'client',
      ),
      refuted:
        'star:2, 4 steps: a client that leaves the critical section frees its row, unless it was taken',
    },
  },
});

const input = { store: 'a', validity: 4_000, renewal: 2_000, patience: 4, round: 0 };
type Taken = ReturnType<typeof step>;
type Timer = 'renewal' | 'validity' | 'lease';
type Event = { readonly type: string };

const after = (of: AnyStateMachine, id: string, state: LocalState, ...events: (Event | Timer)[]) =>
  events.reduce(
    (taken: Taken, event) => {
      if (typeof event !== 'string') return step(of, id, taken.state, event);
      const timer = taken.state.timers.find(({ id }) => id.split('.')[2] === event);
      if (!timer) throw new Error(`no ${event} runs`);
      return fire(of, id, taken.state, timer.id);
    },
    { state, effects: [] } as Taken,
  );
const from = (node: string, message: Message): Event => ({ ...message, ...{ from: node } });
const sends = ({ effects }: Taken) =>
  effects.filter(({ type }) => type === 'send' || type === 'notify');
const place = ({ state: { value } }: Taken) => Object(value).client ?? value;

describe('lease-in-one-row rules: a client', () => {
  const acquire = { type: 'acquire' };
  const client = (...events: (Event | Timer)[]) =>
    after(cancellable, 'b', start(cancellable, 'b', input).state, ...events);
  const granted = (epoch: number, round: number) => from('a', { type: 'granted', epoch, round });
  const taken = (version: number, round: number) => from('a', { type: 'taken', version, round });
  const take = (seen: number, round: number) => send('a', { type: 'take', seen, round });
  const renew = (epoch: number, round: number) => send('a', { type: 'renew', epoch, round });
  const freed = (epoch: number) => send('a', { type: 'freed', epoch });
  const lost = (reason: string) => notify({ type: 'lost', reason });

  it('[LR1] takes the row, and measures the time since', () => {
    expect(sends(client(acquire))).toEqual([take(0, 1)]);
    expect(client(acquire).state.value).toEqual({ client: 'waiting', even: 'off', odd: 'running' });
  });

  it('[LR2] requests again each renewal, with the next number once the last is answered', () => {
    expect(sends(client(acquire, 'renewal'))).toEqual([take(0, 1)]);
    expect(sends(client(acquire, taken(3, 1), 'renewal'))).toEqual([take(0, 2)]);
    expect(sends(client(acquire, granted(1, 1), 'renewal'))).toEqual([renew(1, 2)]);
    expect(sends(client(acquire, granted(1, 1), 'renewal', 'renewal'))).toEqual([renew(1, 2)]);
  });

  it('[LR3] enters by a grant of its last request while the stopwatch of that runs', () => {
    expect(place(client(acquire, granted(1, 1)))).toBe('held');
    const late = client(acquire, 'validity', granted(1, 1));
    expect([place(late), sends(late)]).toEqual(['waiting', [take(0, 2)]]);
  });

  it('[LR4] has lost the row when no stopwatch of a granted request runs', () => {
    const end = client(acquire, granted(1, 1), 'validity');
    expect([place(end), sends(end)]).toEqual(['idle', [lost('lease-expired'), freed(1)]]);
    const renewed = client(acquire, granted(1, 1), 'renewal', granted(1, 2), 'validity');
    expect(place(renewed)).toBe('held');
  });

  it('[LR5] frees the row when it leaves', () => {
    expect(sends(client(acquire, granted(7, 1), { type: 'release' }))).toEqual([freed(7)]);
  });

  it('[LR11] takes over a version that it has seen for a lease', () => {
    const waits = [acquire, taken(3, 1), 'renewal', 'renewal', 'renewal'] as const;
    expect(sends(client(...waits))).toEqual([take(0, 2)]);
    expect(sends(client(...waits, 'renewal'))).toEqual([take(3, 2)]);
    expect(sends(client(...waits, taken(4, 2), 'renewal'))).toEqual([take(0, 3)]);
  });

  it('[LR12] frees what it does not want, and ignores answers to earlier requests', () => {
    const gone = client(acquire, { type: 'cancel' }, granted(1, 1));
    expect([place(gone), sends(gone)]).toEqual(['idle', [freed(1)]]);
    expect(place(client(acquire, taken(3, 1), 'renewal', granted(1, 1)))).toBe('waiting');
  });

  it('[LR13] leaves when it is refused', () => {
    const out = client(acquire, granted(1, 1), from('a', { type: 'refused', epoch: 1 }));
    expect([place(out), sends(out)]).toEqual(['idle', [lost('taken')]]);
    expect(place(client(acquire, granted(5, 1), from('a', { type: 'refused', epoch: 1 })))).toBe(
      'held',
    );
  });

  it('[LR14] waits no longer when its application cancels', () => {
    expect(place(client(acquire, { type: 'cancel' }))).toBe('idle');
  });
});

describe('lease-in-one-row rules: the store', () => {
  const row = { lease: 5_000, version: 0, epoch: 0, holder: '', round: 0 };
  const kept = (of: AnyStateMachine, ...events: (Event | Timer)[]) =>
    after(of, 'a', start(of, 'a', row).state, ...events);
  const take = (node: string, seen: number, round: number) =>
    from(node, { type: 'take', seen, round });
  const renew = (node: string, epoch: number, round: number) =>
    from(node, { type: 'renew', epoch, round });
  const granted = (to: string, epoch: number, round: number) =>
    send(to, { type: 'granted', epoch, round });

  it('[LR6] gives a free row to the first that takes it', () => {
    const first = kept(store, take('b', 0, 1));
    expect(sends(first)).toEqual([granted('b', 1, 1)]);
    expect(first.state.context).toMatchObject({ version: 1, epoch: 1, holder: 'b', round: 1 });
  });

  it('[LR7] gives a row that has a holder to who has seen it, and to the holder', () => {
    const busy = take('b', 0, 1);
    expect(sends(kept(store, busy, take('c', 0, 1)))).toEqual([
      send('c', { type: 'taken', version: 1, round: 1 }),
    ]);
    expect(sends(kept(store, busy, take('c', 1, 4)))).toEqual([granted('c', 2, 4)]);
    expect(sends(kept(store, busy, take('b', 0, 2)))).toEqual([granted('b', 2, 2)]);
    const copy = kept(store, busy, busy);
    expect([sends(copy), copy.state.context.version]).toEqual([[granted('b', 1, 1)], 1]);
  });

  it('[LR8] renews the latest entry only', () => {
    const renewed = kept(store, take('b', 0, 1), renew('b', 1, 2));
    expect([sends(renewed), renewed.state.context.version]).toEqual([[granted('b', 1, 2)], 2]);
    const refused = [send('b', { type: 'refused', epoch: 1 })];
    expect(sends(kept(store, renew('b', 1, 2)))).toEqual(refused);
    expect(sends(kept(store, take('b', 0, 1), take('c', 1, 1), renew('b', 1, 2)))).toEqual(refused);
  });

  it('[LR9] is free when the latest entry has ended', () => {
    const end = kept(store, take('b', 0, 1), from('b', { type: 'freed', epoch: 1 }));
    expect([place(end), end.state.context]).toEqual([
      'free',
      { ...row, version: 2, epoch: 1, round: 1 },
    ]);
    const other = kept(store, take('b', 0, 1), from('c', { type: 'freed', epoch: 3 }));
    expect(place(other)).toBe('held');
  });

  it('[LR10] has a holder after a restart, if its row has', () => {
    const again = start(store, 'a', { ...row, version: 4, epoch: 3, holder: 'b' });
    expect(again.state.value).toBe('held');
  });

  it('[LR15] frees the row by its clock, where it has one', () => {
    expect(place(kept(clockedStore, take('b', 0, 1), 'lease'))).toBe('free');
    expect(kept(store, take('b', 0, 1)).state.timers).toEqual([]);
  });
});

describe('lease-in-one-row cost', () => {
  const stays = (hold: number) =>
    closedLoop({
      think: { kind: 'uniform', least: 5_000, most: 50_000 },
      hold: { kind: 'uniform', least: hold, most: hold },
      entries: 20,
    });

  it('an entry costs 3 messages, and 2 more for each renewal of a longer stay', () => {
    for (const [hold, messages] of [
      [0, 3],
      [1_500, 3],
      [5_000, 7],
    ] as const) {
      const result = simulate({ protocol, topology: star(2), workload: stays(hold), seed: 1 });
      expect(result.exclusion.entries).toHaveLength(20);
      expect(totalMessages(result)).toBe(20 * messages);
    }
  });
});
