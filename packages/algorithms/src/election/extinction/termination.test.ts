/**
 * Mattern asks how a node learns that the plain election is over. The detection of Dijkstra and
 * Scholten (E2) beside it answers: its work is the messages of the election, and a node that sleeps
 * is active, since it may still start.
 */
import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import {
  always,
  defineProtocol,
  type Effect,
  eventually,
  type NodeId,
  notify,
  type Protocol,
  type SystemView,
  send,
} from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import {
  type AnyStateMachine,
  and,
  createMachine,
  not,
  setup,
  stateIn,
  type UnknownMachineConfig,
} from 'xstate';
import { withMachine } from '../../contract/machines.contract.js';
import { commands } from '../election.js';
import { machine } from './extinction.js';

interface Context {
  readonly neighbours: readonly NodeId[];
  readonly max: NodeId | null;
  /** How many messages of this node are not answered; and whose message made it take part. */
  readonly unanswered: number;
  readonly parent: NodeId | null;
}
type Sent = { readonly type: 'explorer'; readonly id: NodeId | null } | { readonly type: 'signal' };

const base = setup({
  types: {} as {
    context: Context;
    events: { readonly type: string; readonly from?: NodeId };
    emitted: Effect<Sent, { readonly type: 'terminated' }>;
  },
});

/** As the election floods, and counts what it sends. */
const flood = base.enqueueActions(({ context, event, enqueue }) => {
  const { neighbours, max, unanswered } = context;
  const others = neighbours.filter((id) => id !== event.from);
  for (const to of others) enqueue.emit(send(to, { type: 'explorer', id: max }));
  enqueue.assign({ unanswered: unanswered + others.length });
});

const signal = (to: NodeId | null | undefined) => send<Sent>(to ?? '', { type: 'signal' });

const actions = {
  ...machine.implementations.actions,
  flood,
  countDown: base.assign(({ context }) => ({ unanswered: context.unanswered - 1 })),
  join: base.assign(({ event }) => ({ parent: event.from ?? null })),
  answer: base.emit(({ event }) => signal(event.from)),
  answerParent: base.emit(({ context }) => signal(context.parent)),
  leave: base.assign({ parent: null }),
  announce: base.emit(() => notify({ type: 'terminated' })),
};
const guards = {
  ...machine.implementations.guards,
  areAllAnswered: ({ context }: { readonly context: Context }) => context.unanswered === 0,
};

const isDone = and([not(stateIn({ election: 'asleep' })), 'areAllAnswered']);
const answering = { explorer: { actions: 'answer' }, signal: { actions: 'countDown' } };

/** The first node waits for all others from the beginning: each may start. */
const detecting = (id: string, inside: object, further: object, done: unknown): AnyStateMachine =>
  createMachine(
    {
      id,
      type: 'parallel',
      context: ({ input }: { readonly input: object }) => ({ ...input, max: null }),
      states: {
        election: { initial: 'asleep', states: machine.config.states },
        detection: {
          initial: 'inside',
          states: { inside: { on: answering, always: { guard: done, ...inside } }, ...further },
        },
      },
    } as unknown as UnknownMachineConfig, // the states of a machine as a region
    { actions, guards } as never,
  );

const outside = { on: { explorer: { target: 'inside', actions: 'join' } } };
const node = (done: unknown = isDone) =>
  detecting('node', { target: 'outside', actions: ['answerParent', 'leave'] }, { outside }, done);
const first = detecting(
  'first',
  { target: 'announced', actions: 'announce' },
  { announced: { tags: 'announced' } },
  isDone,
);

const isOver = (system: SystemView): boolean =>
  system.count('candidate') === 1 &&
  system.count('reached') === system.nodes.length &&
  system.distinct('reached', 'max').length === 1 &&
  system.inFlight('explorer').length === 0;

const onlyWhenOver = always(
  'termination is announced only when one candidate is left, all know it, and no id is on its way',
  (system) => system.count('announced') === 0 || isOver(system),
);

const protocol: Protocol = defineProtocol({
  name: 'extinction-with-detection',
  title: 'Extinction whose end is detected',
  problem: 'election',
  citation: 'B12 and E2',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: Object.fromEntries(
    Object.entries({ first, node: node() }).map(([name, of]) => [
      name,
      {
        machine: of,
        input: (self: NodeId, { nodes }: { readonly nodes: readonly NodeId[] }) => ({
          self,
          neighbours: nodes.filter((id) => id !== self),
          unanswered: name === 'first' ? nodes.length - 1 : 0,
          parent: name === 'first' ? null : (nodes[0] ?? null),
        }),
      },
    ]),
  ),
  roleOf: (id, { nodes }) => (id === nodes[0] ? 'first' : 'node'),
  messages: {
    explorer: { fields: ['id'], meaning: 'node `id` is a candidate' },
    signal: { meaning: 'a message, and all that has come of it, is done' },
  },
  commands,
  waiting: false,
  properties: [
    onlyWhenOver,
    eventually('termination is announced', (system) => system.count('announced') === 1),
  ],
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const found = (of: Protocol, n: number) => {
  const { states, complete: isComplete, properties } = explore(of, complete(n));
  return { states, isComplete, verdicts: properties.map(({ verdict }) => verdict) };
};

it('E2 beside the election of 2 nodes announces its end: not too early, and at last', () => {
  const { isComplete, verdicts } = found(protocol, 2);
  expect([isComplete, ...new Set(verdicts)]).toEqual([true, 'holds']);
});

proof('the same of 3 nodes, any of which start', () => {
  const { states, isComplete, verdicts } = found(protocol, 3);
  expect([isComplete, ...new Set(verdicts)]).toEqual([true, 'holds']);
  expect(page).toContain(`${states.toLocaleString('en')} states`);
});

proof('where a node that sleeps counts as passive, the end is announced too early', () => {
  const wrong = explore(withMachine(protocol, node('areAllAnswered')), complete(3), {
    properties: [onlyWhenOver],
  });
  const verdict = wrong.properties.find(({ name }) => name === onlyWhenOver.name);
  expect([verdict?.verdict, verdict?.trace?.lines.length]).toEqual(['violated', 9]);
});
