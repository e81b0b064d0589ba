import { readFileSync } from 'node:fs';
import type { ExploreOptions } from '@conclave/check';
import { start } from '@conclave/core/internal';
import type { LocalState, NodeView, Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { mutantOf, takeAll, withMachine } from '../../../contract/machines.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { tokensGrow } from '../../mutual-exclusion.js';
import { allHold, entry, exclusion, fencing, outcomeOf } from '../../outcome.contract.js';
import { machine } from './group-lock.js';
import { groupLock } from './protocol.js';

const protocol = groupLock();
const mutant = mutantOf(protocol);
const queueOf = (context: object): readonly { readonly node: string; readonly ticket: number }[] =>
  Reflect.get(context, 'queue');

mutualExclusionContract({
  protocol,
  topologies: [2, 3].map((n) => complete(n)),
  small: [{ topology: complete(2), budget: { commands: 1 } }],
  explored: [
    [complete(2), { commands: 2 }, 615],
    [complete(2), { commands: 2, crashes: 2 }, 18_369],
    [complete(3), { commands: 1 }, 2_552],
    [
      '3 nodes, two of which enter once, one crash',
      [
        { topology: complete(3), budget: { initiators: ['b', 'c'], crashes: 1 } },
        { topology: complete(3), budget: { initiators: ['a', 'c'], crashes: 1 } },
      ],
      {},
      19_490,
    ],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    'a node enters before its turn': mutant(
      'complete:2, 6 steps: at most one node is in the critical section',
      machine.provide({
        guards: {
          isFirst: ({ context }: { readonly context: object }) =>
            queueOf(context).some(({ node }) => node === Reflect.get(context, 'self')),
        },
      }),
    ),
  },
});

describe('group-lock rules', () => {
  const first = (): LocalState =>
    start(machine, 'a', protocol.roles.node?.input('a', complete(3)) ?? null).state;
  const after = (
    state: LocalState,
    ...events: readonly ({ readonly type: string } & Record<string, unknown>)[]
  ) => takeAll(machine, 'a', state, events);
  const queue = ({ context }: LocalState) => queueOf(context).map(({ node }) => node);
  const submit = (from: string, data: string, sequence = 1) => ({
    type: 'group-submit',
    from,
    view: 1,
    sequence,
    data,
  });

  it('[GL1] [GL2] a request is a multicast; when it is delivered, it gets the next ticket and the last place in the queue', () => {
    const { state, effects } = after(first(), submit('b', 'request'), { type: 'acquire' });
    expect(effects.map((effect) => effect.type === 'send' && effect.message.type)).toEqual([
      'group-message',
      'group-message',
      false,
    ]);
    expect(state.context).toMatchObject({
      queue: [
        { node: 'b', ticket: 1 },
        { node: 'a', ticket: 2 },
      ],
      tickets: 2,
    });
  });

  it('[GL3] a node enters when its request is the first', () => {
    expect(after(first(), { type: 'acquire' }).state.tags).toContain('critical');
    const second = after(first(), submit('b', 'request'), { type: 'acquire' }).state;
    expect(second.tags).not.toContain('critical');
    expect(after(second, submit('b', 'release', 2)).state.tags).toContain('critical');
  });

  it('[GL4] [GL5] a release is a multicast; it removes the request of its sender', () => {
    const left = after(first(), { type: 'acquire' }, submit('c', 'request'), { type: 'release' });
    expect(left.effects.filter(({ type }) => type === 'send')).toHaveLength(2);
    expect(queue(left.state)).toEqual(['c']);
    expect(queue(after(left.state, submit('c', 'release', 2)).state)).toEqual([]);
  });

  it('[GL6] a view removes the requests of the nodes that are not in it', () => {
    const waits = after(first(), submit('b', 'request'), { type: 'acquire' }).state;
    const alone = after(
      waits,
      { type: 'group-down', from: 'b' },
      { type: 'group-down', from: 'c' },
    );
    expect(queue(alone.state)).toEqual(['a']);
    expect(alone.state.tags).toContain('critical');
  });
});

describe('group-lock assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const lines = (text: string) =>
    text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
  /** The page leaves out what every state has in common, and the starts. */
  const expectOnPage = (trace = '') => {
    const [shown, taken] = [
      lines(page),
      lines(trace.replaceAll(/client\.| & requests| & group\.open/g, '')),
    ];
    for (const line of taken.filter((line) => line !== '' && !line.includes('  start  ')))
      expect(shown).toContain(line);
  };
  const found = (n: number, options: ExploreOptions, of: Protocol = protocol) =>
    outcomeOf(of, complete(n), options);

  proof(
    'outlives a crash in the critical section, and of the sequencer: all live nodes enter',
    () => {
      const inside: ExploreOptions = {
        initiators: ['a', 'b'],
        crashes: 1,
        mayCrash: ({ tags }) => tags.has('critical'),
      };
      expect(found(3, inside).verdicts).toMatchObject(allHold);
      expect(
        found(3, { initiators: ['b', 'c'], crashes: 1, mayCrash: ({ id }) => id === 'a' }).verdicts,
      ).toMatchObject(allHold);
    },
  );

  proof('a request that is not removed with its node blocks all others', () => {
    const stale = withMachine(protocol, machine.provide({ actions: { removeAbsent: assign({}) } }));
    const { verdicts, traces } = found(2, { crashes: 1 }, stale);
    expect(verdicts).toMatchObject({ [exclusion]: 'holds', [entry]: 'violated in 7' });
    expectOnPage(traces[entry]);
  });

  proof('a ticket alone is no fencing token: a node that crashed may have used it', () => {
    const ticket = ({ context }: NodeView) => Number(queueOf(context)[0]?.ticket);
    const bare: Protocol = {
      ...protocol,
      fence: ticket,
      properties: [
        ...protocol.properties.filter(({ name }) => name !== fencing),
        tokensGrow(ticket),
      ],
    };
    const { verdicts, traces } = found(
      3,
      { initiators: ['a', 'c'], crashes: 2, atomicSteps: true },
      bare,
    );
    expect(verdicts).toMatchObject({ [exclusion]: 'holds', [fencing]: 'violated in 13' });
    expectOnPage(traces[fencing]);
  });

  proof(
    'if a crash also loses what its node sent in earlier steps, all but the fencing token holds',
    () => {
      const { verdicts, traces } = found(3, { initiators: ['b', 'c'], crashes: 2, unsent: true });
      expect(verdicts).toMatchObject({ ...allHold, [fencing]: 'violated in 13' });
      expectOnPage(traces[fencing]);
    },
  );

  proof('needs channels that keep their order', () => {
    const { verdicts, traces } = found(2, { order: 'any', crashes: 1 });
    expect(verdicts[exclusion]).toBe('violated in 6');
    expectOnPage(traces[exclusion]);
  });

  it('is served within a time that does not depend on how long a holder stays: a run of five nodes, three of which crash', () => {
    const topology = complete(5);
    const faults = ['a', 'c', 'd'].map((node, index) => ({
      kind: 'crash' as const,
      node,
      at: 100 + 40 * index,
    }));
    const workload = closedLoop({
      entries: 10,
      think: { kind: 'fixed', ms: 5 },
      hold: { kind: 'fixed', ms: 5 },
    });
    const { exclusion: measured, properties } = simulate({ protocol, topology, workload, faults });
    expect(
      properties.filter(({ verdict }) => verdict !== 'holds' && verdict !== 'reached'),
    ).toEqual([]);
    for (const id of ['b', 'e'])
      expect(measured.entries.filter(({ node }) => node === id)).toHaveLength(10);
  });
});

describe('group-lock cost', () => {
  it.each([2, 3, 5, 9])(
    'is 2(n−1) for entries of the sequencer and 2n for those of another node, and the acknowledgements: %i nodes',
    (n) => {
      const topology = complete(n);
      const entries = 24; // three times 16 multicasts
      const sent = (node: string) =>
        totalMessages(
          simulate({
            protocol,
            topology,
            workload: closedLoop({ nodes: [node], entries, think: { kind: 'fixed', ms: 9 } }),
          }),
        );
      const [first = '', second = ''] = topology.nodes;
      expect(sent(first)).toBe(2 * (n - 1) * entries + 3 * (n - 1));
      expect(sent(second)).toBe(2 * n * entries + 3 * (n - 1));
    },
  );
});
