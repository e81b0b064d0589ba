/** Random history variables: small numbers that depend on everything that a step shows. */

import type { Json, Protocol } from '@conclave/core/protocol';
import {
  always,
  everyStep,
  type NodeStep,
  never,
  type Property,
  sometimes,
} from '@conclave/core/protocol';

export interface HistoryPlan {
  /** Histories are numbers below it. */
  readonly below: number;
  readonly labelled: boolean;
  /** Whether two kinds of steps are told apart. */
  readonly salt: number;
}

/** A small number that a text determines. */
function numberOf(text: string, below: number): number {
  let sum = 7;
  for (const char of text) sum = (31 * sum + char.charCodeAt(0)) % 10_007;
  return sum % below;
}

export const pastOf = (history: Json | undefined): number => Number(history);

/** `protocol` with a history variable, and properties of its own that read it. */
export function withHistory(protocol: Protocol, { below, labelled, salt }: HistoryPlan): Protocol {
  const seen = ({ before, after, cause, sent, notified, label = 'none' }: NodeStep) =>
    JSON.stringify([
      salt,
      before.value,
      after.value,
      after.context.n,
      cause,
      sent,
      notified,
      label,
    ]);
  return {
    ...protocol,
    history: {
      initial: (self) => numberOf(self, below),
      after: (history: number, step) => (2 * history + numberOf(seen(step), below)) % below,
      ...(labelled && { label: (history: number) => history }),
    },
  };
}

export const historyProbes: readonly Property[] = [
  always(
    'histories stay small',
    ({ nodes }) => nodes.reduce((sum, { history }) => sum + pastOf(history), 0) < 5,
  ),
  never(
    'the first two have equal histories',
    ({ nodes: [one, other] }) => one?.history === other?.history,
  ),
  sometimes('a node has the history 2', ({ nodes }) => nodes.some(({ history }) => history === 2)),
  always('no message in flight shows its label', (system) =>
    system.inFlight().every(({ message }) => Object.keys(message).length === 1),
  ),
];

export const stepProbes: readonly Property[] = [
  everyStep(
    'no history leaps',
    ({ before, after }) => Math.abs(pastOf(before.history) - pastOf(after.history)) < 3,
  ),
];
