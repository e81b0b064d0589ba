import { type ExploreOptions, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import {
  atMost,
  increases,
  type LocalState,
  type NodeView,
  overtaken,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { mutantOf, takeAll } from '../../../contract/machines.contract.js';
import { readersWriters } from './protocol.js';
import { sharingMachine } from './readers-writers.js';

const acquire = { type: 'acquire' } as const;
const share = { type: 'share' } as const;
const mutant = mutantOf(readersWriters);
const together = sometimes(
  'all nodes are inside at once',
  (system) => system.count('critical') === system.nodes.length,
);

everyInterleavingOfVariant(
  readersWriters,
  [
    [complete(2), { inputs: [acquire, share] }, 1_065],
    [complete(2), { commands: 2 }, 671_956],
    [complete(3), { inputs: [acquire, share], initiators: ['a', 'c'] }, 10_334],
    [complete(3), { inputs: [share] }, 23_579],
  ],
  {
    'a reader replies to a writer': mutant(
      `complete:2, 4 steps: of two conflicting reservations the waiting one has the larger fencing token`,
      sharingMachine.provide({
        guards: {
          compatible: ({ context }: { readonly context: object }) =>
            Reflect.get(context, 'shared') === true,
        },
      }),
    ),
  },
);

describe('rules of readers and writers', () => {
  const first = (): LocalState =>
    start(sharingMachine, 'b', { self: 'b', peers: ['a', 'c'] }).state;
  const after = (state: LocalState, ...events: Parameters<typeof takeAll>[3]) =>
    takeAll(sharingMachine, 'b', state, events);
  const request = (shared: boolean) => ({ type: 'request', from: 'a', ts: 5, shared });
  const replies = ['a', 'c'].map((from) => ({ type: 'reply', from }));

  it('[IR6] a request says whether it is shared; only shared ones are compatible', () => {
    const wanted = after(first(), share);
    expect(wanted.effects).toEqual(
      ['a', 'c'].map((peer) => send(peer, { type: 'request', ts: 1, shared: true })),
    );
    const back = [send('a', { type: 'reply' })];
    for (const state of [wanted.state, after(wanted.state, ...replies).state]) {
      expect(after(state, request(true)).effects).toEqual(back);
      expect(after(state, request(false)).effects).toEqual([]);
    }
    const alone = after(first(), acquire, ...replies).state;
    expect(after(alone, request(true)).effects).toEqual([]);
  });

  it('[IR7] a node that cancels replies to what it has deferred, and waits for the replies to the old request', () => {
    const cancelled = after(first(), share, request(false), { type: 'cancel' });
    expect(cancelled.effects.at(-1)).toEqual(send('a', { type: 'reply' }));
    expect(cancelled.state).toMatchObject({ value: 'withdrawn', context: { deferred: [] } });
    expect(after(cancelled.state, request(false)).effects).toEqual([send('a', { type: 'reply' })]);
    expect(after(cancelled.state, ...replies).state.value).toBe('released');
  });
});

describe('readers and writers', () => {
  const explored = (n: number, options: ExploreOptions) => {
    const found = explore(readersWriters, complete(n), options);
    expect(found.complete).toBe(true);
    return found.properties.slice(0, options.properties?.length).map(({ verdict }) => verdict);
  };

  it('readers are inside together, writers never', () => {
    expect(explored(2, { inputs: [share], properties: [together] })).toEqual(['reached']);
    expect(explored(2, { inputs: [acquire], properties: [together] })).toEqual(['unreached']);
  });

  it('costs 2(n−1) messages per entry, shared or not, in every interleaving', () => {
    for (const input of [acquire, share]) {
      const bounds = [2, 1].map((most) => atMost(most, { per: input.type }));
      expect(explored(2, { inputs: [input], properties: bounds })).toEqual(['holds', 'violated']);
    }
    for (const n of [2, 3, 5, 9])
      for (const inputs of [[acquire], [share], [acquire, share]]) {
        const entries = 4;
        const workload = closedLoop({ entries, inputs });
        const run = simulate({ protocol: readersWriters, topology: complete(n), workload });
        expect(totalMessages(run)).toBe(2 * (n - 1) * n * entries);
      }
  });

  const shares = ({ context }: NodeView) => context.shared === true;

  proof('nobody starves: while a writer waits, another node enters three times at most', () => {
    const waits = (node: NodeView) => node.tags.has('waiting') && !shares(node);
    const properties = [2, 3].map((times) => overtaken(times, { waits }));
    const verdicts = explored(2, { commands: 2, inputs: [share, acquire], properties });
    expect(verdicts).toEqual(['violated', 'holds']);
  });

  /** The entries of writers, and those of the one reader `id`. */
  const tokensOf = (id: string) =>
    increases(`writers, and ${id}`, (node: NodeView) =>
      node.tags.has('critical') && (node.context.shared !== true || node.id === id)
        ? readersWriters.fence?.(node)
        : undefined,
    );

  it('a token is larger than that of each entry before it which it conflicts with', () => {
    const properties = ['a', 'b'].map(tokensOf);
    expect(explored(2, { inputs: [acquire, share], properties })).toEqual(['holds', 'holds']);
    const all = increases('all', (node) =>
      node.tags.has('critical') ? readersWriters.fence?.(node) : undefined,
    );
    expect(explored(2, { inputs: [share], properties: [all] })).toEqual(['violated']);
  });
});
