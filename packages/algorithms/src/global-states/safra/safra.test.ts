import { readFileSync } from 'node:fs';
import { notify, type Protocol, send } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, type EventObject } from 'xstate';
import { mutantOf, takeAll, withMachine } from '../../contract/machines.contract.js';
import { problemContract } from '../../contract/problem.contract.js';
import { needsEachMessageOnce, sendsWork, steps, tooEarly } from '../termination.contract.js';
import { distributing } from '../workloads.contract.js';
import { safra } from './protocol.js';
import { initiator, machine } from './safra.js';

const protocol = safra();
const ofInitiator = mutantOf(protocol, 'initiator');

problemContract({
  protocol,
  topologies: [2, 3, 5, 8].map(complete),
  workload: distributing,
  small: [
    { topology: complete(2), budget: {} },
    { topology: complete(3), budget: { initiators: ['c'] } },
  ],
  explored: [
    [complete(2), {}, 137],
    [complete(2), { commands: 2 }, 1_016],
    [complete(3), {}, 5_690],
  ],
  mutants: {
    'the initiator does not look at its own count': ofInitiator(
      'complete:2, 8 steps: termination is announced only when all nodes are passive and no work is on its way',
      initiator.provide({
        guards: { isOver: ({ context: { token, black } }) => token?.black === false && !black },
      }),
    ),
  },
});

describe('Safra rules', () => {
  const { after, done } = steps({ peers: ['p', 'q'], next: 'q', work: 20 });
  const work = { type: 'work', from: 'p' };
  const token = (count: number, black: boolean) =>
    ({ type: 'token', count, black, from: 'p' }) as EventObject;
  const passed = (count: number, black: boolean) =>
    send('q', { type: 'token', count, black } as { type: string });
  const back = (
    of: AnyStateMachine,
    before: readonly EventObject[],
    count: number,
    black: boolean,
  ) => takeAll(of, 'm', done(of, ...before).state, [token(count, black)]);

  it('[SF1] a node counts the work that it sends', () => {
    const { state, effects } = after(machine, ...sendsWork('p'));
    expect(effects).toEqual([send('p', { type: 'work' })]);
    expect(state.context).toMatchObject({ count: 1, black: false });
  });

  it('[SF2] a node that gets work counts it, and is black and active', () => {
    for (const { state } of [
      after(machine, work),
      takeAll(machine, 'm', done(machine).state, [work]),
    ])
      expect(state).toMatchObject({
        value: { computation: 'active' },
        context: { count: -1, black: true },
      });
  });

  it('[SF3] a passive node passes the token on, adds its count, makes it black if it is black, and is white', () => {
    expect(after(machine, work, token(2, false)).effects).toEqual([]);
    const { state, effects } = done(machine, work, token(2, false));
    expect(effects).toContainEqual(passed(1, true));
    expect(state.context).toMatchObject({ count: -1, black: false });
    expect(back(machine, sendsWork('p'), 2, false).effects).toEqual([passed(3, false)]);
  });

  it('[SF4] the initiator sends a white token when it is passive', () => {
    expect(done(initiator, ...sendsWork('p')).effects).toContainEqual(passed(0, false));
  });

  it('[SF5] with a white token and the sum 0 a white initiator announces termination', () => {
    const { state, effects } = back(initiator, sendsWork('p'), -1, false);
    expect(effects).toEqual([notify({ type: 'terminated' })]);
    expect(state.value).toMatchObject({ detection: 'announced' });
  });

  it('[SF6] otherwise it sends the token again', () => {
    for (const [count, black] of [
      [0, false],
      [-1, true],
    ] as const)
      expect(back(initiator, sendsWork('p'), count, black).effects).toEqual([passed(0, false)]);
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('Safra assumptions', () => {
  it('without colours work is counted twice: the shortest run', () => {
    const countDown = assign({
      count: ({ context }: { context: { count: number } }) => context.count - 1,
    });
    const colourless = [machine, initiator].reduce<Protocol>(
      (all, of, at) =>
        withMachine(
          all,
          of.provide({ actions: { countDown: countDown as never } }),
          at ? 'initiator' : 'node',
        ),
      protocol,
    );
    expect(page).toContain(tooEarly(colourless, complete(3), { commands: 2 }));
  });

  needsEachMessageOnce(protocol, complete(2), complete(2));
});

describe('Safra cost', () => {
  const tokens = (n: number, workload: Workload) =>
    simulate({
      protocol,
      topology: complete(n),
      workload,
      conditions: { delay: { kind: 'fixed', ms: 30 } },
    }).messages.token;

  it('is n where nobody gets work, and 2n where work is on its way in the first round', () => {
    for (const n of [2, 4, 8]) {
      expect(tokens(n, () => () => {})).toBe(n);
      const last = complete(n).nodes.at(-1) ?? '';
      const late: Workload = ({ later, tell }) => {
        later({ kind: 'fixed', ms: 19 }, () => tell(last, { type: 'distribute' }));
        return () => {};
      };
      expect(tokens(n, late)).toBe(2 * n);
    }
  });
});
