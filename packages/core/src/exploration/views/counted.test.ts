import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { setup } from 'xstate';
import { defineProtocol } from '../../protocol/define-protocol.js';
import { type Effect, type Json, type NodeId, type Received, send } from '../../protocol/node.js';
import { always, type NodeView, type Property } from '../../protocol/property.js';
import type { Protocol, ProtocolDefinition } from '../../protocol/protocol.js';
import type { TopologyNeed } from '../../topology/needs.js';
import * as needs from '../../topology/needs.js';
import { explore } from '../explore/explore.js';
import { prove } from './prove.js';

type Message =
  | { type: 'token' }
  | { type: 'ask' }
  | { type: 'yes' }
  | { type: 'no' }
  | { type: 'back' };
type Command = { type: 'up' } | { type: 'fall' } | { type: 'acquire' } | { type: 'release' };

const node = setup({
  types: {} as {
    input: Readonly<Record<string, Json>>;
    context: Record<string, Json>;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});

const protocolOf = (
  part: Pick<
    ProtocolDefinition<Message, Command>,
    'topology' | 'roles' | 'roleOf' | 'properties'
  > & {
    readonly commands: Readonly<Record<string, object>>;
    readonly messages?: readonly string[];
  },
): Protocol =>
  defineProtocol<Message, Command>({
    name: 'counted',
    title: 'What is counted',
    problem: 'mutual-exclusion',
    citation: 'none',
    channels: { order: 'any', loss: false, duplication: false },
    ...part,
    commands: Object.fromEntries(
      Object.entries(part.commands).map(([type, of]) => [
        type,
        { kind: 'optional', meaning: type, ...of },
      ]),
    ) as never, // those that the roles handle
    messages: Object.fromEntries(
      (part.messages ?? []).map((type) => [type, { meaning: type }]),
    ) as never, // so here
  });

const atLeast2 = (need: TopologyNeed): TopologyNeed => ({
  ...need,
  refuses: (network) => (network.nodes.length < 2 ? 'has one node' : need.refuses(network)),
});

const climbing = (top: string) => ({
  up: { when: ({ context }: NodeView) => 'level' in context && context.level !== top },
  fall: { when: ({ context }: NodeView) => 'level' in context && context.level !== '' },
});

const levels = {
  up: { actions: node.assign({ level: ({ context }) => `${context.level}-` }) },
  fall: { actions: node.assign({ level: '' }) },
};

const verdictsOf = (protocol: Protocol) =>
  prove(protocol)
    .properties.filter(({ name }) => protocol.properties.some((own) => own.name === name))
    .map(({ name, verdict }) => [name, verdict]);

const every = (protocol: Protocol, verdict: string) =>
  protocol.properties.map(({ name }: Property) => [name, verdict]);

proof(
  'a token that only two nodes outside of a view know does not hide what the view shows',
  () => {
    const top = '-'.repeat(60);
    const protocol = protocolOf({
      topology: atLeast2(needs.complete),
      commands: climbing(top),
      messages: ['token'],
      roles: {
        carrier: {
          machine: node.createMachine({
            context: ({ input }) => ({ ...input }),
            entry: node.enqueueActions(({ context, enqueue }) => {
              if (context.first !== null)
                enqueue.emit(send(String(context.first), { type: 'token' }));
            }),
            on: {
              token: {
                actions: node.emit(({ event }) =>
                  send('from' in event ? event.from : '', { type: 'token' }),
                ),
              },
            },
          }),
          input: (self, { nodes }) => ({ first: self === nodes[0] ? (nodes[1] ?? null) : null }),
        },
        climber: {
          machine: node.createMachine({ context: { level: '' }, on: { ...levels, token: {} } }),
          input: () => ({}),
        },
      },
      roleOf: (id, { nodes }) => ([2, 3].includes(nodes.indexOf(id)) ? 'climber' : 'carrier'),
      properties: [
        always(
          'the token is on its way, and one node at most is at the top',
          (system) =>
            system.inFlight('token').length === 1 &&
            system.nodes.filter(({ context }) => context.level === top).length < 2,
        ),
      ],
    });
    expect(verdictsOf(protocol)).toEqual(every(protocol, 'not proved'));
  },
);

proof('a network that is smaller than a view is looked at, too', () => {
  const top = '---';
  const isWrong = ({ context }: NodeView) => context.isOfOne === true && context.level === top;
  const protocol = protocolOf({
    topology: atLeast2(needs.star),
    commands: climbing(top),
    roles: {
      keeper: {
        machine: node.createMachine({
          context: ({ input }) => ({ ...input, level: '' }),
          on: levels,
        }),
        input: (_, { nodes }) => ({ isOfOne: nodes.length === 2 }),
      },
      client: {
        machine: node.createMachine({ context: ({ input }) => ({ ...input }) }),
        input: (self, { nodes }) => ({ hasToken: self === nodes[1] }),
      },
    },
    roleOf: (id, { nodes }) => (id === nodes[0] ? 'keeper' : 'client'),
    properties: [
      always(
        'one client has the token, and the keeper of one client is not at the top',
        ({ nodes }) =>
          nodes.filter(({ context }) => context.hasToken).length === 1 && !nodes.some(isWrong),
      ),
    ],
  });
  const two = explore(protocol, protocol.topology.example(2), { commands: 3 });
  expect(two.properties[0]?.verdict).toBe('violated');
  expect(verdictsOf(protocol)).toEqual(every(protocol, 'not proved'));
});

it('a property may ask the keeper about each client', () => {
  const isInside = ({ context }: NodeView) => context.phase === 'inside';
  const record = (has: boolean) =>
    node.assign(({ context, event }) => ({
      isTaken: has,
      clients: {
        ...(context.clients as object),
        ...('from' in event ? { [event.from]: { has } } : {}),
      },
    }));
  const answer = (type: 'yes' | 'no') =>
    node.emit(({ event }) => send('from' in event ? event.from : '', { type }));
  const toKeeper = (type: 'ask' | 'back', phase: string) => [
    node.emit(({ context }) => send(String(context.keeper), { type })),
    node.assign({ phase }),
  ];
  const protocol = protocolOf({
    topology: needs.star,
    commands: {
      acquire: { when: ({ context }: NodeView) => context.phase === 'outside' },
      release: { kind: 'obligatory', when: isInside },
    },
    messages: ['ask', 'yes', 'no', 'back'],
    roles: {
      keeper: {
        machine: node.createMachine({
          context: ({ input }) => ({ ...input, isTaken: false }),
          on: {
            ask: [
              { guard: ({ context }) => context.isTaken === true, actions: answer('no') },
              { actions: [answer('yes'), record(true)] },
            ],
            back: { actions: record(false) },
          },
        }),
        input: (_, { nodes }) => ({
          clients: Object.fromEntries(nodes.slice(1).map((id) => [id, { has: false }])),
        }),
      },
      client: {
        machine: node.createMachine({
          context: ({ input }) => ({ ...input, phase: 'outside' }),
          on: {
            acquire: { actions: toKeeper('ask', 'waiting') },
            release: { actions: toKeeper('back', 'outside') },
            yes: { actions: node.assign({ phase: 'inside' }) },
            no: { actions: node.assign({ phase: 'outside' }) },
          },
        }),
        input: (_, { nodes }) => ({ keeper: nodes[0] ?? '' }),
      },
    },
    roleOf: (id, { nodes }) => (id === nodes[0] ? 'keeper' : 'client'),
    properties: [
      always('who is inside is known to the keeper', ({ nodes }) => {
        const clients = nodes.find(({ role }) => role === 'keeper')?.context.clients as
          | Readonly<Record<NodeId, { readonly has: boolean }>>
          | undefined;
        return nodes.every((each) => !isInside(each) || clients?.[each.id]?.has === true);
      }),
      always('who is inside is known to the keeper, whose record has everybody', ({ nodes }) => {
        const keeper = nodes.find(({ role }) => role === 'keeper');
        const clients = keeper?.context.clients as Readonly<
          Record<NodeId, { readonly has: boolean }>
        >;
        return nodes.every((each) => !isInside(each) || (clients[each.id] as { has: boolean }).has);
      }),
    ],
  });
  expect(verdictsOf(protocol)).toEqual(every(protocol, 'holds for every n'));
});
