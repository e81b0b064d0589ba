import { explore } from '@conclave/check';
import { describe, expect, it } from 'vitest';
import {
  type AnyEventObject,
  type AnyStateMachine,
  assign,
  createMachine,
  enqueueActions,
  not,
  raise,
  sendParent,
  sendTo,
  stateIn,
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
      'shop  done(payment)({amount: 5}) from payment  paying → open  ⇒ payment: stop(payment)',
      'payment  stop(payment) from shop  stopped',
    ]);
    expect(found).toMatchObject({ complete: true });
    expect(found.assumptions).toEqual([
      'that what shop, payment send each other is taken before any other event, where several have sent in any order, and comes from them only, unless there are examples of it; and that they see each other by events only',
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
    ['is parallel', shop(createMachine({ type: 'parallel', states: { one: {} } })), {}],
    [
      'raises an event',
      shop(createMachine({ on: { go: { actions: raise({ type: 'gone' }) } } })),
      {},
    ],
    [
      'enqueues actions',
      shop(createMachine({ on: { go: { actions: enqueueActions(() => {}) } } })),
      {},
    ],
    ['acts when it ends', shop(createMachine({ exit: 'log' })), {}],
    [
      'asks for a state',
      shop(createMachine({ on: { go: { guard: not(stateIn('a')), actions: 'log' } } })),
      {},
    ],
    [
      'may fail before its parent',
      createMachine({ invoke: { id: 'payment', src: payment, onError: {} } }),
      {},
    ],
    [
      'gets an input that entry actions change',
      createMachine({
        context: { n: 0 },
        entry: assign({ n: 1 }),
        invoke: { id: 'payment', src: payment, input: ({ context }) => context.n },
      }),
      {},
    ],
    [
      'may speak to a parent that has ended',
      createMachine({
        initial: 'on',
        states: {
          on: { invoke: { id: 'payment', src: payment }, on: { end: 'off' } },
          off: { type: 'final' },
        },
      }),
      {},
    ],
    [
      'may run twice under one id',
      createMachine({
        type: 'parallel',
        states: {
          one: { invoke: { id: 'payment', src: payment } },
          two: { invoke: { id: 'payment', src: payment } },
        },
      }),
      {},
    ],
  ])('is the environment where it %s', (_, machine, actors) => {
    const found = explored(machineProtocol(machine, { actors }));
    expect(found.assumptions).toContain(
      'that the machine payment, which is invoked, may send and end as it likes',
    );
  });

  it('leaves an event to the application too, where there are examples of it', () => {
    const { commands, messages } = machineProtocol(shop(), { examples: { rejected: [{}] } });
    expect(Object.keys(commands)).toContain('rejected');
    expect(Object.keys(messages)).toContain('rejected');
  });

  it('takes no event from the parent by sending it', () => {
    const pausing = createMachine({
      invoke: { id: 'payment', src: createMachine({ on: { pause: {} } }) },
      on: { tick: { actions: sendTo('payment', { type: 'pause' }) }, pause: {} },
    });
    expect(Object.keys(machineProtocol(pausing).commands).sort()).toEqual(['pause', 'tick']);
  });

  it('refuses what enqueueActions sends after a delay', () => {
    const late = createMachine({
      entry: enqueueActions(({ enqueue }) => {
        enqueue.sendTo('payment', { type: 'confirm' }, { delay: 5 });
      }),
      invoke: { id: 'payment', src: payment },
    });
    expect(() => machineProtocol(late)).toThrow('it sends after a delay: wait by after');
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
