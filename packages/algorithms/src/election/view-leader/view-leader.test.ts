import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { mutantOf } from '../../contract/machines.contract.js';
import { electionContract } from '../election.contract.js';
import { viewLeader } from './protocol.js';
import { machine } from './view-leader.js';

const protocol = viewLeader();
const mutant = mutantOf(protocol);

electionContract({
  protocol,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [{ topology: complete(2), budget: { commands: 1 } }],
  explored: [
    [complete(2), { crashes: 2 }, 52],
    [complete(3), { commands: 0, crashes: 2 }, 481],
    [complete(4), { commands: 0, crashes: 2 }, 23_009],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  winner: ({ nodes }) => nodes[0] ?? '',
  mutants: {
    'the largest member leads': mutant(
      'complete:2, 2 steps: a node that is the leader knows itself as the leader',
      machine.provide({
        guards: {
          isSmallest: ({ context, event }: Given) => lastOf(event) === Reflect.get(context, 'self'),
        },
      }),
    ),
  },
});

interface Given {
  readonly context: object;
  readonly event: object;
}
const lastOf = (event: object): unknown => [Reflect.get(event, 'members')].flat().at(-1);

describe('view-leader rules', () => {
  const first = () =>
    start(machine, 'b', protocol.roles.node?.input('b', complete(3)) ?? null).state;

  it('[VL2] a member knows the smallest member of its view as the leader, and the number of the view as the term', () => {
    expect(first().context).toMatchObject({ leader: 'a', term: 1 });
    expect([...first().tags]).toEqual(['decided', 'group:member']);
  });

  it('[VL1] the smallest member of a view is the leader', () => {
    const state = ['a', 'c'].reduce((reached, from) => {
      const down = { type: 'group-down', from };
      return step(machine, 'b', reached, down).state;
    }, first());
    expect(state.tags).toContain('leader');
    expect(state.context).toMatchObject({ leader: 'b', term: 2 });
  });

  it('[VL3] elect changes nothing', () => {
    expect(step(machine, 'b', first(), { type: 'elect' })).toMatchObject({
      state: first(),
      effects: [],
    });
  });
});

describe('view-leader assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const violated = (n: number, options: ExploreOptions) =>
    Object.fromEntries(
      explore(protocol, complete(n), options)
        .properties.filter(({ verdict }) => verdict === 'violated')
        .map(({ name, trace }) => [name, linesText(trace?.lines ?? [])]),
    );

  it('the crashes of two leaders in a row: a third one leads', () => {
    const topology = complete(4);
    const faults = ['a', 'b'].map((node, index) => ({
      kind: 'crash' as const,
      node,
      at: 10 + index,
    }));
    const { leader, properties } = simulate({ protocol, topology, faults });
    expect(leader).toBe('c');
    expect(
      properties.filter(({ verdict }) => verdict !== 'holds' && verdict !== 'reached'),
    ).toEqual([]);
  });

  const lines = (text: string) =>
    text.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
  it.each([
    ['needs channels that keep their order', { order: 'any' }],
    [
      'if a crash also loses what its node sent in earlier steps, a leader that crashed may have had the same term',
      { unsent: true },
    ],
  ] as const)('%s', (_what, options) => {
    const found = violated(3, { commands: 0, crashes: 2, ...options });
    expect(Object.keys(found)).toEqual([
      'each leader has a larger term than every leader before it',
    ]);
    const taken = lines(
      Object.values(found)
        .join('')
        .replaceAll(/role\.| & group\.open/g, ''),
    );
    expect(lines(page).join('\n')).toContain(
      taken.filter((line) => line !== '' && !line.includes('  start  ')).join('\n'),
    );
  });

  it('a node that comes back is outside the group, and waits for a view', () => {
    expect(Object.keys(violated(2, { commands: 0, crashes: 1, restarts: 1 }))).toEqual([
      'no node waits in a quiescent state',
    ]);
  });
});

describe('view-leader cost', () => {
  it.each([3, 5, 9])('is nothing, and 3(n−2) for the view after a crash: %i nodes', (n) => {
    const faults = [{ kind: 'crash' as const, node: 'b', at: 10, inside: false }];
    expect(totalMessages(simulate({ protocol, topology: complete(n) }))).toBe(0);
    expect(totalMessages(simulate({ protocol, topology: complete(n), faults }))).toBe(3 * (n - 2));
  });
});
