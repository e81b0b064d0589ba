/**
 * What the explorer finds where an assumption is dropped or a protocol is changed: verdicts by the
 * properties' names.
 */
import { type ExploreOptions, explore } from '@conclave/check';
import { everyMessageHandled } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { expect } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { withoutSteps } from '../contract/machines.contract.js';

export { everyMessageHandled };

export const exclusion = 'at most one node is in the critical section';
export const entry = 'every node that wants to enter eventually enters';
export const fencing = 'each entry has a larger fencing token than every entry before it';
export const quiescence = 'no node waits in a quiescent state';

export const allHold = Object.fromEntries(
  [exclusion, entry, fencing, everyMessageHandled, quiescence].map((name) => [name, 'holds']),
);

interface Outcome {
  readonly states: number;
  /** For each property: a verdict, or `violated in 5` where the trace has five lines. */
  readonly verdicts: Readonly<Record<string, string>>;
  readonly traces: Readonly<Record<string, string>>;
}

/**
 * Explores the whole system without step properties: faults break some of them first. Real nodes
 * replay each finite trace.
 */
export function outcomeOf(
  protocol: Protocol,
  topology: Topology,
  options: ExploreOptions = {},
): Outcome {
  const { complete, states, properties } = explore(withoutSteps(protocol), topology, options);
  expect(complete).toBe(true);
  for (const { trace, loopsFrom } of properties)
    if (trace && loopsFrom === undefined)
      expect(replay(protocol, topology, trace)).toEqual({ steps: trace.lines.length });
  return {
    states,
    verdicts: Object.fromEntries(
      properties.map(({ name, verdict, trace }) => [
        name,
        verdict === 'violated' ? `violated in ${trace?.lines.length}` : verdict,
      ]),
    ),
    traces: Object.fromEntries(
      properties.map(({ name, trace }) => [name, linesText(trace?.lines ?? [])]),
    ),
  };
}

/** The lines of a trace without starts and ends of timers, as on a page. */
export const withoutTimers = (trace = ''): readonly string[] =>
  trace
    .replaceAll(/,? ?(start|cancel) timeout\.\S+( \d+ms)?,?/g, '')
    .replaceAll(/ *⇒ *$/gm, '')
    .replaceAll(/timeout timeout\.\S+/g, 'timeout')
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, '  ').trim())
    .filter((line) => line !== '');

/**
 * `protocol` with nodes that ignore every message that their state does not handle. Without one of
 * its assumptions a protocol may stop at such a message; this version goes on, so that a test can
 * look at its later entries.
 */
export const ignoringUnexpected = (protocol: Protocol): Protocol => ({
  ...protocol,
  roles: Object.fromEntries(
    Object.entries(protocol.roles).map(([name, role]) => [
      name,
      { ...role, machine: ignoring(role.machine, Object.keys(protocol.messages)) },
    ]),
  ),
});

const ignoring = (
  { config, implementations }: AnyStateMachine,
  messages: readonly string[],
): AnyStateMachine =>
  createMachine(
    { ...config, on: { ...Object.fromEntries(messages.map((type) => [type, {}])), ...config.on } },
    implementations,
  );
