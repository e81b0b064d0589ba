import { explore } from '@conclave/check';
import { describe, expect, it } from 'vitest';
import {
  type AnyEventObject,
  type AnyStateMachine,
  assign,
  createMachine,
  sendParent,
  sendTo,
} from 'xstate';
import { embed } from '../../embedding/index.js';
import { memoryNetwork } from '../../embedding/memory.js';
import { readableLines } from '../../trace/readable.js';
import { linesText } from '../../trace/trace.js';
import { never } from '../property.js';
import type { Protocol } from '../protocol.js';
import { machineProtocol } from './machine-protocol.js';
import { system } from './system.js';

const types = {} as { context: { paid: number }; events: AnyEventObject };

const payment = createMachine({
  id: 'payment',
  initial: 'asking',
  states: {
    asking: { on: { confirm: 'paid', reject: { actions: sendParent({ type: 'rejected' }) } } },
    paid: { type: 'final' },
  },
  output: { amount: 5 },
});

const shop = (invoked: AnyStateMachine = payment) =>
  createMachine({
    types,
    id: 'shop',
    context: { paid: 0 },
    initial: 'open',
    states: {
      open: { on: { order: 'paying' } },
      paying: {
        invoke: {
          id: 'payment',
          src: invoked,
          onDone: {
            target: 'open',
            actions: assign({ paid: ({ context }) => Math.min(10, context.paid + 5) }),
          },
        },
        on: { rejected: 'open', again: { target: 'paying', reenter: true } },
      },
    },
  });

const explored = (protocol: Protocol) => explore(protocol, protocol.topology.example(0));
const twice = never('it is paid twice', ({ nodes }) => nodes[0]?.context.paid === 10);

describe('a machine that another one invokes', () => {
  it('is a node: it starts and ends by messages, which come before other events', () => {
    const protocol = machineProtocol(shop(), { properties: [twice] });
    const found = explored(protocol);
    expect(protocol.topology.example(0).nodes).toEqual(['shop', 'payment']);
    expect(Object.keys(protocol.commands)).toEqual(['order', 'again', 'confirm', 'reject']);
    const lines = readableLines(protocol, found.properties[0]?.trace?.lines ?? []);
    expect(linesText(lines).replaceAll(/ {2,}/g, '  ').split('\n').slice(0, 5)).toEqual([
      'shop  order  open → paying  ⇒ payment: start(payment)',
      'payment  start(payment) from shop  stopped → running.asking',
      'payment  confirm  running.asking → stopped  ⇒ shop: done(payment)({amount: 5})',
      'shop  done(payment)({amount: 5}) from payment  paying → open',
      'shop  order  open → paying  ⇒ payment: start(payment)',
    ]);
    expect(found).toMatchObject({ complete: true });
    expect(found.assumptions).toEqual([
      'that what shop, payment send each other is taken before any other event; where several have sent, in any order',
    ]);
  });

  it('is in a system of several machines in the process of its parent only', () => {
    const { channels, topology } = system({ shop: shop(), bank: createMachine({ on: { x: {} } }) });
    expect(topology.example(0).nodes).toEqual(['shop', 'payment', 'bank']);
    const inside = topology
      .example(0)
      .links.filter(({ from, to }) => channels.sameProcess?.(from, to));
    expect(inside.map(({ from, to }) => `${from}→${to}`)).toEqual(['shop→payment', 'payment→shop']);
  });

  it.each([
    ['is declared beside it', shop(), { payment: { output: [{ amount: 5 }] } }],
    [
      'has history states',
      shop(
        createMachine({
          initial: 'one',
          states: { one: { on: { go: 'last' } }, last: { type: 'history' } },
        }),
      ),
      {},
    ],
    [
      'sends after a delay',
      shop(createMachine({ entry: sendParent({ type: 'rejected' }, { delay: 10 }) })),
      {},
    ],
    [
      'tells its snapshots',
      createMachine({ invoke: { id: 'payment', src: payment, onSnapshot: {} } }),
      {},
    ],
  ])('is the environment where it %s', (_, machine, actors) => {
    const found = explored(machineProtocol(machine, { actors }));
    expect(found.assumptions).toContain(
      'that the machine payment, which is invoked, may send and end as it likes',
    );
  });

  it('may invoke itself: below the third it is the environment', () => {
    const inner: AnyStateMachine = createMachine({
      initial: 'off',
      states: { off: { on: { go: 'on' } }, on: { invoke: { id: 'inner', src: 'inner' } } },
    });
    const nested = inner.provide({ actors: {} });
    nested.implementations.actors.inner = nested;
    const { nodes } = machineProtocol(nested, {}, { name: 'outer' }).topology.example(0);
    expect(nodes).toEqual(['outer', 'inner', 'inner-2', 'inner-3']);
  });

  it('fails, as in XState, where it is sent to while it is not there', () => {
    const machine = createMachine({
      initial: 'idle',
      states: {
        idle: { on: { pay: { actions: sendTo('payment', { type: 'confirm' }) }, go: 'busy' } },
        busy: { invoke: { id: 'payment', src: payment } },
      },
    });
    const reasons = explored(machineProtocol(machine)).properties.map(({ reason }) => reason);
    expect(reasons.join()).toContain(
      "Node machine failed: there is no actor 'payment': the state that invokes it is not active",
    );
  });

  it('is neither embedded nor explored with crashes', () => {
    const protocol = machineProtocol(shop());
    const topology = protocol.topology.example(0);
    const transport = memoryNetwork(topology).transport('shop');
    expect(() => embed(protocol, { self: 'shop', topology, transport })).toThrow(
      'shop has machines that run in one process, and a transport joins processes',
    );
    expect(() => explore(protocol, topology, { crashes: 1 })).toThrow(
      'shop and payment are in one process, of which neither crashes nor partitions are explored',
    );
  });
});
