import { explore } from '@conclave/check';
import { describe, expect, it } from 'vitest';
import {
  type AnyEventObject,
  assign,
  createMachine,
  enqueueActions,
  forwardTo,
  sendTo,
  setup,
} from 'xstate';
import { linesText } from '../../trace/trace.js';
import { never, sometimes } from '../property.js';
import { system } from './system.js';

const pay = sendTo('bank', { type: 'pay', amount: 5 });
const shop = createMachine({
  id: 'shop',
  initial: 'open',
  states: {
    open: { on: { order: 'paying' } },
    paying: { entry: pay, after: { 1000: 'retrying' }, on: { paid: 'done' } },
    retrying: { entry: pay, on: { paid: 'done' } },
    done: { on: { paid: {} } },
  },
});
const bank = createMachine({
  types: {} as { context: { charged: number }; events: AnyEventObject },
  context: { charged: 0 },
  on: {
    pay: {
      actions: [
        assign({ charged: ({ context, event }) => context.charged + event.amount }),
        sendTo(({ event }) => event.from, { type: 'paid' }),
      ],
    },
  },
});
const chargedTwice = never('the customer is charged twice', ({ nodes }) =>
  nodes.some(({ context }) => Number(context.charged) > 5),
);

const fail = (): string => {
  throw new Error('no account');
};

describe('a system of bare machines', () => {
  it('has what they send each other as messages, and the rest as commands', () => {
    const { messages, commands, roles, topology } = system({ bank, shop });
    expect(Object.entries(messages).map(([type, { fields }]) => [type, fields])).toEqual([
      ['pay', ['amount']],
      ['paid', undefined],
    ]);
    expect(Object.keys(commands)).toEqual(['order']);
    expect(Object.keys(roles)).toEqual(['bank', 'shop']);
    expect(topology.example(3).nodes).toEqual(['bank', 'shop']);
  });

  it('is checked: the shop that sends again is charged twice', () => {
    const protocol = system({ bank, shop }, { properties: [chargedTwice] });
    const [found] = explore(protocol, protocol.topology.example(0)).properties;
    expect(found?.verdict).toBe('violated');
    const lines = linesText(found?.trace ?? []).split('\n');
    expect(lines.map((line) => line.trimEnd())).toEqual([
      'shop  order                     open → paying      ⇒ bank: pay(5), start 1000.shop.paying 1000ms',
      'bank  pay(5) from shop                             ⇒ shop: paid',
      'shop  timeout 1000.shop.paying  paying → retrying  ⇒ bank: pay(5)',
      'bank  pay(5) from shop                             ⇒ shop: paid',
      ...(lines.length > 4 ? [''] : []),
    ]);
  });

  it('takes enqueueActions, forwardTo and what is only found in a later round', () => {
    const relay = createMachine({ on: { job: { actions: forwardTo('worker') } } });
    const boss = createMachine({
      context: { isDone: false },
      on: {
        go: {
          actions: enqueueActions(({ enqueue }) => {
            enqueue.sendTo('relay', { type: 'job', size: 1 });
          }),
        },
        done: { actions: assign({ isDone: true }) },
      },
    });
    const worker = createMachine({
      on: { job: { actions: [sendTo('boss', { type: 'done' }), 'log'] } },
    });
    const protocol = system(
      { boss, relay, worker },
      {
        properties: [
          sometimes('work', ({ nodes }) => nodes.some(({ context }) => context.isDone === true)),
        ],
      },
    );
    expect(Object.keys(protocol.messages)).toEqual(['job', 'done']);
    const found = explore(protocol, protocol.topology.example(0));
    expect(found.properties.map(({ verdict }) => verdict)).toEqual(['reached', 'holds', 'holds']);
    expect(found.assumptions).toContain(
      'that the effect log changes nothing that the machine reads',
    );
  });

  it('prints messages and events of one type that have different fields', () => {
    const shop = setup({ types: {} as { events: { type: 'buy'; book?: number; pen?: number } } });
    const client = shop.createMachine({
      on: {
        buy: {
          actions: sendTo('bank', ({ event: { type: _, ...bought } }) => ({
            ...bought,
            type: 'pay',
          })),
        },
      },
    });
    const bank = createMachine({
      initial: 'open',
      states: { open: { on: { pay: 'paid' } }, paid: {} },
    });
    const protocol = system(
      { client, bank },
      {
        examples: { buy: [{ book: 1 }, { pen: 2 }] },
        properties: [
          never('it is paid', ({ nodes }) => nodes.some(({ value }) => value === 'paid')),
        ],
      },
    );
    const found = explore(protocol, protocol.topology.example(0), { commands: 1 });
    const [paid] = found.properties;
    expect(linesText(paid?.trace?.lines ?? [])).toMatch(
      /client +buy\(1, -\) +⇒ bank: pay\(1, -\)\nbank +pay\(1, -\) from client +open → paid/,
    );
  });

  it.each([
    ['receiver', sendTo(() => fail(), { type: 'x' })],
    ['event', sendTo('b', () => ({ type: fail() }))],
  ])('says that the %s of a sendTo throws', (what, send) => {
    const a = createMachine({ on: { go: { actions: send } } });
    const protocol = system({ a, b: createMachine({ on: { x: {} } }) });
    const found = explore(protocol, protocol.topology.example(0)).properties;
    expect(found.map(({ reason = '' }) => reason).join('')).toContain(
      `Node a failed: the ${what} of its sendTo cannot be computed: no account`,
    );
  });

  it.each([
    [
      'sends after a delay',
      { go: { actions: sendTo('b', { type: 'x' }, { delay: 10 }) } },
      'Wait by after',
    ],
    [
      'reads a field that is not said',
      { go: { actions: assign({ n: ({ event }) => event.n }) } },
      'it reads n of go',
    ],
  ])('that %s is refused', (_, on, why) => {
    const a = createMachine({ on });
    expect(() => system({ a, b: createMachine({ on: { x: {} } }) })).toThrow(why);
  });
});
