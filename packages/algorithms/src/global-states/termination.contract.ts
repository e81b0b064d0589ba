/** What the tests of termination detection share. */
import { type ExploreOptions, explore } from '@conclave/check';
import { fire, start } from '@conclave/core/internal';
import type { Json, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { expect, it } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { takeAll } from '../contract/machines.contract.js';
import { shownRun } from '../contract/problem.contract.js';
import { outcomeOf } from '../mutual-exclusion/outcome.contract.js';
import { properties } from './termination.js';

const [onlyWhenOver = '', announced = ''] = properties.map(({ name }) => name);

/** What a node with this input does: after some events, and when its work is done then. */
export function steps(input: Json) {
  const after = (of: AnyStateMachine, ...events: readonly EventObject[]) =>
    takeAll(of, 'm', start(of, 'm', input).state, events);
  const done = (of: AnyStateMachine, ...events: readonly EventObject[]) => {
    const { state } = after(of, ...events);
    return fire(of, 'm', state, state.timers[0]?.id ?? '');
  };
  return { after, done };
}

/** The node sends work to `value`. */
export const sendsWork = (value: string): readonly EventObject[] => [
  { type: 'distribute' },
  { type: 'chosen', value } as EventObject,
];

/** The shortest run in which termination is announced too early, as on a page. */
export function tooEarly(wrong: Protocol, topology: Topology, budget: ExploreOptions): string {
  const protocol = { ...wrong, properties: properties.slice(0, 1) };
  const found = explore(protocol, topology, { ...budget, all: false });
  const trace = found.properties.find(({ name }) => name === onlyWhenOver)?.trace;
  expect(trace && replay(protocol, topology, trace)).toEqual({ steps: trace?.lines.length });
  return shownRun(linesText(trace?.lines ?? []));
}

/** @param duplicates a network in which a message that comes twice does harm */
export function needsEachMessageOnce(
  protocol: Protocol,
  of2: Topology,
  duplicates: Topology,
): void {
  it('a lost message, or a crash: termination is not announced, and never too early', () => {
    for (const budget of [{ losses: 1 }, { crashes: 1 }])
      expect(outcomeOf(protocol, of2, budget).verdicts).toMatchObject({
        [onlyWhenOver]: 'holds',
        [announced]: expect.stringContaining('violated'),
      });
  });

  it('a duplicated message: termination is announced too early', () => {
    const { properties: found } = explore(protocol, duplicates, { duplications: 1 });
    expect(found.find(({ name }) => name === onlyWhenOver)?.verdict).toBe('violated');
  });
}
