import type { JournalSource } from '@conclave/check/conform';
import { embed, type Journal, memoryStorage, type StableStorage } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import type { Json, NodeId, Protocol } from '@conclave/core/protocol';
import { Random } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';

export interface RunOptions {
  readonly seed: number;
  readonly steps: number;
  /** In a thousand deliveries. */
  readonly losses?: number;
  readonly duplications?: number;
  /** How many nodes crash and come back. */
  readonly restarts?: number;
  /** Whether a crash loses the last lines of its journal. */
  readonly cutsTails?: boolean;
}

/** A run of embedded nodes on a network in memory, every choice drawn with `seed`: its journals. */
export async function recordedRun(
  protocol: Protocol,
  topology: Topology,
  options: RunOptions,
): Promise<readonly JournalSource[]> {
  const { seed, steps, losses = 0, duplications = 0, restarts = 0, cutsTails = false } = options;
  const draw = drawing(seed);
  const network = handStepped(topology, {
    order: protocol.channels.order,
    loss: false,
    duplication: false,
    crashes: 'reported',
  });
  const files: { name: string; lines: string[] }[] = [];
  const starts = new Map<NodeId, number>();
  const storages = new Map<NodeId, StableStorage>(
    topology.nodes.map((id) => [id, memoryStorage()]),
  );
  const start = (self: NodeId) => {
    const incarnation = (starts.get(self) ?? 0) + 1;
    starts.set(self, incarnation);
    const lines: string[] = [];
    files.push({ name: `${self}.${incarnation}.journal`, lines });
    const journal: Journal = { append: (line) => void lines.push(line), close: async () => {} };
    const storage = storages.get(self);
    const node = embed(protocol, {
      ...(storage && restarts > 0 && { storage }),
      ...{
        self,
        topology,
        journal,
        incarnation,
        transport: network.transport(self),
        clock: network.clock(self),
      },
      choose: (all: readonly Json[]) => all[draw(all.length)] ?? null,
      onError: (error) => {
        throw error;
      },
    });
    return { node, lines };
  };
  const nodes = new Map(topology.nodes.map((id) => [id, start(id)]));
  const commands = Object.entries(protocol.commands).flatMap(([type, { examples = [{}] }]) =>
    examples.map((fields) => ({ ...fields, type })),
  );
  let left = restarts;
  for (let step = 0; step < steps; step++) {
    if (left > 0 && step >= ((restarts - left + 1) * steps) / (restarts + 1)) {
      left--;
      const id = topology.nodes[draw(topology.nodes.length)] ?? '';
      const crashed = nodes.get(id);
      await crashed?.node.close();
      crashed?.lines.pop(); // a crash does not close its journal
      if (cutsTails) crashed?.lines.splice(-3);
      nodes.set(id, start(id));
    }
    const { inFlight } = network;
    const heads = inFlight.filter(
      ({ from, to }, index) =>
        protocol.channels.order === 'any' ||
        inFlight.findIndex((other) => other.from === from && other.to === to) === index,
    );
    const timers = topology.nodes.flatMap((id) =>
      network.timers(id).map((timer) => ({ id, timer })),
    );
    const orders = topology.nodes.flatMap((id) =>
      commands
        .filter((command) => nodes.get(id)?.node.takes(command))
        .map((command) => ({ id, command })),
    );
    const kind = draw(10);
    const message = heads[draw(heads.length)];
    const timer = timers[draw(timers.length)];
    const order = orders[draw(orders.length)];
    if (kind < 6 && message) {
      const { from, to } = message;
      if (draw(1000) < losses) network.drop(from, to, message.message);
      else {
        if (draw(1000) < duplications) network.duplicate(from, to, message.message);
        network.deliver(from, to, message.message);
      }
    } else if (kind < 8 && timer) network.fire(timer.id, timer.timer);
    else if (order) nodes.get(order.id)?.node.send(order.command);
    else if (!message && !timer) break;
  }
  for (const { node } of nodes.values()) await node.close();
  return files.map(({ name, lines }) => ({ name, text: `${lines.join('\n')}\n` }));
}

/** Numbers below `most`, the same for the same seed. */
export function drawing(seed: number): (most: number) => number {
  const random = new Random(seed);
  return (most) => random.below(most);
}
