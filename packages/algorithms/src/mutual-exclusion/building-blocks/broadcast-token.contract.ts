/** What the tests of A4 and A4b share: a token that is sought by broadcast costs the same, whatever it carries. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { always, atMost, costOf, type Property, type Protocol } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { type Counts, countOf } from './token-knowledge.js';

/** @param servedIn what the token says, read from the context of the node that has it. */
const everyEntryCounted = (servedIn: (context: Readonly<Record<string, unknown>>) => unknown): Property =>
  always('the token knows of every entry so far', (system) => {
    const [owner] = system.tagged('token');
    const [sent] = system.inFlight('token').map(({ message }) => ({ ...message }) as Readonly<Record<string, unknown>>);
    const served = (owner ? servedIn(owner.context) : sent?.served) as Counts; // as the machine's own types say
    return system.nodes.every(({ id, context, tags }) => {
      const wishes = countOf(context.wished as Counts, id); // the same
      return countOf(served, id) === wishes - (tags.has('waiting') ? 1 : 0);
    });
  });

interface BroadcastToken {
  readonly protocol: Protocol;
  /** The same protocol, but whoever wishes sends each request twice. */
  readonly twice: Protocol;
  readonly servedIn: (context: Readonly<Record<string, unknown>>) => unknown;
}

export function broadcastTokenContract({ protocol, twice, servedIn }: BroadcastToken): void {
  const rightly = everyEntryCounted(servedIn);

  describe(`${protocol.name} token`, () => {
    it('knows of every entry so far, in every interleaving', () => {
      const found = explore(protocol, complete(3), { wishes: 2, properties: [rightly] });
      expect(found.complete).toBe(true);
      expect(found.properties[0]).toMatchObject({ verdict: 'holds' });
    });

    it.each([
      [2, { wishes: 3 }],
      [3, { wishes: 1 }],
    ] satisfies [number, ExploreOptions][])('is not fetched by a request that comes twice, however late: %i nodes', (n, budget) => {
      const found = explore(twice, complete(n), { ...budget, properties: [...protocol.properties, rightly] });
      expect(found.complete).toBe(true);
      expect(found.properties.map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'reached', 'holds', 'holds', 'holds', 'holds']);
    });
  });

  describe(`${protocol.name} cost`, () => {
    it.each([
      [2, { wishes: 2 }],
      [3, { wishes: 2 }],
      [4, { wishes: 1 }],
    ] satisfies [number, ExploreOptions][])(
      'on %i nodes, in every interleaving: at most n−1 requests and one token per entry',
      (n, budget) => {
        const all = atMost(n, { per: 'acquire' });
        const dearer = atMost(n - 1, { per: 'acquire' });
        const each = [atMost(n - 1, { per: 'acquire', of: ['request'] }), atMost(1, { per: 'acquire', of: ['token'] })];
        const found = explore(protocol, complete(n), { ...budget, properties: [all, ...each, dearer] });
        expect(found.complete).toBe(true);
        expect(found.properties.slice(0, 4).map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds', 'violated']);
        expect(costOf(protocol, n)).toEqual(all);
      },
    );

    it('is exactly n messages per entry that waited and none for one that did not, under light and heavy load, for n in 2 … 20', () => {
      for (let n = 2; n <= 20; n += 3)
        for (const workload of [closedLoop({ entries: 5, think: { kind: 'fixed', ms: 0 } }), poisson({ mean: 10_000, entries: 5 })]) {
          const { messages, exclusion } = simulate({
            protocol,
            topology: complete(n),
            workload,
            conditions: { order: 'any', delay: { kind: 'uniform', least: 1, most: 30 } },
          });
          const waited = exclusion.entries.filter(({ wishedAt, enteredAt }) => enteredAt > wishedAt).length;
          expect(exclusion.entries).toHaveLength(5 * n);
          expect(waited).toBeLessThan(5 * n);
          expect(messages).toEqual({ request: (n - 1) * waited, token: waited });
        }
    });
  });
}
