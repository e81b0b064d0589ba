import type { LocalState, Step } from '@conclave/core/protocol';
import { always, ConclaveError } from '@conclave/core/protocol';
import { complete, star } from '@conclave/core/topology';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { raise, setup } from 'xstate';
import { byPlan, type Stepper } from '../../../../core/src/protocol/compiled/stepper.js';
import {
  calls,
  centralLock,
  minimalProtocol,
} from '../../../../core/src/protocol/examples.contract.js';
import { explore, Strategy } from '../../explore/explore.js';
import { witness } from '../../verdicts/witness.js';
import { Worlds } from '../../worlds/worlds.js';
import { Watch } from '../limits/limits.js';
import { CompiledWorlds } from './compiled-worlds.js';
import { ContentTable } from './encoding.js';

type Order = 'fifo' | 'any';

/** What identifies a content: the messages, and under `fifo` their order. */
const key = (order: Order, list: readonly number[]) =>
  (order === 'any' ? list.toSorted((a, b) => a - b) : list).join();

/**
 * The messages that a channel with these contents may deliver next, each with the rest: as arrays,
 * without a table.
 */
function waysOf(order: Order, list: readonly number[]): string[] {
  const heads = order === 'fifo' ? list.slice(0, 1) : [...new Set(list)];
  return heads
    .map((message) => `${message} leaves ${key(order, list.toSpliced(list.indexOf(message), 1))}`)
    .sort();
}

describe.each(['fifo', 'any'] as const)('contents of channels in %s order', (order) => {
  const step = fc.oneof(fc.record({ push: fc.nat(12) }), fc.record({ take: fc.nat() }));
  const pairs = (numbers: readonly number[]) =>
    Array.from({ length: numbers.length / 2 }, (_, index) => ({
      message: numbers[2 * index] ?? -1,
      rest: numbers[2 * index + 1] ?? -1,
    }));

  it('change by sends and deliveries as arrays do, and have one number each', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(step, { maxLength: 15 }), { minLength: 1, maxLength: 4 }),
        (channels) => {
          const table = new ContentTable(order);
          const ids = new Map([['', 0]]);
          for (const steps of channels) {
            let content = 0;
            let list: readonly number[] = [];
            for (const taken of steps) {
              if ('push' in taken) {
                content = table.push(content, taken.push);
                list = [...list, taken.push];
              } else {
                const dequeues = pairs(table.dequeues(content));
                const dequeued = dequeues[taken.take % Math.max(1, dequeues.length)];
                if (!dequeued) continue;
                content = dequeued.rest;
                list = list.toSpliced(list.indexOf(dequeued.message), 1);
              }
              expect(key(order, table.list(content))).toBe(key(order, list));
              expect(
                pairs(table.dequeues(content))
                  .map(({ message, rest }) => `${message} leaves ${key(order, table.list(rest))}`)
                  .sort(),
              ).toEqual(waysOf(order, list));
              const text = key(order, list);
              expect(ids.get(text) ?? content).toBe(content);
              ids.set(text, content);
            }
          }
          expect(new Set(ids.values()).size).toBe(ids.size);
          expect(table.size).toBeGreaterThanOrEqual(ids.size);
        },
      ),
    );
  });

  it('begin empty, and an empty channel delivers nothing', () => {
    const table = new ContentTable(order);
    expect(table.size).toBe(1);
    expect(table.list(0)).toEqual([]);
    expect(table.dequeues(0)).toEqual([]);
  });

  it('do not mix up 1, 11 and 11, 1', () => {
    const table = new ContentTable(order);
    const one = table.push(table.push(0, 1), 11);
    const other = table.push(table.push(0, 11), 1);
    const third = table.push(0, 111);
    expect(one === other).toBe(order === 'any');
    expect(third).not.toBe(one);
    expect(third).not.toBe(other);
  });
});

// Before a property holds, XState confirms every distinct local step of a compiled machine; the
// report says how many.

/**
 * What an exploration finds whose steps are taken in another way; it ends by an error if XState
 * does not confirm them.
 */
function verdictsWith(
  stepper: Stepper,
  protocol = centralLock,
  topology = star(3),
): readonly string[] {
  const compiled = new CompiledWorlds(new Worlds(protocol, topology), undefined, stepper);
  const strategy = new Strategy(compiled, {}, new Watch());
  const { judged } = strategy.judge();
  return strategy.properties.all.map((property) => judged(property).verdict);
}

type Change = (taken: Step, before: LocalState, type: string) => Step;

/** Plans that `change` makes wrong. */
const wrongly = (change: Change): Stepper => ({
  ...byPlan,
  step: (machine, id, state, event) =>
    change(byPlan.step(machine, id, state, event), state, event.type),
});

const critical = ({ value }: LocalState) => value === 'critical';

describe('a compiled machine that differs from XState is a mistake of Conclave: no property holds', () => {
  it('the same plans unchanged: all properties do', () => {
    expect(verdictsWith(wrongly((taken) => taken))).toEqual([
      'holds',
      'reached',
      'holds',
      'holds',
      'holds',
      'holds',
    ]);
  });

  it.each<[string, RegExp, Stepper]>([
    [
      'its state',
      /^The compiled machine of node c differs from XState: taking 'grant' from a in 'waiting' with \{"centre":"a"\}, by XState value was "critical" and became "waiting"/,
      wrongly((taken, before) =>
        critical(taken.state)
          ? { ...taken, state: { ...taken.state, value: before.value, tags: before.tags } }
          : taken,
      ),
    ],
    [
      'its tags alone',
      /by XState tags\[0\] was "critical" and became nothing/,
      wrongly((taken) =>
        critical(taken.state) ? { ...taken, state: { ...taken.state, tags: [] } } : taken,
      ),
    ],
    [
      'its context',
      /taking 'acquire' in 'idle' .*, by XState context\.centre was "a" and became "b"/,
      wrongly((taken, _, type) =>
        type === 'acquire'
          ? { ...taken, state: { ...taken.state, context: { centre: 'b' } } }
          : taken,
      ),
    ],
    [
      'what it sends',
      /taking 'release' in 'critical' .*, by XState effects\[0\] was \{.*"free".*\} and became nothing/,
      wrongly((taken, _, type) => (type === 'release' ? { ...taken, effects: [] } : taken)),
    ],
    [
      'what it tells the application',
      /by XState effects\[0\]\.type was "send" and became "notify"/,
      wrongly((taken, _, type) =>
        type === 'acquire'
          ? {
              ...taken,
              effects: [{ type: 'notify', notification: { type: 'asked' } }, ...taken.effects],
            }
          : taken,
      ),
    ],
    [
      'an error that XState does not have',
      /taking 'grant' from a in 'waiting' .*, by XState value was "critical" and became nothing/,
      wrongly((taken) => {
        if (critical(taken.state)) throw new ConclaveError('bad-protocol', 'Node b fails');
        return taken;
      }),
    ],
  ])('%s', (_, message, stepper) => {
    expect(() => verdictsWith(stepper)).toThrow(message);
    expect(() => verdictsWith(stepper)).toThrow(
      /This is a mistake of Conclave, not of the protocol; nothing is judged$/,
    );
  });

  it('the commands that it accepts, too many or too few', () => {
    const { when: _, ...always } = centralLock.commands.acquire ?? {
      kind: 'optional',
      meaning: '',
    };
    const asked = { ...centralLock, commands: { ...centralLock.commands, acquire: always } };
    expect(verdictsWith(byPlan, asked)).toContain('holds');
    expect(() => verdictsWith({ ...byPlan, takes: () => true }, asked)).toThrow(
      /in 'free', only the compiled one accepts 'acquire'/,
    );
    expect(() => verdictsWith({ ...byPlan, takes: () => false }, asked)).toThrow(
      /in 'idle', only XState accepts 'acquire'/,
    );
  });

  it('a violation in a search that stopped is not reported unless XState violates it, too', () => {
    const late = wrongly((taken, _, type) =>
      type === 'release'
        ? { ...taken, state: { ...taken.state, value: 'critical', tags: ['critical'] } }
        : taken,
    );
    const compiled = new CompiledWorlds(new Worlds(centralLock, star(3)), undefined, late);
    const strategy = new Strategy(compiled, { all: false }, new Watch());
    const { search, evidence } = strategy.judge();
    expect({ ...compiled.steps, complete: search.complete }).toMatchObject({
      confirmed: 0,
      complete: false,
    });
    const [property] = strategy.properties.all;
    const found = property && evidence.get(property);
    if (!found) throw new Error('the wrong plan lets two nodes in');
    expect(() => witness(strategy, property, found, search)).toThrow(
      /^The run that decides 'at most one holds' does not decide it by XState/,
    );
  });

  it('a plan that differs from itself is a machine that is not the same each time', () => {
    let turn = 0;
    const unsteady = wrongly((taken, _, type) =>
      type === 'acquire' && turn++ < 1 ? { ...taken, effects: [] } : taken,
    );
    expect(() => verdictsWith(unsteady)).toThrow(
      expect.objectContaining({
        code: 'impure',
        message: expect.stringMatching(/^Node b, taking 'acquire', does not do the same each time/),
      }),
    );
  });
});

describe('the report counts the distinct local steps', () => {
  it('all are confirmed after a complete search, whatever the order', () => {
    const steps = { distinct: 36, confirmed: 36 };
    for (const options of [{}, { search: 'depth' }] as const)
      expect(explore(centralLock, star(4), options)).toMatchObject({ complete: true, steps });
    expect(
      explore(calls, complete(2), { losses: 1, duplications: 1, crashes: 1, restarts: 1 }).steps,
    ).toEqual({ distinct: 66, confirmed: 66 });
  });

  it('none is confirmed if the search is cut, or stops at a violation', () => {
    const { steps } = explore(centralLock, star(4), { limits: { states: 50 } });
    expect(steps).toEqual({ distinct: 16, confirmed: 0 });
    const properties = [always('nobody waits', (system) => system.count('waiting') === 0)];
    expect(explore(centralLock, star(4), { properties, all: false }).steps).toMatchObject({
      confirmed: 0,
    });
    expect(explore(centralLock, star(4), { limits: { seconds: 0 } }).steps).toEqual({
      distinct: 0,
      confirmed: 0,
    });
  });

  it('some are if the confirmation is interrupted; then nothing holds', () => {
    let asked = 0;
    const stopAfter = (most: number) => {
      asked = 0;
      return explore(centralLock, star(4), { limits: { stop: () => ++asked > most } });
    };
    expect(stopAfter(Infinity).complete).toBe(true);
    const [last, seen] = [asked, new Set<number>()];
    for (let most = last - 1; ; most--) {
      const { complete, limit, steps, properties } = stopAfter(most);
      if (complete) continue; // interrupted later, while the properties of runs were judged
      if (steps.distinct < 36) break; // interrupted earlier, during the search
      expect({ limit, distinct: steps.distinct }).toEqual({ limit: 'interrupted', distinct: 36 });
      for (const { verdict } of properties) expect(['incomplete', 'reached']).toContain(verdict);
      seen.add(steps.confirmed);
    }
    expect(seen.size).toBeGreaterThan(3);
    expect([...seen]).toEqual([...seen].sort((one, other) => other - one));
  });

  it('it says which machine is not compiled, and why: XState took its steps the first time as well', () => {
    const machine = setup({ types: {} as { events: { type: 'end' } } }).createMachine({
      context: {},
      initial: 'on',
      states: {
        on: {
          on: { end: [{ guard: () => false, actions: raise('end' as never) }, { target: 'off' }] },
        },
        off: {},
      },
    });
    const odd = minimalProtocol(machine, {
      commands: { end: { kind: 'optional', meaning: 'ends' } },
      waiting: false,
    });
    expect(explore(odd, complete(2))).toMatchObject({
      complete: true,
      steps: { distinct: 2, confirmed: 2, uncompiled: { node: expect.stringContaining('string') } },
    });
  });
});
