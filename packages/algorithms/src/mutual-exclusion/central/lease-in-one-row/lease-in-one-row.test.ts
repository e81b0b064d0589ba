import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { fire, start, step } from '@conclave/core/internal';
import { type LocalState, notify, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { star } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { withMachine, withState } from '../../../contract/machines.contract.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { exclusion, fencing } from '../../outcome.contract.js';
import {
  type ClientContext,
  cancellable,
  clockedStore,
  type Message,
  machine,
  type Row,
  store,
} from './lease-in-one-row.js';
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

mutualExclusionContract({
  protocol,
  topologies: [2, 3, 5].map((n) => star(n)),
  small: [{ topology: star(2), budget: { time } }],
  explored: [
    [star(2), { commands: 2, time }, 252],
    [star(3), { time: instant }, 56],
    [star(3), { crashes: 1, mayCrash: ['client'], time }, 16_435],
    [star(3), { losses: 1, time }, 35_133],
    [star(2), { losses: 2, time: long }, 483],
  ],
  costs: [2, 3, 5].map((n) => star(n)),
  mutants: {
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
    [star(2), { commands: 2, time }, 927],
    [star(3), { time: instant }, 187],
  ],
  mutants: {
    'a client keeps the row that it does not need': {
      protocol: withMachine(
        withCancel,
        cancellable.provide({ actions: { freeThis: assign({}) } }),
        'client',
      ),
      refuted:
        'star:2, 4 steps: a client that leaves the critical section frees its row, unless another client has taken it',
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

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const clocked = leaseInOneRow({ ...times, clock: true });
const search = (of: Protocol, n: number, name: string, options: ExploreOptions) =>
  explore(of, star(n), {
    ...options,
    properties: of.properties.filter((property) => property.name === name),
    all: false,
    limits: { states: 300_000 },
  });

/** The shortest run that violates it, as on the page: without timers and configurations. */
function runOf(of: Protocol, n: number, name: string, options: ExploreOptions): string {
  const { trace } = propertyNamed(search(of, n, name, options).properties, name);
  expect(trace && replay(of, star(n), trace)).toEqual({ steps: trace?.lines.length });
  return linesText(trace?.lines ?? [])
    .replaceAll(/(, )?(start|cancel) [a-z]+\.[\w.-]+( \d+ms)?/g, '')
    .replaceAll(/timeout ([a-z]+)\.\S+/g, 'timeout $1')
    .replaceAll(/⇒ ?, ?/g, '⇒ ')
    .replaceAll(/\.000ms/g, ' ms')
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/))
    .map((cells) => cells.filter((cell) => !/^(client\.|⇒ *$)/.test(cell)).join('  '))
    .join('\n')
    .trimEnd();
}

const stepsOf = (run: string) => run.split('\n').length;

const stable = (of: Protocol, name: string, fields: readonly string[]): Protocol => {
  const role = of.roles[name];
  if (!role) throw new Error(`no role '${name}'`);
  return { ...of, roles: { ...of.roles, [name]: { ...role, stable: fields } } };
};

/** With other reactions of the state at `path` to some messages. */
const reacting = (of: AnyStateMachine, [first, ...path]: readonly string[], on: object) => {
  const states = Object(of.config.states);
  const state = path.reduce((at, key) => Object(at.states)[key], Object(states[first ?? '']));
  return withState(of, [first ?? '', ...path], { on: { ...state.on, ...on } });
};

describe('lease-in-one-row assumptions', () => {
  const crash = { time: long, crashes: 1, restarts: 1 } as const;

  proof(
    'a store that keeps its row: if it restarts without, two clients enter with one token',
    () => {
      const forgetful = stable(protocol, 'store', []);
      const options = { ...crash, mayCrash: ['store'] };
      for (const name of [exclusion, fencing]) {
        const run = runOf(forgetful, 3, name, options);
        expect(stepsOf(run)).toBe(8);
        expect(page).toContain(run);
      }
    },
  );

  it('a client that does not use a name again, or keeps the number of its last request', () => {
    const still = { ...long, stays: { critical: [0, 0] } } as const;
    const options = { ...crash, time: still, commands: 2, mayCrash: ['client'] };
    expect(stepsOf(runOf(stable(protocol, 'client', []), 2, fencing, options))).toBe(8);
    expect(search(protocol, 2, fencing, options)).toMatchObject({ complete: true });
    expect(propertyNamed(search(protocol, 2, fencing, options).properties, fencing).verdict).toBe(
      'holds',
    );
  });

  proof('clocks that drift within the bound', () => {
    const drifting = leaseInOneRow({ lease: 4_000, drift: 0.2, renewal: 1_000, clock: true });
    const lossy = (drift: number): ExploreOptions => ({
      losses: 1,
      time: { kind: 'exact', delay: [0, 0], stays: { critical: [0, 6_000] }, drift },
    });
    const named =
      'the row of a store that is up names the client in the critical section, with its token';
    const found = search(drifting, 2, named, lossy(0.2));
    expect(found.complete).toBe(true);
    expect(propertyNamed(found.properties, named).verdict).toBe('holds');
    const run = runOf(drifting, 3, exclusion, lossy(0.4));
    expect(stepsOf(run)).toBe(9);
    expect(page).toContain(run);
  });

  it('timers in time: if they may end at any moment, exclusion breaks, and the later token is the larger one', () => {
    const run = runOf(protocol, 3, exclusion, { time: 'untimed' });
    expect(stepsOf(run)).toBe(12);
    expect(page).toContain(run);
    expect(stepsOf(runOf(clocked, 3, exclusion, { time: 'untimed' }))).toBe(7);
  });
});

/** What `expires < now()` does: the clock of the client that waits says that the lease is over. */
const ownClock = machine.provide({
  actions: {
    count: assign(({ context: { seen, patience } }: { context: ClientContext }) => ({
      unchanged: seen > 0 ? patience : 0,
    })),
  },
});

/** The stopwatch of a request starts when the answer comes. */
const fromAnswer = reacting(
  reacting(machine, ['client', 'waiting'], {
    granted: [
      { guard: 'isCurrent', target: 'held', actions: ['enter', 'startStopwatch'] },
      { description: 'LR12' },
    ],
  }),
  ['client', 'held'],
  { granted: { actions: ['enter', 'startStopwatch'] } },
);

/** The row is deleted when its holder leaves. */
const deleted = store.provide({
  actions: { writeFree: assign({ version: 0, epoch: 0, holder: '' } satisfies Partial<Row>) },
});

/** Whoever releases frees the row. */
const freedByAny = reacting(store, ['held'], {
  freed: { target: 'free', actions: 'writeFree' },
});

/** Whoever renews has the row. */
const renewedByAny = reacting(store, ['held'], {
  renew: { target: 'held', reenter: true, actions: ['writeRenewal', 'writeHolder', 'grant'] },
}).provide({ actions: { writeHolder: assign(({ event }) => ({ holder: Object(event).from })) } });

describe('lease-in-one-row assumptions, dropped by hand', () => {
  it.each([
    [
      'the lease is counted from the answer',
      3,
      withMachine(clocked, fromAnswer, 'client'),
      exclusion,
      { time: { ...long, delay: [0, 5_000], tick: 1_000 } },
      8,
    ],
    [
      'the lease of another one is judged by the own wall clock',
      3,
      withMachine(protocol, ownClock, 'client'),
      exclusion,
      { time: long },
      9,
    ],
    [
      'the epoch begins anew after a release',
      2,
      withMachine(protocol, deleted, 'store'),
      fencing,
      { time: long, commands: 2 },
      8,
    ],
    [
      'a release does not compare the epoch',
      3,
      withMachine(protocol, freedByAny, 'store'),
      exclusion,
      { time: long, commands: 2, duplications: 1 },
      11,
    ],
    [
      'a renewal does not compare the epoch',
      3,
      withMachine(protocol, renewedByAny, 'store'),
      exclusion,
      { time: long, commands: 2, duplications: 1 },
      13,
    ],
  ] as const)('%s', (_what, n, of, name, options, steps) => {
    const run = runOf(of, n, name, options);
    expect(stepsOf(run)).toBe(steps);
    expect(page).toContain(run);
  });
});
