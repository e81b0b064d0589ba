import { embed } from '@conclave/core/embedding';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal';
import { handStepped } from '@conclave/core/internal/embedding';
import type { Command, NodeId, Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { quickOf, sampled } from '@conclave/tools/sample';
import { TestModel as XStateTestModel } from '@xstate/test';
import { describe, expect, it } from 'vitest';
import { TestModel as GraphTestModel } from 'xstate/graph';
import { abstractLock, type LockEvent, lockEvents } from '../contract/abstract-lock.js';
import { type Explored, everyInterleaving, type Mutant } from '../contract/explored.contract.js';
import { hostsAgree, type SmallSystem } from '../contract/shared.contract.js';
import { conditionsFor, seedsTo, sweep } from '../contract/sweep.js';

export interface ExclusionContract {
  readonly protocol: Protocol;
  /** Networks of 2 to 6 nodes. */
  readonly topologies: readonly Topology[];
  /** Entries of each node in a run; fewer where steps are slow. Default 2. */
  readonly entries?: number;
  /** Systems small enough to test every path. */
  readonly small: readonly SmallSystem[];
  /** Systems small enough to explore every interleaving. */
  readonly explored: readonly Explored[];
  /** Systems that together cover every transition of the protocol. */
  /** Known-wrong versions of the protocol: the sweep and the explorer must refute each. */
  readonly mutants: Readonly<Record<string, Mutant>>;
  /** Networks on which a run is compared with the cost formula. */
  readonly costs: readonly Topology[];
}

const loop = {
  think: { kind: 'exponential', mean: 10 },
  hold: { kind: 'uniform', least: 0, most: 5 },
} as const;

/** The tests of every mutual-exclusion protocol. */
export const mutualExclusionContract = (contract: ExclusionContract): void =>
  exclusionContract('mutual exclusion', contract, contract.topologies);

/**
 * The tests of every protocol whose application requests entry and leaves.
 *
 * @param whole the networks on which at most one node may be in the critical section.
 */
export function exclusionContract(
  problem: string,
  contract: ExclusionContract,
  whole: readonly Topology[],
): void {
  const { protocol, topologies, entries = 2, small, explored, mutants, costs } = contract;
  const workload = () => closedLoop({ ...loop, entries });
  describe(`${protocol.id} ${protocol.name}: ${problem}`, () => {
    const kinds = topologies.length * conditionsFor(protocol).length;
    const seeds = seedsTo(Math.ceil(1000 / kinds));
    const chosen = sampled(seeds, Math.ceil(25 / kinds));

    it(`is safe and live in ≥ ${chosen === seeds ? '1,000' : 25} seeded runs under the conditions it assumes, and handles every message`, () => {
      const { runs, failure } = sweep({ protocol, topologies, workload, seeds: chosen });
      expect(failure).toBeUndefined();
      expect(runs).toBe(chosen.length * kinds);
      expect(runs).toBeGreaterThanOrEqual(chosen === seeds ? 1000 : 25);
    });

    const isQuick = ([, { rare }]: [string, Mutant]) => rare !== true;
    it.each(quickOf(Object.entries(mutants), isQuick))('refutes the mutant: %s', (_, mutant) => {
      const many = seedsTo(5 * seeds.length);
      expect(
        sweep({ protocol: mutant.protocol, topologies, workload, seeds: many }).failure,
      ).toBeDefined();
    });

    it('each request leads to one entry', () => {
      for (const topology of topologies) {
        const { exclusion } = simulate({ protocol, topology, workload: workload() });
        for (const id of nodesAccepting(protocol, topology, 'acquire'))
          expect(exclusion.entries.filter(({ node }) => node === id)).toHaveLength(entries);
      }
    });

    it('costs what its formula says', () => {
      for (const topology of costs) {
        const result = simulate({
          protocol,
          topology,
          workload: workload(),
          conditions: conditionsFor(protocol).at(-1) ?? {},
        });
        const perEntry = totalMessages(result) / result.exclusion.entries.length;
        const bounds = protocol.cost?.messages(topology.nodes.length, topology);
        expect(perEntry).toBeGreaterThanOrEqual(bounds?.least ?? Infinity);
        expect(perEntry).toBeLessThanOrEqual(bounds?.most ?? -Infinity);
      }
    });

    everyInterleaving(protocol, explored, mutants);

    hostsAgree(protocol, topologies, workload, small);

    if (whole.length > 0) followsAbstractLock(protocol, whole);
  });
}

/** @param whole the networks on which at most one node may be in the critical section. */
function followsAbstractLock(protocol: Protocol, whole: readonly Topology[]): void {
  it.each([
    ['@xstate/test', XStateTestModel],
    ['xstate/graph', GraphTestModel],
  ])('behaves like the abstract lock on every path of %s', async (_name, TestModel) => {
    for (const topology of whole) {
      const clients = nodesAccepting(protocol, topology, 'acquire');
      if (clients.length < 2 || clients.length > 3) continue;
      const paths = new TestModel(abstractLock, {
        events: (state) => lockEvents(state.context, clients),
      }).getShortestPaths();
      let walked = 0;
      for (const path of paths) {
        const locks = new SettledLock(protocol, topology);
        const act = ({ event }: { readonly event: { readonly type: string } }) => {
          // an event of the chart; the test packages type events by their `type` alone
          if (locks.perform(event as LockEvent)) walked++;
        };
        await path.test({
          events: { acquire: act, release: act },
          states: { '*': (state) => locks.compare(state.context.holder) },
        });
        await locks.close();
      }
      expect(walked).toBeGreaterThan(paths.length);
    }
  });
}

/**
 * Embedded nodes; after each command all messages are delivered, so that only the lock is observed.
 */
class SettledLock {
  readonly #network;
  readonly #perpetual: boolean;
  /** The same for all nodes, so that all entries conflict. */
  readonly #command: Command;
  readonly #nodes;
  /** The protocol chose another successor than the path. Both are correct; this path ends here. */
  #diverged = false;

  constructor(
    protocol: Protocol,
    private readonly topology: Topology,
  ) {
    this.#perpetual = protocol.perpetual ?? false;
    this.#command = optionalCommands(protocol)[0] ?? { type: 'acquire' };
    this.#network = handStepped(topology, {
      order: 'fifo',
      loss: false,
      duplication: false,
      crashes: 'reported',
    });
    this.#nodes = new Map(
      topology.nodes.map((self) => [
        self,
        embed(protocol, {
          self,
          topology,
          transport: this.#network.transport(self),
          clock: this.#network.clock(self),
        }),
      ]),
    );
  }

  /** True when the protocol follows the path. */
  perform(event: LockEvent): boolean {
    if (this.#diverged) return false;
    const waiting = this.#tagged('waiting');
    if (event.type === 'acquire') this.#nodes.get(event.id)?.send(this.#command);
    else this.#nodes.get(this.#holder() ?? '')?.send({ type: 'release' });
    for (
      let [first] = this.#network.inFlight;
      first && !this.#isServed();
      [first] = this.#network.inFlight
    )
      this.#network.deliver(first.from, first.to);
    if (event.type !== 'release' || this.#holder() === event.next) return true;
    expect(waiting).toContain(this.#holder());
    this.#diverged = true;
    return false;
  }

  /**
   * Where messages never stop, delivery goes on only as long as a node waits and none has entered.
   */
  #isServed(): boolean {
    return this.#perpetual && (this.#holder() !== null || this.#tagged('waiting').length === 0);
  }

  compare(holder: NodeId | null): void {
    if (!this.#diverged) expect(this.#holder()).toBe(holder);
  }

  async close(): Promise<void> {
    for (const node of this.#nodes.values()) await node.close();
  }

  #holder(): NodeId | null {
    const holders = this.#tagged('critical');
    expect(holders.length).toBeLessThanOrEqual(1);
    return holders[0] ?? null;
  }

  #tagged(tag: string): readonly NodeId[] {
    return this.topology.nodes.filter((id) => this.#nodes.get(id)?.state.tags.has(tag));
  }
}
