import { readFileSync } from 'node:fs';
import { explore } from '@conclave/core/exploration';
import { randomGraph } from '@conclave/core/internal/topology';
import { type Protocol, sometimes } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { chain, complete, grid, type Topology } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { ignoringUnexpected } from '../../mutual-exclusion/ignoring-unexpected.contract.js';
import { handled, outcomeOf, quiescence } from '../../mutual-exclusion/outcome.contract.js';
import { labelledGraphs } from '../../mutual-exclusion/token/building-blocks/labelled-graphs.contract.js';
import { eager } from './eager.contract.js';
import { extinction } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const plain: Protocol = extinction();
const terminating: Protocol = extinction({ terminating: true });
const left = 'one candidate is left, every live node knows it, and no message is on its way';
const decided = 'every live node knows the one leader';
const oneLeader = 'at most one node is the leader';

/** The trace to the violation of the only property of an eager variant. */
const refutation = (protocol: Protocol, network: Topology) => {
  const wrong = explore(protocol, network).properties.find(({ verdict }) => verdict === 'violated');
  return wrong?.trace?.lines ?? [];
};

describe('extinction assumptions', () => {
  it('in the plain form no node knows that the election is over: it may be in its last state while others know nothing', () => {
    for (const network of [2, 3].flatMap(labelledGraphs)) {
      const winner = network.nodes.at(-1) ?? '';
      const ignorant = sometimes(
        'the winner is in its last state, and another node has heard of no candidate',
        (system) => {
          const { tags } = system.node(winner);
          return tags.has('candidate') && system.nodes.some(({ context }) => context.max === null);
        },
      );
      const known = sometimes('the winner is in the same state, and all nodes know it', (system) =>
        system.nodes.every(({ context }) => context.max === winner),
      );
      const found = explore(plain, network, { properties: [ignorant, known] });
      expect(found.properties.slice(0, 2).map(({ verdict }) => verdict)).toEqual([
        'reached',
        'reached',
      ]);
    }
  });

  it('a candidate that decides by a rule of its own may be wrong: the page shows it', () => {
    expect(refutation(eager.hasty, chain(2))).toHaveLength(2);
    expect(refutation(eager.patient, chain(2))).toEqual([]);
    const run = refutation(eager.patient, chain(['b', 'a', 'c']));
    expect(run.length).toBeGreaterThan(0);
    expect(page).toContain(linesText(run));
  });

  it.each([
    ['a lost message', plain, { losses: 1 }, left, 4],
    ['a crash', plain, { crashes: 1 }, left, 2],
    ['a restart', plain, { crashes: 1, restarts: 1 }, left, 2],
    ['a lost message', terminating, { losses: 1 }, decided, 4],
    ['a crash', terminating, { crashes: 1 }, decided, 2],
    ['a duplicated message', terminating, { duplications: 1 }, handled, 4],
    ['a restart', terminating, { crashes: 1, restarts: 1 }, handled, 4],
  ] as const)('%s has this shortest run', (_what, protocol, budget, broken, steps) => {
    expect(outcomeOf(protocol, chain(2), budget).verdicts).toMatchObject({
      [broken]: `violated in ${steps}`,
    });
  });

  it('the page shows the lost message that leaves two candidates', () => {
    expect(page).toContain(outcomeOf(plain, chain(2), { losses: 1 }).traces[left]);
  });

  proof(
    'a lost message or a crash never makes two leaders, and one loss does no harm to a plain flood in a triangle',
    () => {
      for (const network of [chain(2), chain(3), complete(3)])
        for (const budget of [{ losses: 1 }, { crashes: 1 }])
          expect(outcomeOf(terminating, network, budget).verdicts).toMatchObject({
            [oneLeader]: 'holds',
            [handled]: 'holds',
            [quiescence]: expect.stringContaining('violated'),
          });
      expect(outcomeOf(plain, complete(3), { losses: 1 }).verdicts).toMatchObject({
        [left]: 'holds',
      });
    },
  );

  it('a duplicate does no harm, if nodes ignore messages that they do not expect', () => {
    for (const network of [chain(3), complete(3)]) {
      expect(
        Object.values(outcomeOf(plain, network, { duplications: 1 }).verdicts),
      ).not.toContainEqual(expect.stringContaining('violated'));
      const tolerant = outcomeOf(ignoringUnexpected(terminating), network, { duplications: 1 });
      expect(Object.values(tolerant.verdicts)).not.toContainEqual(
        expect.stringContaining('violated'),
      );
    }
  });
});

describe('extinction cost', () => {
  proof(
    'of one candidate is 2e − n + 1 messages, or 2e + n − 1 with termination, in every interleaving',
    () => {
      for (const network of [2, 3].flatMap(labelledGraphs))
        for (const initiator of network.nodes) {
          const [n, links] = [network.nodes.length, network.links.length];
          // Each step but the command delivers a message.
          expect(explore(plain, network, { initiators: [initiator] }).depth).toBe(
            1 + links - n + 1,
          );
          expect(explore(terminating, network, { initiators: [initiator] }).depth).toBe(
            1 + links + n - 1,
          );
        }
    },
  );

  proof('is far below its bound if all nodes start at once: the page shows the means', () => {
    const mean = (protocol: Protocol, network: Topology): string => {
      let total = 0;
      for (let seed = 1; seed <= 20; seed++) {
        const conditions = {
          order: 'any',
          delay: { kind: 'uniform', least: 1, most: 20 },
        } as const;
        total += totalMessages(
          simulate({
            protocol: { ...protocol, properties: [] },
            topology: network,
            workload: oneShot({ type: 'elect' }),
            conditions,
            seed,
          }),
        );
      }
      return (total / 20).toLocaleString('en', { maximumFractionDigits: 0 });
    };
    for (const network of [grid(5, 5), complete(16), randomGraph(32, 0.2, 1)]) {
      const n = network.nodes.length;
      const bounds = [plain, terminating].map((protocol) =>
        (protocol.cost?.messages(n, network).most ?? 0).toLocaleString('en'),
      );
      const means = [plain, terminating].map((protocol) => mean(protocol, network));
      expect(page).toContain(
        `| \`${network.spec}\` | ${means[0]} | ${bounds[0]} | ${means[1]} | ${bounds[1]} |`,
      );
    }
  });

  proof('elects among 300 nodes', () => {
    const network = randomGraph(300, 0.03, 1);
    const result = simulate({
      protocol: { ...terminating, properties: [] },
      topology: network,
      workload: oneShot({ type: 'elect' }),
    });
    expect(result.complete).toBe(true);
    expect(result.leader).toBe([...network.nodes].sort().at(-1));
    expect(totalMessages(result)).toBeLessThanOrEqual(
      terminating.cost?.messages(300, network).most ?? 0,
    );
  });
});
