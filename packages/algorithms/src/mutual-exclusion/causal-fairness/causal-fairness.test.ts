import { explore } from '@conclave/check';
import type { NodeStep, NodeView, Protocol, SystemView } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { propertyNamed } from '../../contract/findings.contract.js';
import { sharedContract } from '../../contract/shared.contract.js';
import { lelannChangRoberts } from '../../election/lelann-chang-roberts/protocol.js';
import { groupLock } from '../group/group-lock/protocol.js';
import { lamport } from '../permission/lamport/protocol.js';
import { naimiTrehel } from '../token/naimi-trehel/protocol.js';
import { ricartAgrawala83 } from '../token/ricart-agrawala-83/protocol.js';
import { suzukiKasami } from '../token/suzuki-kasami/protocol.js';
import { requestsBefore, respectsHappenedBefore } from './causal-fairness.js';
import { causalFairness } from './protocol.js';

const protocol = causalFairness();
const { name } = respectsHappenedBefore;
const judged = (lock: Protocol, refuted: string) => ({
  protocol: causalFairness({ lock }),
  refuted: `${refuted}: ${name}`,
});
const two = { commands: 1, initiators: ['b', 'c'] };
const topologies = [2, 3].map((n) => complete(n));

describe(`C6 ${protocol.name}: mutual exclusion`, () => {
  everyInterleaving(
    protocol,
    [
      [complete(2), { commands: 2 }, 1_606],
      [complete(3), two, 1_874],
    ],
    {
      'the lock is Ricart–Agrawala 1983': judged(ricartAgrawala83(), 'complete:3, 5 steps'),
      'the lock is Suzuki–Kasami': judged(suzukiKasami(), 'complete:3, 5 steps'),
    },
  );

  sharedContract(protocol, topologies, () => closedLoop({ entries: 2 }), [
    { topology: complete(2), budget: { commands: 1 } },
  ]);

  it('costs what its formula says', () => {
    for (const topology of topologies) {
      const result = simulate({
        protocol,
        topology,
        workload: closedLoop({ entries: 2 }),
        conditions: { order: 'fifo' },
      });
      const { least } = protocol.cost?.messages(topology.nodes.length) ?? { least: -1 };
      expect(totalMessages(result) / result.exclusion.entries.length).toBe(least);
      expect(least).toBe(lamport.cost?.messages(topology.nodes.length).most);
    }
  });
});

describe('causal-fairness assumptions', () => {
  const stepsOf = (judgedLock: Protocol, n: number, options: object) => {
    const found = explore(judgedLock, complete(n), {
      ...options,
      properties: [respectsHappenedBefore],
      limits: { states: 3_000 },
    });
    return found.properties.find((property) => property.name === name)?.trace?.lines.length;
  };

  proof('FIFO: without it, the default lock breaks exclusion and the causal order', () => {
    expect(stepsOf(protocol, 2, { commands: 2, order: 'fifo' })).toBeUndefined();
    expect(stepsOf(protocol, 2, { commands: 2, order: 'any' })).toBe(8);
  });

  it('a judge without labels notices nothing', () => {
    const { label: _, ...deaf } = requestsBefore;
    const judged83 = causalFairness({ lock: ricartAgrawala83() });
    expect(stepsOf(judged83, 3, { commands: 1 })).toBe(5);
    expect(stepsOf({ ...judged83, history: deaf }, 3, { commands: 1 })).toBeUndefined();
  });

  proof(
    'with FIFO, Naimi–Trehel keeps the order among three nodes; without it, two entries break it',
    () => {
      const lock = causalFairness({ lock: naimiTrehel() });
      expect(stepsOf(lock, 3, { commands: 2, order: 'fifo' })).toBeUndefined();
      expect(stepsOf(lock, 3, { commands: 2, order: 'any' })).toBe(9);
    },
  );
});

describe('causal-fairness rules', () => {
  const view = (id: string, ...tags: string[]): NodeView => ({
    id,
    role: 'node',
    value: 'x',
    context: {},
    tags: new Set(tags),
    crashed: false,
  });
  const step = (before: NodeView, after: NodeView, label?: object): NodeStep => ({
    before,
    after,
    cause: label
      ? { kind: 'message', message: { type: 'm' }, from: 'x' }
      : { kind: 'command', command: { type: before.tags.has('critical') ? 'release' : 'acquire' } },
    sent: [],
    notified: [],
    ...(label && { label: { ...label } }),
  });
  const first = requestsBefore.initial('b', complete(2));
  const asked = requestsBefore.after(first, step(view('b'), view('b', 'waiting')));
  const heard = requestsBefore.after(first, step(view('b'), view('b'), { a: 2 }));
  const askedAfter = requestsBefore.after(heard, step(view('b'), view('b', 'waiting')));
  const entered = requestsBefore.after(
    askedAfter,
    step(view('b', 'waiting'), view('b', 'critical'), { a: 3 }),
  );
  const left = requestsBefore.after(entered, step(view('b', 'critical'), view('b')));

  it('[CF1] a request is added to those known, which happened before it; later ones did not', () => {
    expect(asked).toEqual({ known: { b: 1 }, atRequest: { b: 1 }, entries: 0 });
    expect(askedAfter.atRequest).toEqual({ a: 2, b: 1 });
    expect(entered.atRequest).toEqual({ a: 2, b: 1 });
    expect(left.atRequest).toEqual({});
  });

  it('[CF2] a message carries along the requests that its sender knows', () => {
    expect(requestsBefore.label?.(askedAfter)).toEqual({ a: 2, b: 1 });
  });

  it('[CF3] a receiver knows what the message carries, and forgets nothing', () => {
    expect(heard.known).toEqual({ a: 2 });
    expect(requestsBefore.after(heard, step(view('b'), view('b'), { a: 1, c: 1 })).known).toEqual({
      a: 2,
      c: 1,
    });
  });

  it('[CF4] entries are counted', () => {
    expect([asked, entered, left].map(({ entries }) => entries)).toEqual([0, 1, 1]);
  });

  it('[CF5] a node enters only after those whose requests happened before its own', () => {
    const property = propertyNamed(protocol.properties, name);
    if (property.kind !== 'always') throw new Error('it is a property of states');
    const system = (ofA: number) => {
      const nodes: NodeView[] = [
        { ...view('a', 'waiting'), history: { known: {}, atRequest: {}, entries: ofA } },
        { ...view('b', 'critical'), history: entered },
      ];
      // the part that the property reads
      return { nodes, tagged: () => nodes.slice(1) } as unknown as SystemView;
    };
    expect([1, 2, 3].map((entries) => property.holds(system(entries)))).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('[CF5] a node that has crashed does not wait any more, nor does it when it is back', () => {
    const lock = causalFairness({ lock: groupLock() });
    const options = {
      commands: 1,
      crashes: 1,
      restarts: 0,
      properties: [respectsHappenedBefore],
      limits: { states: 3_000 },
    };
    const found = explore(lock, complete(2), options);
    expect([
      found.complete,
      found.properties.find((property) => property.name === name)?.verdict,
    ]).toEqual([true, 'holds']);
    const again = requestsBefore.after(asked, step(view('b'), view('b', 'waiting')));
    expect(again).toEqual({ known: { b: 2 }, atRequest: { b: 2 }, entries: 1 });
  });

  it('refuses what is no lock', () => {
    expect(() => causalFairness({ lock: lelannChangRoberts as Protocol })).toThrow(
      "causal-fairness: LeLann–Chang–Roberts solves 'election'. Give a lock, such as 'ricart-agrawala'.",
    );
    expect(() => causalFairness({ lock: protocol })).toThrow(
      'Causal fairness of a lock has a history variable',
    );
  });
});
