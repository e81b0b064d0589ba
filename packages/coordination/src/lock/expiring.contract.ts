/**
 * A lock of one node whose holder loses it when its lease has run out: what `lock` makes of a
 * loss, without a protocol around it.
 */
import {
  always,
  defineProtocol,
  type Effect,
  notify,
  type Protocol,
} from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { setup } from 'xstate';
import {
  type Command,
  commands,
} from '../../../algorithms/src/mutual-exclusion/mutual-exclusion.js';

const node = setup({
  types: {} as {
    events: Command;
    emitted: Effect<never, { readonly type: 'lost'; readonly reason: string }>;
  },
});

/** @param reason what the machine tells when the lease has run out; null: nothing */
export function expiring(reason: string | null): Protocol {
  const tell = reason === null ? [] : [node.emit(notify({ type: 'lost', reason }))];
  const machine = node.createMachine({
    id: 'expiring',
    initial: 'free',
    states: {
      free: { on: { acquire: 'held' } },
      held: {
        tags: ['critical'],
        after: { 100: { target: 'free', actions: tell } },
        on: { release: 'free' },
      },
    },
  });
  return defineProtocol({
    name: 'expiring',
    title: 'A lock that expires',
    problem: 'mutual-exclusion',
    citation: 'For tests.',
    topology: needs.complete,
    channels: { order: 'any', loss: true, duplication: true },
    roles: { node: { machine, input: () => ({}) } },
    messages: {},
    commands,
    properties: [
      always('at most one node has the lock', (system) => system.count('critical') <= 1),
    ],
    waiting: false,
  });
}
