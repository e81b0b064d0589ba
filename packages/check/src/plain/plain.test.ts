import { always, leadsTo, never, sometimes } from '@conclave/core/protocol';
import { describe, expect, it, vi } from 'vitest';
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
      expect(write.mock.calls.filter(isState)).toEqual([]);
    } finally {
      freeze.mockRestore();
      write.mockRestore();
    }
  });
});
