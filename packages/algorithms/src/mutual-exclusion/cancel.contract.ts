/** The tests of every lock with the command `cancel`. */
import { explore } from '@conclave/check';
import { atMost, type NodeId, type NodeView, type Protocol } from '@conclave/core/protocol';
import type { Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import {
  type Explored,
  everyInterleavingOfVariant,
  type Mutant,
} from '../contract/explored.contract.js';
import type { SmallSystem } from '../contract/shared.contract.js';
import { conditionsFor, seedsTo, sweep } from '../contract/sweep.contract.js';

interface CancelContract {
  readonly protocol: Protocol;
  /** Networks of simulated runs. */
  readonly topologies: readonly Topology[];
  /**
   * Systems small enough to explore every interleaving: each node may cancel as often as it may
   * request entry.
   */
  readonly explored: readonly Explored[];
  readonly mutants?: Readonly<Record<string, Mutant>>;
  /**
   * Systems, with the most messages that a request costs there: no run has more, and one has as
   * many. Default: none.
   */
  readonly costs?: readonly (SmallSystem & { readonly most: number })[];
}

/**
 * A lock whose application may withdraw a request: its properties, in every interleaving and in
 * seeded runs; its mutants; its cost.
 */
export function cancelContract({
  protocol,
  topologies,
  explored,
  mutants,
  costs = [],
}: CancelContract): void {
  describe(`${protocol.id} ${protocol.name} with cancel`, () => {
    everyInterleavingOfVariant(protocol, explored, mutants);

    it('is safe and live in ≥ 20 seeded runs whose nodes cancel now and then', () => {
      const count = { entered: 0, cancelled: 0 };
      const seeds = Math.ceil(20 / (topologies.length * conditionsFor(protocol).length));
      const { runs, failure } = sweep({
        protocol,
        topologies,
        workload: () => impatient(3, count),
        seeds: seedsTo(seeds),
      });
      expect(failure).toBeUndefined();
      expect(runs).toBeGreaterThanOrEqual(20);
      expect(count.entered).toBeGreaterThan(runs);
      expect(count.cancelled).toBeGreaterThan(runs);
    });

    it.each(costs)(
      'costs at most $most messages per request, entered or cancelled: $topology.spec',
      ({ topology, budget, most }) => {
        const bounds = [most, most - 1].map((messages) => atMost(messages, { per: 'acquire' }));
        const found = explore(protocol, topology, { ...budget, properties: bounds });
        expect(found.complete).toBe(true);
        expect(
          found.properties.slice(0, bounds.length).map(({ name, verdict }) => [name, verdict]),
        ).toEqual([
          [bounds[0]?.name, 'holds'],
          [bounds[1]?.name, 'violated'],
        ]);
      },
    );
  });
}

const statusOf = ({ tags }: NodeView) =>
  ['critical', 'waiting', 'withdrawing'].find((tag) => [...tags].includes(tag));

/**
 * Each node requests entry `requests` times, and cancels where it loses patience before it enters;
 * its last request it does not cancel.
 */
const impatient =
  (requests: number, count: { entered: number; cancelled: number }): Workload =>
  (application) => {
    const left = new Map<NodeId, number>();
    const was = new Map<NodeId, { readonly status: string | undefined }>();
    const request = (id: NodeId) => {
      const remaining = left.get(id) ?? requests;
      left.set(id, remaining - 1);
      if (remaining > 0)
        application.later({ kind: 'exponential', mean: 10 }, () =>
          application.tell(id, { type: 'acquire' }),
        );
    };
    for (const id of application.nodesAccepting('acquire')) {
      was.set(id, { status: undefined });
      request(id);
    }
    return (node) => {
      const status = statusOf(node);
      if (!was.has(node.id) || was.get(node.id)?.status === status) return;
      const now = { status };
      was.set(node.id, now);
      const ifStill = (act: () => void) => () => was.get(node.id) === now && act();
      if (status === undefined) request(node.id);
      if (status === 'waiting' && (left.get(node.id) ?? 0) > 0)
        application.later(
          { kind: 'exponential', mean: 60 },
          ifStill(() => {
            count.cancelled++;
            application.tell(node.id, { type: 'cancel' });
          }),
        );
      if (status === 'critical') {
        count.entered++;
        application.later({ kind: 'uniform', least: 0, most: 20 }, () =>
          application.tell(node.id, { type: 'release' }),
        );
      }
    };
  };
