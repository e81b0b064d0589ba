import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { Simulation, type Workload } from '@conclave/core/simulation';
import { traceText } from '@conclave/core/trace';
import { sampled } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { catalogue } from '../catalogue.js';

/**
 * Gives each node each optional command at two random moments, and each obligatory one soon after
 * it becomes due.
 */
const everyCommand =
  (protocol: Protocol): Workload =>
  ({ nodes, nodesAccepting, random, examples, later, tell }) => {
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const due = new Set<string>();
    const kinds = Object.entries(protocol.commands);
    const give = (id: string, type: string) => {
      const { when } = protocol.commands[type] ?? {};
      const node = byId.get(id);
      const commands = examples(type);
      if (node && commands.length > 0 && !node.crashed && (!when || when(node)))
        tell(id, random.pick(commands));
    };
    for (const [type, { kind }] of kinds)
      if (kind === 'optional')
        for (const id of nodesAccepting(type))
          for (let time = 0; time < 2; time++)
            later({ kind: 'uniform', least: 0, most: 300 * (1 + time) }, () => give(id, type));
    return (node) => {
      for (const [type, { kind, when }] of kinds) {
        const key = `${node.id} ${type}`;
        if (kind !== 'obligatory' || due.has(key) || node.crashed || when?.(node) !== true)
          continue;
        due.add(key);
        const delay = 1 + random.below(9);
        later({ kind: 'fixed', ms: delay }, () => {
          due.delete(key);
          give(node.id, type);
        });
      }
    };
  };

type Options = ConstructorParameters<typeof Simulation>[0];
/** `bare`: without properties and subscribers. */
type Scenario = Pick<Options, 'conditions' | 'faults' | 'record' | 'confirm'> & {
  readonly bare?: boolean;
};

const scenarios = (
  node: string,
  others: readonly string[],
): Readonly<Record<string, Scenario>> => ({
  'delays that differ': {
    conditions: { order: 'fifo', delay: { kind: 'exponential', mean: 10 } },
    record: true,
    confirm: 'all',
  },
  'loss and duplication': {
    conditions: {
      order: 'any',
      delay: { kind: 'normal', mean: 8, deviation: 8 },
      loss: 0.05,
      duplication: 0.1,
    },
    record: true,
  },
  'a crash and a restart': {
    conditions: {
      order: 'fifo',
      delay: { kind: 'link', jitter: { kind: 'uniform', least: 0, most: 9 } },
    },
    faults: [
      { kind: 'crash', node, at: 80, restartAfter: 150 },
      { kind: 'crash', node: others[0] ?? node, at: 200, probability: 0.5 },
    ],
    record: true,
  },
  'a partition, and other conditions later': {
    faults: [
      { kind: 'partition', groups: [[node], others], at: 60, until: 160 },
      { kind: 'partition', groups: [[node, ...others.slice(1)], others.slice(0, 1)], at: 100 },
      {
        kind: 'conditions',
        at: 150,
        change: { order: 'any', loss: 0.1, delay: { kind: 'uniform', least: 1, most: 30 } },
      },
      { kind: 'conditions', at: 220, change: { order: 'fifo' } },
    ],
    bare: true,
  },
});

/**
 * All that a run shows: its result but for the host, its trace, and what its streams say; or the
 * error that refuses it.
 */
function shown(protocol: Protocol, scenario: string, seed: number, host: 'compiled' | 'actors') {
  const topology = protocol.topology.example(4);
  const [node = '', ...others] = topology.nodes;
  // named by its key
  const { bare = false, ...rest } = scenarios(node, others)[scenario] as Scenario;
  const workload = everyCommand(protocol);
  const options = {
    protocol,
    topology,
    seed,
    host,
    workload,
    until: { steps: 250, time: 2_000 },
    ...rest,
    ...(bare ? { properties: [] } : {}),
  };
  const told: unknown[] = [];
  try {
    const simulation = new Simulation(options);
    if (!bare) {
      simulation.messages$.subscribe((delivery) => told.push(delivery));
      simulation.snapshots$.subscribe(({ id, value, tags }) =>
        told.push([id, value, [...tags].sort(), simulation.system.inFlight()]),
      );
    }
    const { host: ran, hostReason, confirmed, trace, ...result } = simulation.run();
    return {
      ran,
      hostReason,
      confirmed,
      steps: result.steps,
      bytes: JSON.stringify(result) + (trace ? traceText(trace) : ''),
      told: JSON.stringify(told),
    };
  } catch (error) {
    if (error instanceof ConclaveError) return { refused: error.message };
    throw error;
  }
}

const protocols = catalogue.flatMap(({ id, make, charted }) =>
  [{}, ...charted].map((options) => [`${id} ${JSON.stringify(options)}`, make(options)] as const),
);

it.each(protocols)(
  'compiled machines in columns and XState actors over RxJS channels make the same run %s',
  (name, protocol) => {
    for (const scenario of sampled(Object.keys(scenarios('', [])), 1)) {
      const { ran, hostReason, confirmed, ...compiled } = shown(
        protocol,
        scenario,
        name.length,
        'compiled',
      );
      const {
        ran: byActors,
        hostReason: reason,
        confirmed: none,
        ...actors
      } = shown(protocol, scenario, name.length, 'actors');
      expect(compiled, scenario).toEqual(actors);
      if ('refused' in compiled) continue;
      expect([ran, hostReason, byActors, none]).toEqual([
        'compiled',
        undefined,
        'actors',
        undefined,
      ]);
      if (scenario === 'delays that differ') expect(confirmed).toBe(compiled.steps);
    }
  },
);
