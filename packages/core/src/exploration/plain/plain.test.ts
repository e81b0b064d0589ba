import { describe, expect, it, vi } from 'vitest';
import { always, eventually, leadsTo, never, sometimes } from '../../protocol/property.js';
import { exploreSystem } from './plain.js';

/**
 * Two-phase commit: a coordinator and two participants, each of which may vote no; the coordinator
 * may crash after its request.
 */
interface Commit {
  readonly [key: string]: string | readonly string[] | boolean;
  readonly coordinator: string;
  readonly participants: readonly string[];
  readonly crashed: boolean;
}
type Step = readonly [who: string, what: string];
const commit = (mayCrash: boolean) => ({
  initial: {
    coordinator: 'asking',
    participants: ['working', 'working'],
    crashed: false,
  } as Commit,
  actions: ({ coordinator, participants, crashed }: Commit): Step[] => [
    ...participants.flatMap((state, index): Step[] =>
      state === 'working'
        ? [
            [`${index}`, 'prepared'],
            [`${index}`, 'aborted'],
          ]
        : [],
    ),
    ...(crashed || coordinator !== 'asking'
      ? []
      : (
          [participants.every((state) => state === 'prepared') ? ['c', 'commit'] : []] as Step[]
        ).filter(({ length }) => length > 0)),
    ...(crashed || coordinator !== 'asking' || !participants.includes('aborted')
      ? []
      : ([['c', 'abort']] as Step[])),
    ...(crashed || coordinator === 'asking'
      ? []
      : participants.flatMap((state, index): Step[] =>
          state === 'prepared' ? [[`${index}`, 'decide']] : [],
        )),
    ...(mayCrash && !crashed ? ([['c', 'crash']] as Step[]) : []),
  ],
  next: (state: Commit, [who, what]: Step): Commit => {
    if (what === 'crash') return { ...state, crashed: true };
    if (who === 'c') return { ...state, coordinator: what };
    const decided = state.coordinator === 'commit' ? 'committed' : 'aborted';
    return {
      ...state,
      participants: state.participants.with(Number(who), what === 'decide' ? decided : what),
    };
  },
  fair: ([who, what]: Step) => (what === 'crash' ? undefined : who),
});
const properties = [
  never<Commit>(
    'one commits and another aborts',
    ({ participants }) => participants.includes('committed') && participants.includes('aborted'),
  ),
  sometimes<Commit>('all commit', ({ participants }) =>
    participants.every((state) => state === 'committed'),
  ),
  leadsTo<Commit>(
    'a prepared participant learns the decision',
    ({ participants }) => participants.includes('prepared'),
    ({ participants }) => !participants.includes('prepared'),
  ),
];
const verdicts = (found: { readonly properties: readonly { readonly verdict: string }[] }) =>
  found.properties.map(({ verdict }) => verdict);

describe('a system of plain functions', () => {
  it('two-phase commit agrees, and decides if the coordinator does not crash', () => {
    const found = exploreSystem(commit(false), { properties });
    expect(found).toMatchObject({ complete: true, states: 18 });
    expect(verdicts(found)).toEqual(['holds', 'reached', 'holds', 'holds']);
  });

  it('two-phase commit blocks when the coordinator crashes: the run ends with a participant prepared forever', () => {
    const [, , blocked] = exploreSystem(commit(true), { properties }).properties;
    expect(blocked).toMatchObject({ verdict: 'violated' });
    expect(blocked?.path?.at(-1)?.state.crashed).toBe(true);
    expect(blocked?.loopsFrom).toBe(blocked?.path?.length);
  });

  it('a counterexample is a shortest one, and replays', () => {
    const system = {
      initial: 0,
      actions: (n: number) => (n < 6 ? [1, 2] : []),
      next: (n: number, by: number) => n + by,
    };
    const [small] = exploreSystem(system, {
      properties: [always<number>('below 5', (n) => n < 5)],
    }).properties;
    expect(small?.path?.map(({ action }) => action)).toEqual([1, 2, 2]);
    expect(small?.path?.reduce((n, { action }) => system.next(n, action), 0)).toBe(
      small?.path?.at(-1)?.state,
    );
  });

  it('states reached on two paths are one, if they differ only in the order of keys', () => {
    const system = {
      initial: {} as { readonly [key: string]: number },
      actions: (state: { readonly [key: string]: number }) =>
        ['a', 'b'].filter((key) => !(key in state)),
      next: (state: { readonly [key: string]: number }, key: string) => ({ ...state, [key]: 1 }),
    };
    expect(exploreSystem(system, { properties: [] })).toMatchObject({ states: 4, transitions: 4 });
  });

  it('a loop without the response is found, and fairness can exclude it', () => {
    const system = {
      initial: 'spin',
      actions: (state: string) => (state === 'done' ? [] : ['again', 'leave']),
      next: (_state: string, action: string) => (action === 'leave' ? 'done' : 'spin'),
      fair: (action: string) => action,
    };
    const done = [eventually<string>('done', (state) => state === 'done')];
    expect(verdicts(exploreSystem(system, { properties: done, fairness: 'weak' }))).toEqual([
      'holds',
      'holds',
    ]);
    const [never] = exploreSystem(system, { properties: done, fairness: 'none' }).properties;
    expect(never).toMatchObject({
      verdict: 'violated',
      loopsFrom: 0,
      path: [{ action: 'again', state: 'spin' }],
    });
  });

  it('an error thrown by next is a violation of its own, with the path to it; liveness stays open', () => {
    const system = {
      initial: 0,
      actions: () => ['up'],
      next: (n: number) => {
        if (n === 2) throw new Error('no further');
        return n + 1;
      },
    };
    const found = exploreSystem(system, {
      properties: [eventually<number>('nine', (n) => n === 9)],
    });
    expect(verdicts(found)).toEqual(['incomplete', 'violated']);
    expect(found.properties[1]).toMatchObject({
      fault: 'Error: no further',
      path: [{ state: 1 }, { state: 2 }],
    });
  });

  it('a limit makes it incomplete: no property holds', () => {
    const endless = { initial: 0, actions: () => ['up'], next: (n: number) => n + 1 };
    const found = exploreSystem(endless, {
      properties: [always<number>('natural', (n) => n >= 0)],
      limits: { states: 100 },
    });
    expect(found).toMatchObject({ complete: false, limit: 'states' });
    expect(verdicts(found)).toEqual(['incomplete', 'incomplete']);
  });

  it('the memory limit includes the states, which are strings and objects', () => {
    const wide = 'x'.repeat(10_000);
    const system = {
      initial: `0${wide}`,
      actions: () => ['up'],
      next: (text: string) => `${Number.parseInt(text, 10) + 1}${wide}`,
    };
    const found = exploreSystem(system, { properties: [], limits: { memory: 10, states: 20_000 } });
    expect(found).toMatchObject({ complete: false, limit: 'memory' });
    expect(found.states).toBeLessThan(1000);
  });

  it('a state that is not plain data is refused: it would equal other states', () => {
    const counted = {
      initial: { seen: 0 } as { readonly seen: number },
      actions: () => ['up'],
      next: ({ seen }: { readonly seen: number }) => ({ seen: seen === 2 ? Number.NaN : seen + 1 }),
    };
    expect(() => exploreSystem(counted, { properties: [] })).toThrow(
      'The system: state.seen (NaN) is not plain data, after "up" in {"seen":2}. Use numbers, strings, booleans, null, arrays and objects of them.',
    );
  });

  it('freezes each state once, and writes none of them for errors that do not come', () => {
    const grid = {
      initial: { x: 0, y: 0 },
      actions: ({ x, y }: { x: number; y: number }) => [
        ...(x < 9 ? ['right'] : []),
        ...(y < 9 ? ['up'] : []),
      ],
      next: ({ x, y }: { x: number; y: number }, action: string) =>
        action === 'up' ? { x, y: y + 1 } : { x: x + 1, y },
    };
    const isState = ([value]: readonly unknown[]) =>
      typeof value === 'object' && value !== null && 'x' in value;
    const [freeze, write] = [vi.spyOn(Object, 'freeze'), vi.spyOn(JSON, 'stringify')];
    try {
      const { states, transitions } = exploreSystem(grid, { properties: [] });
      expect([states, transitions]).toEqual([100, 180]);
      expect(freeze.mock.calls.filter(isState)).toHaveLength(states);
      // Each state that is reached is looked up by its text, and again when all steps are
      // confirmed; so is the initial one, once.
      expect(write.mock.calls.filter(isState)).toHaveLength(1 + 2 * transitions);
    } finally {
      freeze.mockRestore();
      write.mockRestore();
    }
  });
});
