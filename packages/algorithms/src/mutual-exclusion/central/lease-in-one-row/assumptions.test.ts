/** What A21 needs, and the mistakes that are made in leases written by hand. */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import type { Protocol } from '@conclave/core/protocol';
import { star } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { propertyNamed } from '../../../contract/findings.js';
import { withMachine, withState } from '../../../contract/mutant.js';
import { exclusion, fencing } from '../../outcome.contract.js';
import { type ClientContext, machine, type Row, store } from './lease-in-one-row.js';
import { leaseInOneRow } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const times = { lease: 5_000, renewal: 2_000 } as const;
const protocol = leaseInOneRow(times);
const clocked = leaseInOneRow({ ...times, clock: true });
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 8_000] } } as const;

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
  const crash = { time, crashes: 1, restarts: 1 } as const;

  it('a store that keeps its row: if it restarts without, two clients enter with one token', () => {
    const forgetful = stable(protocol, 'store', []);
    const options = { ...crash, mayCrash: ['store'] };
    for (const name of [exclusion, fencing]) {
      const run = runOf(forgetful, 3, name, options);
      expect(stepsOf(run)).toBe(8);
      expect(page).toContain(run);
    }
  });

  it('a client that does not use a name again, or keeps the number of its last request', () => {
    const still = { ...time, stays: { critical: [0, 0] } } as const;
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
      { time: { ...time, delay: [0, 5_000], tick: 1_000 } },
      8,
    ],
    [
      'the lease of another one is judged by the own wall clock',
      3,
      withMachine(protocol, ownClock, 'client'),
      exclusion,
      { time },
      9,
    ],
    [
      'the epoch begins anew after a release',
      2,
      withMachine(protocol, deleted, 'store'),
      fencing,
      { time, commands: 2 },
      8,
    ],
    [
      'a release does not compare the epoch',
      3,
      withMachine(protocol, freedByAny, 'store'),
      exclusion,
      { time, commands: 2, duplications: 1 },
      11,
    ],
    [
      'a renewal does not compare the epoch',
      3,
      withMachine(protocol, renewedByAny, 'store'),
      exclusion,
      { time, commands: 2, duplications: 1 },
      13,
    ],
  ] as const)('%s', (_what, n, of, name, options, steps) => {
    const run = runOf(of, n, name, options);
    expect(stepsOf(run)).toBe(steps);
    expect(page).toContain(run);
  });
});
