/**
 * A function that depends on more than its state, or changes its arguments, never leads to a
 * verdict.
 */

import { always, never, send } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assertEvent, assign, enqueueActions, setup } from 'xstate';
import { minimalProtocol, type Self } from '../../../core/src/protocol/examples.contract.js';
import { exploreSystem } from '../plain/plain.js';
import { walk } from '../walk/walk.js';
import { explore } from './explore.js';
import { collector, impure } from './impure.contract.js';

describe('a machine that changes its context is stopped at that step', () => {
  const pushing = collector({ keep: (context) => context.queue.push('x') });
  const what =
    /^Node b, taking 'hi', by its action 'keep', changes what it is given: context\.queue\[0\] was nothing and became "x" \(impure\.test\.ts:\d+:\d+\)/;

  it('in an exploration, walks and a small simulation', () => {
    expect(() => explore(pushing, complete(2))).toThrow(impure(what));
    expect(() => walk(pushing, complete(2), { seed: 1, walks: 3, steps: 9 })).toThrow(
      impure(/by its action 'keep', changes what it is given/),
    );
    expect(() =>
      simulate({ protocol: pushing, topology: complete(2), workload: oneShot({ type: 'go' }) }),
    ).toThrow(impure(/'keep'/));
  });

  it('also in sloppy mode, where JavaScript ignores the write: steps are taken again from copies', () => {
    const sloppy = new Function('context', 'context.queue[0] = "x"') as (context: {
      queue: string[];
    }) => void; // not strict, unlike a module
    expect(() => explore(collector({ keep: sloppy }), complete(2))).toThrow(
      impure(/changes what it is given: state\.context\.queue\[0\] was nothing and became "x"/),
    );
  });

  it('a machine that returns new values is accepted', () => {
    expect(explore(collector({ keep: () => {} }), complete(2))).toMatchObject({ complete: true });
  });
});

const roleMachine = ({
  roles: { node },
}: ReturnType<typeof minimalProtocol>): NonNullable<typeof node>['machine'] => {
  if (!node) throw new Error('the protocol has this role');
  return node.machine;
};

describe('chance and clocks are refused by name', () => {
  it.each<[string, () => boolean]>([
    ['Math.random', () => Math.random() < 2],
    ['Date.now', () => Date.now() > 0],
    ['performance.now', () => performance.now() > 0],
    ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(1)).length > 0],
    ['crypto.randomUUID', () => crypto.randomUUID().length > 0],
    ['new Date()', () => new Date().getFullYear() > 0],
  ])('%s in a guard, also if the guard swallows the error', (name, ask) => {
    const swallowing = () => {
      try {
        return ask();
      } catch {
        return true;
      }
    };
    for (const passes of [ask, swallowing])
      expect(() => explore(collector({ keep: () => {} }, passes), complete(2))).toThrow(
        impure(`asks ${name.replace(/[()]/g, '.')}`),
      );
  });

  it('in a property, and in a plain system; afterwards they answer again', () => {
    const lucky = always('lucky', () => Math.random() < 2);
    expect(() =>
      explore(collector({ keep: () => {} }), complete(2), { properties: [lucky] }),
    ).toThrow(impure(/^Property 'lucky' asks Math\.random, which answers differently each time/));
    const dice = { initial: 0, actions: () => ['roll'], next: () => Math.floor(Math.random() * 6) };
    expect(() => exploreSystem(dice, { properties: [] })).toThrow(
      impure(/^next, taking "roll" in 0, asks Math\.random/),
    );
    expect(Math.random()).toBeLessThan(1);
    expect(new Date().getFullYear()).toBeGreaterThan(2000);
  });

  it('a date made from a given time does not read the clock', () => {
    const dated = collector({ keep: () => {} }, () => new Date(0).getFullYear() < 2000);
    expect(explore(dated, complete(2))).toMatchObject({ complete: true });
  });
});

describe('with frozen globals', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });
  const asking = (ask: () => boolean) =>
    explore(collector({ keep: () => {} }, ask), complete(2), { properties: [] });

  it('chance and clocks are refused all the same, and other numbers and dates are not', () => {
    const { Math: numbers, Date: dates } = globalThis;
    const frozenMath = Object.freeze(
      Object.create(numbers, { random: { value: () => numbers.random() } }),
    );
    const frozenDate = Object.freeze(class extends dates {});
    vi.stubGlobal('Math', frozenMath);
    vi.stubGlobal('Date', frozenDate);
    expect(() => asking(() => Math.random() < 2)).toThrow(impure('asks Math.random'));
    expect(() => asking(() => Date.now() > 0)).toThrow(impure('asks Date.now'));
    expect(() => asking(() => new Date().getFullYear() > 0)).toThrow(impure('asks new Date'));
    const isCertain = () => Math.max(1, 2) === 2 && new Date(0).getTime() === Date.UTC(1970);
    expect(asking(isCertain)).toMatchObject({ complete: true });
    expect([Math === frozenMath, Date === frozenDate]).toEqual([true, true]);
  });

  it('what cannot be replaced is an error, and nothing stays replaced', () => {
    const { random } = Math;
    vi.stubGlobal('performance', Object.freeze({ now: () => 1 }));
    expect(() => asking(() => true)).toThrow(
      expect.objectContaining({
        code: 'impure',
        message: expect.stringMatching(/^performance\.now cannot be replaced/),
      }),
    );
    expect(Math.random).toBe(random);
    vi.unstubAllGlobals();
    expect(() => asking(() => Math.random() < 2)).toThrow(impure('asks Math.random'));
  });
});

describe('a dependency on outside variables is detected before any property holds', () => {
  it('in a guard', () => {
    let asked = 0;
    const first = collector({ keep: () => {} }, () => asked++ < 2);
    expect(() => explore(first, complete(2))).toThrow(
      impure(/taking 'go', does not do the same each time/),
    );
  });

  it.each([2, 3, 4])(
    'in a variable that takes %i values in turn, although each step is taken only twice',
    (period) => {
      let turn = 0;
      const machine = setup({
        types: {} as { input: Self; context: Self & { n: number }; events: { type: 'go' } },
        actions: { next: assign({ n: ({ context }) => context.n * period + (turn++ % period) }) },
      }).createMachine({
        context: ({ input }) => ({ ...input, n: 0 }),
        on: { go: { actions: 'next' } },
      });
      const protocol = minimalProtocol(machine, {
        commands: { go: { kind: 'optional', meaning: 'count' } },
      });
      for (const [nodes, commands] of [
        [2, 1],
        [2, 2],
        [2, 3],
        [3, 1],
      ] as const)
        expect(() => explore(protocol, complete(nodes), { commands })).toThrow(
          impure(/taking 'go', does not do the same each time/),
        );
    },
  );

  it('in a guard that blocks a command entirely, in a condition, in mayCrash and in a start', () => {
    let asked = 0;
    const late = collector({ keep: () => {} }, () => asked++ > 1);
    expect(() => explore(late, complete(2))).toThrow(
      impure(/^Whether node [ab] accepts 'go' in 'idle' is not the same each time/),
    );
    const when = () => asked++ > 40;
    const protocol = collector({ keep: () => {} });
    const conditional = {
      ...protocol,
      commands: { go: { kind: 'optional', meaning: 'greet', when } as const },
    };
    asked = 39;
    expect(() => explore(conditional, complete(2))).toThrow(
      impure(/^Whether node [ab] accepts 'go'/),
    );
    asked = 0;
    expect(() =>
      explore(protocol, complete(2), { crashes: 1, mayCrash: () => asked++ > 2 }),
    ).toThrow(impure(/^mayCrash does not return the same each time for node [ab] in 'idle'/));
    const input = (self: string) => ({ self, peers: [], started: asked++ });
    const started = { ...protocol, roles: { node: { machine: roleMachine(protocol), input } } };
    expect(() => explore(started, complete(2), { commands: 0 })).toThrow(
      impure(
        /^Node a does not start in the same state each time: context\.started was \d+ and became \d+/,
      ),
    );
  });

  it('in a property: it is evaluated again, on a new object for each state', () => {
    const [protocol, topology] = [collector({ keep: () => {} }), complete(2)];
    let asked = 0;
    const properties = [never('late', ({ nodes }) => nodes.length > 0 && asked++ > 40)];
    const { states } = explore(protocol, topology, { properties: [] });
    asked = 39 - states; // two more where the property is checked, then one for each state
    expect(() => explore(protocol, topology, { properties })).toThrow(
      impure(/^Property 'late' does not return the same each time/),
    );
    const known = new WeakMap<object, boolean>();
    const greeted = never('a node greets', (system) => {
      const answer = known.get(system) ?? system.inFlight('hi').length > 0;
      known.set(system, answer);
      return answer;
    });
    expect(explore(protocol, topology, { properties: [greeted] }).properties[0]?.verdict).toBe(
      'violated',
    );
  });

  it('in the order of keys, which does not distinguish states', () => {
    const vote = (name: string) =>
      assign(({ context }: { context: { votes: object } }) => ({
        votes: { ...context.votes, [name]: 1 },
      })) as never;
    const votes = setup({
      types: {} as {
        context: { votes: object };
        events: { type: 'x' } | { type: 'y' } | { type: 'end' };
      },
    }).createMachine({
      context: { votes: {} },
      initial: 'open',
      states: {
        open: {
          on: {
            x: { actions: vote('x') },
            y: { actions: vote('y') },
            end: [
              { guard: ({ context }) => Object.keys(context.votes)[0] === 'y', target: 'first' },
              { target: 'last' },
            ],
          },
        },
        first: { on: { x: {}, y: {}, end: {} } },
        last: { on: { x: {}, y: {}, end: {} } },
      },
    });
    const command = { kind: 'optional', meaning: 'votes' } as const;
    const counted = minimalProtocol(votes, {
      commands: { x: command, y: command, end: command },
      waiting: false,
    });
    expect(() => explore(counted, complete(2))).toThrow(
      impure(/^Node b, taking 'end', depends on the order of the keys of an object: value was/),
    );
    const plain = {
      initial: { a: 0, b: 0 },
      actions: ({ a }: { a: number }) => (a === 0 ? ['x', 'y'] : a === 1 ? ['go'] : []),
      next: (state: object, action: string) =>
        action === 'x'
          ? { a: 1, b: 1 }
          : action === 'y'
            ? { b: 1, a: 1 }
            : { a: Object.keys(state)[0] === 'b' ? 9 : 2, b: 0 },
    };
    expect(() => exploreSystem(plain, { properties: [] })).toThrow(
      impure(/^The system depends on the order of the keys of an object, in the state/),
    );
  });

  it('in a plain system, in its actions and in its next states', () => {
    let calls = 0;
    const drifting = {
      initial: 0,
      actions: (n: number) => (n < 3 ? ['up'] : []),
      next: (n: number) => (calls++ > 2 ? 3 : n + 1),
    };
    expect(() => exploreSystem(drifting, { properties: [] })).toThrow(
      impure(/^The system does not do the same each time in the state 0/),
    );
    const shared = {
      initial: { sum: 0, read: [-1, -1] },
      actions: ({ read }: { read: number[] }) => (read[0] === -1 ? ['read'] : []),
      next: (state: { sum: number; read: number[] }) => {
        const next = { ...state };
        next.read[0] = 0;
        return next;
      },
    };
    expect(() => exploreSystem(shared as never, { properties: [] })).toThrow(
      impure(
        /^next, taking "read" in \{"sum":0,"read":\[-1,-1\]\}, changes what it is given: state\.read\[0\] was -1 and became 0/,
      ),
    );
  });
});

describe('a property cannot change what it sees', () => {
  it.each([
    ['the context', (context: Record<string, unknown>) => (context.queue as string[]).push('x')],
    ['a field', (context: Record<string, unknown>) => Object.assign(context, { queue: [] })],
  ])('%s', (_, change) => {
    const meddling = always('meddles', ({ nodes }) =>
      nodes.every((node) => Boolean(change(node.context as Record<string, unknown>)) || true),
    );
    expect(() =>
      explore(collector({ keep: () => {} }), complete(2), { properties: [meddling] }),
    ).toThrow(impure(/^Property 'meddles' changes what it is given: Cannot/));
  });

  it('its tags, and the state of a plain system', () => {
    const tagging = always('tags', ({ nodes }) =>
      nodes.every(({ tags }) => Boolean((tags as Set<string>).add('x'))),
    );
    expect(() =>
      explore(collector({ keep: () => {} }), complete(2), { properties: [tagging] }),
    ).toThrow(impure(/tags of a node are not to be changed/));
    const counting = never<{ n: number }>(
      'counts',
      (state) => Boolean(Object.assign(state, { n: 0 })) && false,
    );
    expect(() =>
      exploreSystem(
        { initial: { n: 1 }, actions: () => [], next: () => ({ n: 2 }) },
        { properties: [counting] },
      ),
    ).toThrow(impure(/^Property 'counts' changes what it is given: .*, in the state \{"n":1\}/));
  });
});

it('a cycle of always transitions fails instead of running forever', () => {
  const spinning = setup({ types: {} as { events: { type: 'go' } } }).createMachine({
    initial: 'idle',
    context: {},
    states: { idle: { on: { go: 'here' } }, here: { always: 'there' }, there: { always: 'here' } },
  });
  const found = explore(
    minimalProtocol(spinning, {
      commands: { go: { kind: 'optional', meaning: 'spin' } },
      waiting: false,
    }),
    complete(2),
  );
  expect(found.properties.at(-1)).toMatchObject({ verdict: 'violated' });
  expect(found.properties.at(-1)?.trace?.header.get('fault')).toMatch(
    /^Node a failed: Infinite loop detected/,
  );
});

it('a message that is not plain data is refused before it could be confused with another', () => {
  const odd = setup({
    types: {} as {
      input: Self;
      context: Self;
      events: { type: 'go' } | { type: 'hi'; from: string };
    },
  }).createMachine({
    context: ({ input }) => input,
    on: {
      go: {
        actions: enqueueActions(({ context, event, enqueue }) => {
          assertEvent(event, 'go');
          enqueue.emit(
            send(context.peers[0] ?? '', { type: 'hi', at: Number.NaN } as never) as never,
          );
        }),
      },
      hi: {},
    },
  });
  const found = explore(
    minimalProtocol(odd, {
      messages: { hi: { meaning: 'hi' } },
      commands: { go: { kind: 'optional', meaning: 'go' } },
      waiting: false,
    }),
    complete(2),
  );
  expect(found.properties.at(-1)?.trace?.header.get('fault')).toMatch(
    /^Node a: send\.message\.at \(NaN\) is not plain data/,
  );
});
