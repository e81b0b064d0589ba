import { readFileSync } from 'node:fs';
import { notify, send } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import { chain, complete, ring } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { mutantOf, takeAll, withMachine } from '../../contract/machines.contract.js';
import { problemContract } from '../../contract/problem.contract.js';
import { needsEachMessageOnce, sendsWork, steps, tooEarly } from '../termination.contract.js';
import { distributing } from '../workloads.contract.js';
import { initiator, machine } from './dijkstra-scholten.js';
import { dijkstraScholten } from './protocol.js';

const protocol = dijkstraScholten();
const ofNode = mutantOf(protocol);

problemContract({
  protocol,
  topologies: [chain(2), chain(5), complete(4), ring(6, { oneWay: false })],
  workload: distributing,
  small: [
    { topology: complete(2), budget: { commands: 2 } },
    { topology: chain(3), budget: { commands: 2 } },
  ],
  explored: [
    [complete(2), { commands: 2 }, 241],
    [complete(3), {}, 171],
    [chain(3), { commands: 2 }, 3_267],
  ],
  mutants: {
    'a node answers its parent at once': ofNode(
      'complete:2, 9 steps: termination is announced only when all nodes are passive and no work is on its way',
      machine.provide({ guards: { areAllAnswered: () => true } }),
    ),
  },
});

describe('Dijkstra–Scholten rules', () => {
  const { after, done } = steps({ neighbours: ['p', 'q'], work: 20 });
  const work = (from: string) => ({ type: 'work', from });
  const signal = { type: 'signal', from: 'q' };
  const signalTo = (to: string) => send(to, { type: 'signal' });

  it('[DS1] a node counts the work that it sends', () => {
    const { state, effects } = after(initiator, ...sendsWork('q'));
    expect(effects).toEqual([send('q', { type: 'work' })]);
    expect(state.context).toMatchObject({ unanswered: 1, parent: null });
  });

  it('[DS2] the first work makes a node take part; its sender is the parent', () => {
    const { state, effects } = after(machine, work('p'));
    expect(effects.map(({ type }) => type)).toEqual(['start']); // the timer of its work
    expect(state).toMatchObject({
      value: { computation: 'active', detection: 'inside' },
      context: { parent: 'p' },
    });
  });

  it('[DS3] a node that takes part answers more work at once', () => {
    expect(after(machine, work('p'), work('q')).effects).toEqual([signalTo('q')]);
    expect(after(initiator, work('q')).effects).toEqual([signalTo('q')]);
  });

  it('[DS4] a signal answers a message of work', () => {
    expect(after(initiator, ...sendsWork('q'), signal).state.context).toMatchObject({
      unanswered: 0,
    });
  });

  it('[DS5] a passive node whose work is answered answers its parent, and takes part no longer', () => {
    const { state, effects } = done(machine, work('p'));
    expect(effects).toContainEqual(signalTo('p'));
    expect(state).toMatchObject({ value: { detection: 'outside' }, context: { parent: null } });
    const waits = done(machine, work('p'), ...sendsWork('q'));
    expect(waits.effects).not.toContainEqual(signalTo('p'));
    expect(takeAll(machine, 'm', waits.state, [signal]).effects).toEqual([signalTo('p')]);
  });

  it('[DS6] the passive initiator whose work is answered announces termination', () => {
    const waits = done(initiator, ...sendsWork('q'));
    expect(waits.state.value).toMatchObject({ detection: 'inside' });
    const { state, effects } = takeAll(initiator, 'm', waits.state, [signal]);
    expect(effects).toEqual([notify({ type: 'terminated' })]);
    expect(state.value).toMatchObject({ detection: 'announced' });
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

describe('Dijkstra–Scholten assumptions', () => {
  it('a node that answers when it gets work, and not when all that came of it is done: the shortest run', () => {
    const hasty = machine.provide({ guards: { areAllAnswered: () => true } });
    const run = tooEarly(withMachine(protocol, hasty), complete(3), { commands: 1 });
    expect(page).toContain(run);
  });

  needsEachMessageOnce(protocol, complete(2), complete(3));
});

describe('Dijkstra–Scholten cost', () => {
  it('is a signal for each message of work', () => {
    const workload: Workload = distributing();
    const { messages } = simulate({
      protocol,
      topology: complete(5),
      workload,
      seed: 4,
    });
    expect(messages.work).toBeGreaterThan(2);
    expect(messages.signal).toBe(messages.work);
  });
});
