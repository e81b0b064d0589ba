import { explore } from '@conclave/check';
import { nodesAccepting, roleOf, start, step } from '@conclave/core/internal';
import { type Protocol, sometimes } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { protocolOf } from '../../../catalogue.js';
import { fault } from '../../../contract/sweep.contract.js';
import { partOf, partText } from '../../../options.js';
import { centralCoordinator } from '../../central/central-coordinator/protocol.js';
import { intervalReservation } from '../../permission/interval-reservation/protocol.js';
import { ricartAgrawala } from '../../permission/ricart-agrawala/protocol.js';
import { raymond } from '../../token/raymond/protocol.js';
import { tokenRing } from '../../token/token-ring/protocol.js';
import { plainLocks } from './checks.js';
import { hierarchical } from './protocol.js';

const locks = plainLocks();

/**
 * The smallest network whose last three clients are two members of one cluster and a member of
 * another one: they compete on both levels.
 */
function contended(protocol: Protocol) {
  for (let n = 4; n <= 8; n++) {
    const topology = protocol.topology.example(n);
    const clients = nodesAccepting(protocol, topology, 'acquire').slice(-3);
    const clusters = clients.map((id) =>
      String(Object(roleOf(protocol, id, topology).input(id, topology)).representative),
    );
    const shared = clusters.find((cluster, index) => clusters.indexOf(cluster) < index);
    const rivals = clients.filter((_, index) => clusters[index] === shared);
    if (rivals.length === 2) return { topology, initiators: clients, rivals };
  }
  throw new Error(
    `no network of up to 8 nodes has two clients in one cluster and one in another: ${protocol.citation}`,
  );
}
const pairs = locks.flatMap((within) => locks.map((between) => [within, between] as const));
/**
 * Each algorithm is explored with itself and with two others, on each level; `npm run verify`
 * explores all pairs.
 */
const explored = locks.flatMap((within, at) =>
  [0, 1, 5].map((by) => [within, locks[(at + by) % locks.length] ?? within] as const),
);

/** One representative only serves the others. */
const paired = (within: string, between: string) =>
  protocolOf('hierarchical', {
    within,
    between,
    clusters: between === 'central-coordinator' ? 3 : 2,
  });

describe('hierarchical: any two algorithms', () => {
  it('there are fifteen', () => {
    expect(locks).toHaveLength(15);
  });

  proof.each(explored)(
    'has all properties in every interleaving: %s within, %s between',
    (within, between) => {
      const protocol = paired(within, between);
      const { topology, initiators, rivals } = contended(protocol);
      const compete = sometimes('two members of one cluster compete', (system) =>
        rivals.every((id) => system.node(id).tags.has('waiting')),
      );
      const found = explore(protocol, topology, {
        initiators,
        properties: [...protocol.properties, compete],
      });
      expect(found.complete).toBe(true);
      // in so small a system not every part is used
      for (const { name, kind, verdict } of found.properties)
        expect(kind === 'sometimes' ? ['reached'] : ['holds', 'vacuous'], name).toContain(verdict);
    },
  );

  proof.each(pairs)('runs on seven nodes: %s within, %s between', (within, between) => {
    const protocol = paired(within, between);
    const { order } = protocol.channels;
    const topology = protocol.topology.example(7);
    const conditions = { order, delay: { kind: 'exponential', mean: 20 } } as const;
    const result = simulate({
      protocol,
      topology,
      conditions,
      workload: closedLoop({ entries: 2 }),
    });
    expect(fault(result)).toBeUndefined();
    expect(result.exclusion.entries).toHaveLength(
      2 * nodesAccepting(protocol, topology, 'acquire').length,
    );
  });

  proof('a hierarchy as a part: three levels', () => {
    const inner = hierarchical({ within: centralCoordinator(), between: raymond(), turns: 2 });
    const protocol = hierarchical({ within: inner, between: ricartAgrawala });
    const topology = protocol.topology.example(8);
    const conditions = { order: 'any', delay: { kind: 'exponential', mean: 20 } } as const;
    for (const seed of [1, 2, 3]) {
      const result = simulate({
        protocol,
        topology,
        seed,
        conditions,
        workload: closedLoop({ entries: 2 }),
      });
      expect(fault(result)).toBeUndefined();
      expect(result.exclusion.entries).toHaveLength(8);
    }
    const found = explore(protocol, topology, { initiators: ['b', 'f'] });
    expect(found).toMatchObject({ complete: true, states: 1_401 });
    for (const { kind, verdict } of found.properties)
      expect(kind === 'sometimes' ? ['reached'] : ['holds', 'vacuous']).toContain(verdict);
  });
});

describe('hierarchical: roles', () => {
  const rolesOn = (protocol: Protocol, n: number) =>
    complete(n).nodes.map((id) => protocol.roleOf(id, complete(n)));

  it('the first node of a cluster represents it; the sizes of clusters differ by at most one', () => {
    expect(rolesOn(hierarchical(), 5)).toEqual([
      'representative',
      'member',
      'member',
      'representative',
      'member',
    ]);
  });

  it('an option of a part may name a node of its network', () => {
    const protocol = hierarchical({ between: raymond({ holder: 'c' }) });
    expect(protocol.topology.example(3).spec).toBe('complete:4');
    expect(protocol.topology.refuses(complete(6))).toBe(
      "Raymond / van de Snepscheut does not run on a, d: there is no node 'c', which holder names",
    );
  });

  it('a role names the roles in parts that have several', () => {
    const roles = ['representative-coordinator', 'member-client'];
    expect(rolesOn(hierarchical({ within: centralCoordinator() }), 4)).toEqual([
      ...roles,
      ...roles,
    ]);
  });

  it('a representative that only serves between the clusters is alone and never enters', () => {
    const protocol = hierarchical({ between: centralCoordinator(), clusters: 3 });
    const cluster = ['representative-client', 'member'];
    expect(rolesOn(protocol, 6)).toEqual(['server-coordinator', ...cluster, 'member', ...cluster]);
    expect(nodesAccepting(protocol, complete(6), 'acquire')).toEqual(['b', 'c', 'd', 'e', 'f']);
    expect(protocol.topology.refuses(complete(4))).toBe(
      "Token ring does not run on d: Topology 'ring:d,': the number of nodes must be a whole number from 2 to 1000000, not 1",
    );
  });

  it('it is perpetual where a part is', () => {
    expect(
      [hierarchical(), hierarchical({ within: raymond(), between: tokenRing() })].map(
        ({ perpetual }) => perpetual,
      ),
    ).toEqual([true, true]);
    expect(hierarchical({ within: raymond() }).perpetual).toBeUndefined();
  });
});

describe('hierarchical: what does not fit', () => {
  const input = 'hierarchical: ';

  it.each([
    [
      'another problem',
      () => hierarchical({ within: intervalReservation() }),
      `${input}Interval reservation is not a plain lock, whose only commands are acquire and release`,
    ],
    [
      'an election',
      () => hierarchical({ between: protocolOf('B3') }),
      `${input}LeLann–Chang–Roberts is not a plain lock`,
    ],
    [
      'a history variable',
      () =>
        hierarchical({
          within: {
            ...raymond(),
            history: { initial: () => 0, after: (count: number) => count + 1 },
          },
        }),
      `${input}Raymond / van de Snepscheut has a history variable, which a part cannot have`,
    ],
    [
      'reports of crashes',
      () => hierarchical({ between: protocolOf('A18') }),
      `${input}Lock over a group relies on reports of crashes, which a part does not get`,
    ],
    [
      'nodes that may give up waiting',
      () => hierarchical({ within: centralCoordinator({ acknowledge: true }) }),
      `${input}Central coordinator lacks the property 'every node that wants to enter eventually enters'. Try 'raymond'`,
    ],
    [
      'an option that fits no network',
      () => hierarchical({ within: raymond({ holder: 'b' }) }),
      `${input}no network fits: Raymond / van de Snepscheut does not run on f, g, h, i, j: there is no node 'b', which holder names`,
    ],
    [
      'one cluster',
      () => hierarchical({ clusters: 1 }),
      `${input}clusters is 1. Give a whole number, 2 or more.`,
    ],
    [
      'half a turn',
      () => hierarchical({ turns: 0.5 }),
      `${input}turns is 0.5. Give a whole number, 1 or more.`,
    ],
    [
      'an unknown part',
      () => protocolOf('hierarchical', { within: 'zab' }),
      "There is no algorithm 'zab'",
    ],
    [
      'an unknown option of a part',
      () => protocolOf('hierarchical', { between: 'raymond?greed=2' }),
      "raymond: there is no option 'greed'. Did you mean 'greedy'?",
    ],
  ])('%s', (_what, make, message) => {
    expect(make).toThrow(message);
  });

  it.each([
    [
      'a ring of one',
      {},
      3,
      "Token ring does not run on c: Topology 'ring:c,': the number of nodes must be a whole number from 2 to 1000000, not 1",
    ],
    ['fewer nodes than clusters', { clusters: 4 }, 3, '3 nodes are too few for 4 clusters'],
    [
      'a coordinator alone',
      { within: centralCoordinator() },
      3,
      'no node in the cluster of c can enter',
    ],
  ])('it does not run on %s', (_what, options, n, why) => {
    expect(hierarchical(options).topology.refuses(complete(n))).toBe(why);
  });

  it('a fencing token that depends on more than the context', () => {
    const stateful: Protocol = { ...raymond(), fence: ({ value }) => (value === 'held' ? 1 : 0) };
    const tagged: Protocol = { ...raymond(), fence: ({ tags }) => tags.size };
    for (const [between, what] of [
      [stateful, 'state'],
      [tagged, 'tags'],
    ] as const) {
      const { machine, input } = roleOf(hierarchical({ between }), 'a', complete(4));
      const first = start(machine, 'a', input('a', complete(4)));
      const claim = { type: 'claim', from: 'b' };
      expect(() => step(machine, 'a', first.state, claim)).toThrow(
        `The fence of Raymond / van de Snepscheut reads the ${what} of a node. Between clusters it can read the context only.`,
      );
    }
  });
});

describe('hierarchical: parts as texts', () => {
  it.each([
    ['ricart-agrawala', ricartAgrawala],
    [
      'raymond?piggyback=true&greedy=2&holder=b',
      raymond({ piggyback: true, greedy: 2, holder: 'b' }),
    ],
    ['raymond?holder=%221%22', raymond({ holder: '1' })],
  ])('%s', (text, part) => {
    expect(partText(part)).toBe(text);
    expect(partOf(text, protocolOf).options).toEqual(part.options);
  });

  it('its options make the same protocol', () => {
    const protocol = hierarchical({ within: raymond({ greedy: 1 }), clusters: 3, turns: 2 });
    const { options = {} } = protocol;
    expect(protocolOf('A13', options).options).toEqual(options);
    expect(Object.keys(protocolOf('A13', options).messages)).toEqual(
      Object.keys(protocol.messages),
    );
  });
});
