import { always, type Json } from '@conclave/core/protocol';
import { Random } from '@conclave/core/simulation';
import { describe, expect, it } from 'vitest';
import { exploreSystem } from '../plain/plain.js';
import { linearizable, type Operation, type SequentialObject } from './linearizable.js';
import { majorityRegister, operationsOf, type Registers } from './majority-register.contract.js';
import {
  type CounterInput,
  type LockInput,
  type QueueInput,
  type RegisterInput,
  sequential,
} from './sequential.js';

type Recorded<I> = Operation<I, Json>;

/** By the definition: all orders of the ended operations and of each choice of the others. */
function byDefinition<S extends Json, I>(
  history: readonly Recorded<I>[],
  { initial, next }: SequentialObject<S, I>,
): boolean {
  const fits = (left: readonly Recorded<I>[], state: S): boolean =>
    left.every(({ end }) => end === undefined) ||
    left.some((one) => {
      const others = left.filter((other) => other !== one);
      if (others.some(({ end = Infinity }) => end < one.start)) return false;
      const after = next(state, one);
      return after !== undefined && fits(others, after);
    });
  return fits(history, initial);
}

/** Up to seven operations of three processes, whose answers are mostly those of some order. */
function randomHistory(random: Random): readonly Recorded<RegisterInput>[] {
  let value = 0;
  let clock = 0;
  const free = new Map(['a', 'b', 'c'].map((process) => [process, 0]));
  return Array.from({ length: 3 + random.below(5) }, () => {
    const process = random.pick([...free.keys()]);
    clock += random.below(3);
    const start = Math.max(clock - random.below(4), free.get(process) ?? 0);
    const end = Math.max(clock, start) + random.below(4);
    free.set(process, end + 1);
    const kind = random.below(3);
    const given = random.below(3);
    const known = random.below(6) === 0 ? {} : { end };
    const said = (answer: number | boolean) => (known.end === undefined ? {} : { output: answer });
    if (kind === 0) {
      const odd = random.below(8) === 0 ? given : value;
      return { process, input: { type: 'read' }, start, ...known, ...said(odd) };
    }
    if (kind === 1) {
      value = given;
      return { process, input: { type: 'write', value }, start, ...known };
    }
    const isSet = value === given;
    if (isSet) value = 1;
    const input = { type: 'compareAndSet', from: given, to: 1 } as const;
    return { process, input, start, ...known, ...said(isSet) };
  });
}

it('agrees with the definition on random histories, and its orders fit', () => {
  const random = new Random(1);
  const verdicts = { holds: 0, violated: 0, incomplete: 0 };
  for (let round = 0; round < 3_000; round++) {
    const history = randomHistory(random);
    const object = sequential.register(0);
    const { verdict, order } = linearizable(history, object);
    expect([verdict === 'holds', history]).toEqual([byDefinition(history, object), history]);
    verdicts[verdict]++;
    let state: Json | undefined = 0;
    for (const [index, operation] of order.entries()) {
      state = object.next(state ?? null, operation);
      expect(state).toBeDefined();
      const later = order.slice(index + 1);
      expect(later.some(({ end = Infinity }) => end < operation.start)).toBe(false);
    }
    if (verdict === 'holds')
      expect(history.filter((one) => one.end !== undefined && !order.includes(one))).toEqual([]);
  }
  expect(verdicts.holds).toBeGreaterThan(300);
  expect(verdicts.violated).toBeGreaterThan(300);
});

const stale: readonly Recorded<RegisterInput>[] = [
  { process: 'a', input: { type: 'write', value: 1 }, start: 0, end: 5 },
  { process: 'b', input: { type: 'read' }, output: 1, start: 1, end: 2 },
  { process: 'b', input: { type: 'read' }, output: 0, start: 3, end: 4 },
];

it('says where no order fits: a read of the new value, and a later one of the old', () => {
  const { verdict, text } = linearizable(stale, sequential.register(0));
  expect([verdict, text]).toEqual([
    'violated',
    `violated: no order of the 3 operations fits their times and answers. A longest one:
  a: {"type":"write","value":1} → ?, from 0 to 5
  b: {"type":"read"} → 1, from 1 to 2
leads to 1, where none of these fits:
  b: {"type":"read"} → 0, from 3 to 4`,
  ]);
});

describe('a sequential object', () => {
  const queued = (...dequeued: readonly (string | null)[]): readonly Recorded<QueueInput>[] => [
    { process: 'a', input: { type: 'enqueue', value: 'x' }, start: 0, end: 3 },
    { process: 'b', input: { type: 'enqueue', value: 'y' }, start: 1, end: 2 },
    ...dequeued.map((output, index) => ({
      ...{ process: 'c', input: { type: 'dequeue' } as const, output },
      ...{ start: 4 + 2 * index, end: 5 + 2 * index },
    })),
  ];
  it.each([
    [['x', 'y', null], 'holds'],
    [['y', 'x', null], 'holds'],
    [['x', 'x'], 'violated'],
    [['x', null], 'violated'],
  ] as const)('queue: dequeues %j, %s', (dequeued, verdict) => {
    const history = queued(...dequeued);
    const found = linearizable(history, sequential.queue());
    expect(found.verdict).toBe(verdict);
  });

  const entry = (process: string, token: number | undefined, start: number, end?: number) => [
    { process, input: { type: 'acquire' }, output: token, start, end: start + 1 } as const,
    { process, input: { type: 'release' }, start: (end ?? start) + 1, end } as const,
  ];
  it.each<[string, readonly Operation<LockInput, number>[], string]>([
    ['one after the other', [...entry('a', 1, 0, 3), ...entry('b', 2, 1, 9)], 'violated'],
    ['the second waits', [...entry('a', 1, 0, 3), ...entry('b', 2, 4, 9)], 'holds'],
    ['a token comes twice', [...entry('a', 1, 0, 3), ...entry('b', 1, 4, 9)], 'violated'],
    ['no tokens', [...entry('a', undefined, 0, 3), ...entry('b', undefined, 4, 9)], 'holds'],
    ['a has died, perhaps released', [...entry('a', 1, 0), ...entry('b', 2, 4, 9)], 'holds'],
  ])('lock: %s', (_, given, verdict) => {
    const history = given.map((one) =>
      one.end !== undefined && one.end < one.start ? { ...one, end: one.start } : one,
    );
    expect(linearizable(history, sequential.lock()).verdict).toBe(verdict);
  });

  it('counter: an update that is lost', () => {
    const add = (process: string, output: number | undefined, start: number, end?: number) =>
      ({ process, input: { type: 'add' }, output, start, end }) as const;
    const lost = [add('a', 1, 0, 3), add('b', 1, 1, 4)];
    expect(linearizable(lost, sequential.counter()).verdict).toBe('violated');
    const unknown = [add('a', undefined, 0), add('b', 2, 1, 4)];
    expect(linearizable(unknown, sequential.counter()).verdict).toBe('holds');
  });
});

it('takes a long history of a counter whose processes are killed now and then', () => {
  const random = new Random(7);
  const history: Recorded<CounterInput>[] = [];
  let sum = 0;
  for (let index = 0; index < 5_000; index++) {
    const isKilled = random.below(20) === 0;
    if (!isKilled || random.below(2) === 0) sum++;
    history.push({
      ...{ process: `p${index % 5}`, input: { type: 'add' }, start: 10 * index },
      ...(!isKilled && { output: sum, end: 10 * index + 30 }),
    });
  }
  const { verdict, configurations } = linearizable(history, sequential.counter());
  expect(verdict).toBe('holds');
  expect(configurations).toBeLessThan(6_000);
});

describe('a register that a majority of servers keeps', () => {
  const isLinearizable = always(
    'what clients see is linearizable',
    ({ history }: Registers) =>
      linearizable(operationsOf(history), sequential.register(null)).verdict === 'holds',
  );

  it('is linearizable with two servers and two clients, in the published number of states', () => {
    const system = majorityRegister(
      2,
      [
        ['A', null],
        ['B', null],
      ],
      { recordsReads: true },
    );
    const { states, properties } = exploreSystem(system, { properties: [isLinearizable] });
    expect([properties[0]?.verdict, states]).toEqual(['holds', 544]);
  });

  it('is not with three servers where reads record nothing', () => {
    const system = majorityRegister(3, [['A'], [null, null]], { recordsReads: false });
    const { properties } = exploreSystem(system, {
      properties: [isLinearizable],
      limits: { depth: 11 },
    });
    const [{ verdict, path = [] } = {}] = properties;
    const steps = path.map(({ action }) => JSON.parse(action));
    expect([verdict, steps.map(([from, to, [type, value]]) => [from, to, type, value])]).toEqual([
      'violated',
      [
        [3, 0, 'write', 'A'],
        [0, 1, 'ask', undefined],
        [1, 0, 'newest', null],
        [4, 1, 'read', undefined],
        [1, 0, 'ask', undefined],
        [0, 1, 'newest', 'A'],
        [1, 4, 'value', 'A'],
        [4, 2, 'read', undefined],
        [2, 1, 'ask', undefined],
        [1, 2, 'newest', null],
        [2, 4, 'value', null],
      ],
    ]);
  });
});

describe('what it cannot judge', () => {
  it('says that the limit was reached', () => {
    const writes = Array.from({ length: 6 }, (_, value) => ({
      ...{ process: `p${value}`, input: { type: 'write', value } as const, start: 0, end: 9 },
    }));
    const read = { process: 'r', input: { type: 'read' } as const, output: 99, start: 10, end: 11 };
    const history: readonly Recorded<RegisterInput>[] = [...writes, read];
    const object = sequential.register(0);
    const { verdict, text } = linearizable(history, object, { limit: 10 });
    expect([verdict, text]).toEqual([
      'incomplete',
      'incomplete: the limit was reached, with 6 of 7 operations in order',
    ]);
    expect(linearizable(history, object).verdict).toBe('violated');
  });

  const read = { process: 'a', input: { type: 'read' }, start: 0, end: 1 } as const;
  it.each<[string, unknown, object, string]>([
    ['a history that is none', 7, {}, 'The history is 7'],
    ['a time that is none', [{ ...read, start: '0' }], {}, 'has the start "0" and the end 1'],
    ['an end before the start', [{ ...read, end: -1 }], {}, 'the end not before the start'],
    ['a read without an answer', [read], {}, 'has ended without an output: {"type":"read"}'],
    ['a state that is no data', [read], { next: () => new Map() }, 'the state'],
    [
      'a state that is changed',
      [read],
      { initial: [], next: (state: number[]) => state.push(1) && state },
      'next of the sequential object',
    ],
  ])('refuses %s', (_, history, other, what) => {
    const object = { ...sequential.register(0), ...other };
    expect(() => linearizable(history as readonly Recorded<RegisterInput>[], object)).toThrow(what);
  });
});
