import { embed } from '@conclave/core/embedding';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal';
import { handStepped } from '@conclave/core/internal/embedding';
import type { Command, NodeId, Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { sampled } from '@conclave/tools/sample';
import { TestModel as XStateTestModel } from '@xstate/test';
import { describe, expect, it } from 'vitest';
import { assertEvent, setup } from 'xstate';
import { TestModel as GraphTestModel } from 'xstate/graph';
import { type Explored, everyInterleaving, type Mutant } from '../contract/explored.contract.js';
import { costsItsFormula, holdsInSeededRuns } from '../contract/problem.contract.js';
import { type SmallSystem, sharedContract } from '../contract/shared.contract.js';
import { conditionsFor } from '../contract/sweep.contract.js';

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
  /** Known-wrong versions of the protocol, which the explorer must refute. */
  readonly mutants?: Readonly<Record<string, Mutant>>;
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
    holdsInSeededRuns('is safe and live', protocol, topologies, workload);

    it('each request leads to one entry', () => {
      for (const topology of topologies) {
        const { exclusion } = simulate({ protocol, topology, workload: workload() });
        for (const id of nodesAccepting(protocol, topology, 'acquire'))
          expect(exclusion.entries.filter(({ node }) => node === id)).toHaveLength(entries);
      }
    });

    costsItsFormula(protocol, costs, workload, conditionsFor(protocol).slice(-1));

    everyInterleaving(protocol, explored, mutants);

    sharedContract(protocol, topologies, workload, small);

    if (whole.length > 0) followsAbstractLock(protocol, whole);
  });
}

/** @param whole the networks on which at most one node may be in the critical section. */
function followsAbstractLock(protocol: Protocol, whole: readonly Topology[]): void {
  const models = [
    ['@xstate/test', XStateTestModel],
    ['xstate/graph', GraphTestModel],
  ] as const;
  it.each(sampled(models, 1))(
    'behaves like the abstract lock on every path of %s',
    async (_name, TestModel) => {
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
    },
  );
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

// Mutual exclusion without a network: every protocol of this problem must look like this from
// outside when no message is in transit.

/** `release` names the next holder: the protocol chooses it among the waiting nodes. */
type LockEvent =
  | { readonly type: 'acquire'; readonly id: NodeId }
  | { readonly type: 'release'; readonly next: NodeId | null };

interface LockContext {
  readonly holder: NodeId | null;
  /** In alphabetical order: the problem does not determine the next holder. */
  readonly waiting: readonly NodeId[];
}

const lock = setup({ types: {} as { context: LockContext; events: LockEvent } });

const enter = lock.assign(({ event }) => {
  assertEvent(event, 'acquire');
  return { holder: event.id };
});

const wait = lock.assign(({ context, event }) => {
  assertEvent(event, 'acquire');
  return { waiting: [...context.waiting, event.id].sort() };
});

const handOver = lock.assign(({ context, event }) => {
  assertEvent(event, 'release');
  return { holder: event.next, waiting: context.waiting.filter((id) => id !== event.next) };
});

const leave = lock.assign({ holder: null });

const abstractLock = lock
  .extend({
    actions: { enter, wait, handOver, leave },
    guards: { noNodeWaits: ({ context }) => context.waiting.length === 0 },
  })
  .createMachine({
    id: 'abstract-lock',
    context: { holder: null, waiting: [] },
    initial: 'idle',
    states: {
      idle: { on: { acquire: { target: 'held', actions: 'enter' } } },
      held: {
        on: {
          acquire: { actions: 'wait' },
          release: [
            { guard: 'noNodeWaits', target: 'idle', actions: 'leave' },
            { actions: 'handOver' },
          ],
        },
      },
    },
  });

/** The possible next events of the lock among `nodes`. */
function lockEvents({ holder, waiting }: LockContext, nodes: readonly NodeId[]): LockEvent[] {
  const idle = nodes.filter((id) => id !== holder && !waiting.includes(id));
  const acquires = idle.map((id): LockEvent => ({ type: 'acquire', id }));
  if (holder === null) return acquires;
  const next: readonly (NodeId | null)[] = waiting.length > 0 ? waiting : [null];
  return [...acquires, ...next.map((id): LockEvent => ({ type: 'release', next: id }))];
}
