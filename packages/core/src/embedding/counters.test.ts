/** Counters that are none: where they are declared, sent, received and stored. */

import { explore } from '@conclave/check';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions, setup } from 'xstate';
import type { ConclaveError } from '../base/error.js';
import { reliableLink } from '../channel/reliable/protocol.js';
import { largestCounter } from '../protocol/counters.js';
import { minimalProtocol } from '../protocol/examples.contract.js';
import { type Effect, type NodeId, type Received, send } from '../protocol/node.js';
import { simulate } from '../simulation/simulate.js';
import type { Workload } from '../simulation/workload.js';
import { complete } from '../topology/generators.js';
import { bare } from './ball.contract.js';
import { embed } from './embed.js';
import { memoryStorage } from './storage.js';
import { checked } from './transport.js';

type Tell = { readonly type: 'tell'; readonly count: number };
type Add = { readonly type: 'add'; readonly more: number };

const machine = setup({
  types: {} as {
    input: { readonly peers: readonly NodeId[]; readonly count?: number };
    context: { readonly peers: readonly NodeId[]; readonly count: number };
    events: Add | Received<Tell>;
    emitted: Effect<Tell>;
  },
  actions: {
    add: enqueueActions(({ context: { peers, count }, event, enqueue }) => {
      assertEvent(event, 'add');
      enqueue.assign({ count: count + event.more });
      for (const peer of peers)
        enqueue.emit(send(peer, { type: 'tell', count: count + event.more }));
    }),
    learn: assign(({ context, event }) => {
      assertEvent(event, 'tell');
      return { count: Math.max(context.count, event.count) };
    }),
  },
}).createMachine({
  context: ({ input }) => ({ peers: input.peers, count: input.count ?? 0 }),
  on: { add: { actions: 'add' }, tell: { actions: 'learn' } },
});

const messages = { tell: { fields: ['count'], counters: ['count'], meaning: 'I count this' } };
const input = (self: NodeId, { nodes }: { readonly nodes: readonly NodeId[] }) => ({
  peers: nodes.filter((id) => id !== self),
});
const adding = (more: number) =>
  minimalProtocol(machine, {
    name: 'counting',
    roles: { node: { machine, input, stable: ['count'], counters: ['count'] } },
    messages,
    commands: {
      add: { kind: 'optional', fields: ['more'], examples: [{ more }], meaning: 'count on' },
    },
  });
const counting = adding(1);
const add = (more: number): Add => ({ type: 'add', more });

function node(storage = memoryStorage()) {
  const wire = new Subject<{ readonly from: NodeId; readonly message: unknown }>();
  const errors: ConclaveError[] = [];
  const a = embed(counting, {
    self: 'a',
    peers: ['b'],
    transport: bare(wire),
    storage,
    onError: (error) => errors.push(error),
  });
  const hear = (count: number) => wire.next({ from: 'b', message: { type: 'tell', count } });
  return { a, errors, hear, storage };
}

describe('the largest counter', () => {
  const holder = {
    plain: 3,
    nothing: null,
    inner: { ballot: 7, half: 0.5 },
    by: { x: 1, y: 9 },
    list: [{ k: 4 }, { k: 12 }],
    text: '5',
  };
  it.each([
    [[], 0],
    [['plain'], 3],
    [['nothing?', 'plain?'], 3],
    [['nothing.ballot', 'inner.ballot', 'by.*'], 9],
    [['list.*.k'], 12],
    [['nothing'], 'nothing is null'],
    [['missing'], 'missing is undefined'],
    [['text'], 'text is 5'],
    [['plain', 'inner.half'], 'inner.half is 0.5'],
    [['inner'], 'inner is an object'],
    [['by.*', 'list.*'], 'list.* is an object'],
  ])('at %j is %s', (paths, expected) => {
    const found = largestCounter(holder, paths);
    expect(typeof found === 'string' ? found.split(',')[0] : found).toBe(expected);
  });
});

describe('a counter', () => {
  it('is in a field of its message, or of the stable storage', () => {
    const wrong = { tell: { fields: ['count'], counters: ['cuont'], meaning: 'typo' } };
    expect(() =>
      minimalProtocol(machine, { messages: wrong, commands: counting.commands }),
    ).toThrow("'tell' has a counter 'cuont', which is in none of its fields. It has count.");
    const role = { machine, input, counters: ['count'] };
    expect(() =>
      minimalProtocol(machine, { roles: { node: role }, messages, commands: counting.commands }),
    ).toThrow("the stable storage of role 'node' has a counter 'count'");
  });

  it.each([0.5, -1, 2 ** 53])('of %d is not sent, in any host', (more) => {
    const protocol = adding(more);
    const what = `sends 'tell' whose count is ${more}, no whole number from 0 to 2^53 − 1`;
    const violated = explore(protocol, complete(2)).properties.find(
      ({ verdict }) => verdict === 'violated',
    );
    expect(violated?.name).toBe('no step fails');
    for (const host of ['compiled', 'actors'] as const) {
      const workload: Workload = ({ later, tell }) => {
        later({ kind: 'fixed', ms: 1 }, () => tell('a', add(more)));
        return () => {};
      };
      expect(simulate({ protocol, topology: complete(2), host, workload }).fault).toContain(what);
    }
    const { a } = node();
    expect(() => {
      a.send(add(more));
    }).toThrow(what);
  });
});

describe('a node', () => {
  it('takes counters up to 2^38 above the largest that it has taken, sent or stored', () => {
    const { a, errors, hear, storage } = node();
    hear(2 ** 38 + 1);
    expect(errors.map(({ code, what }) => `${code}: ${what}`)).toEqual([
      "bad-input: Node a got from b 'tell' with the counter 274877906945, more than 2^38 above 0, the largest that it knows",
    ]);
    hear(2 ** 38);
    hear(2 ** 39);
    expect(a.state.context.count).toBe(2 ** 39);
    a.send(add(2 ** 40));
    hear(2 ** 40 + 2 ** 39 + 2 ** 38);
    expect(errors).toHaveLength(1);
    const again = node(storage);
    again.hear(2 ** 40 + 2 ** 39 + 2 ** 38 + 5);
    expect(again.errors).toEqual([]);
  });

  it('does not start from stored counters that are none', () => {
    const storage = memoryStorage();
    storage.write({ incarnation: 1, fields: { count: 1e300 } });
    expect(() => node(storage)).toThrow(
      expect.objectContaining({
        code: 'bad-input',
        what: 'Node a cannot start from its storage: count is 1e+300, no whole number from 0 to 2^53 − 1',
      }),
    );
  });
});

it.each([{ seq: 1e300 }, { seq: -1 }, { incarnation: 0.5 }, { addressed: null }])(
  'a reliable link takes no frame with %o',
  (wrong) => {
    const frame = { type: 'data', incarnation: 1, addressed: 0, seq: 0, payload: 'x', ...wrong };
    expect(() => checked(reliableLink().messages, frame, 'Node a got from b')).toThrow(
      /'data' whose (seq|incarnation|addressed) is .*, no whole number/,
    );
  },
);
