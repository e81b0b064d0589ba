import { badInput, type ConclaveError } from '../base/error.js';
import type { Random } from '../base/random.js';
import { conditions } from '../channel/conditions.js';
import { compile } from '../protocol/compiled/compile.js';
import { violatedBy } from '../protocol/handles.js';
import type { NodeId } from '../protocol/node.js';
import type { Trace } from '../trace/trace.js';
import { ActorNetwork } from './actor-network.js';
import { ColumnNetwork } from './column-network.js';
import type { Loads, Network, NetworkListener, NetworkOptions } from './network.js';
import type { Observer } from './observer.js';
import type { Host, SimulationOptions } from './options.js';
import { faultText, type SimulationResult } from './result.js';

/** How a run ended. */
interface End {
  /** How a machine broke the node contract. */
  readonly broken: ConclaveError | undefined;
  /** Why it ended, if no property was violated. */
  readonly ended: SimulationResult['ended'];
  /** Virtual milliseconds. */
  readonly time: number;
  readonly chosen: ChosenHost;
}

/** The result of a run. @param again runs it again for its trace, where it was not recorded. */
export function resultOf(
  options: SimulationOptions,
  end: End,
  observer: Observer,
  again: () => Trace | undefined,
): SimulationResult {
  const { protocol, topology, seed = 1, record, reliable } = options;
  const { network, system, monitor, exclusion, traffic } = observer;
  const fault = end.broken && faultText(end.broken, `at ${end.time.toFixed(3)} ms, seed ${seed}`);
  const stopped = fault !== undefined || monitor.violated !== undefined;
  const complete = !stopped && (end.ended === 'quiescent' || end.ended === 'served');
  const rules = end.broken
    ? [{ name: violatedBy(end.broken), kind: 'always', verdict: 'violated' } as const]
    : [];
  const properties = [...monitor.finish(complete), ...rules];
  const violated = properties.find(({ verdict }) => verdict === 'violated');
  const [leader, ...rivals] = system.tagged('leader');
  const trace = record ? traceOf(options, observer, fault) : violated ? again() : undefined;
  const load = loadOf(topology.nodes, network.loads);
  return {
    protocol: protocol.name,
    topology: topology.spec,
    nodes: topology.nodes.length,
    seed,
    ...end.chosen,
    ...(network.confirmed === undefined ? {} : { confirmed: network.confirmed }),
    virtualMs: end.time,
    steps: observer.steps,
    ...traffic.figures(Boolean(reliable)),
    get load() {
      return load();
    },
    exclusion: exclusion.figures(),
    ...(leader && rivals.length === 0 ? { leader: leader.id } : {}),
    properties,
    complete,
    ended: stopped ? 'violation' : end.ended,
    ...(violated ? { violated: violated.name } : {}),
    ...(fault === undefined ? {} : { fault }),
    ...(trace ? { trace } : {}),
  };
}

/**
 * The load of each node, made on the first call: a result that is kept does not keep the network.
 */
function loadOf(ids: readonly NodeId[], { sent, received }: Loads): () => SimulationResult['load'] {
  let load: SimulationResult['load'] | undefined;
  return () => {
    load ??= Object.fromEntries(
      ids.map((id, node) => [id, { sent: sent[node] ?? 0, received: received[node] ?? 0 }]),
    );
    return load;
  };
}

function traceOf(
  { seed = 1, conditions: given }: SimulationOptions,
  { recorder }: Observer,
  fault: string | undefined,
): Trace {
  const { header, lines } = recorder.trace(seed, conditions(given));
  return { header: fault === undefined ? header : new Map([...header, ['fault', fault]]), lines };
}

/** What runs the nodes, and for actors, why. */
export interface ChosenHost {
  readonly host: Host;
  readonly hostReason?: string;
}

/**
 * What runs the nodes of a simulation.
 * @throws {ConclaveError} `bad-input` where compiled machines are wanted and cannot run it.
 */
export function hostFor({ host, protocol, reliable = false }: SimulationOptions): ChosenHost {
  if (host === 'actors') return { host, hostReason: "host: 'actors' was asked for" };
  const reason =
    reliable === false ? uncompiled(protocol) : 'the reliable link stands on RxJS channels';
  if (reason === undefined) return { host: 'compiled' };
  if (host === 'compiled')
    throw badInput(
      `The nodes cannot run on compiled machines: ${reason}`,
      "Leave out host, or give 'actors'.",
    );
  return { host: 'actors', hostReason: reason };
}

/** Why a protocol does not run on compiled machines. */
function uncompiled({ roles }: SimulationOptions['protocol']): string | undefined {
  for (const [name, { machine }] of Object.entries(roles)) {
    const { uncompiled: reason } = compile(machine);
    if (reason !== undefined)
      return `the machine of role '${name}' ${reason}, which is not compiled`;
  }
  return undefined;
}

/** The network of a simulation. `random`: that of the whole run. */
export function networkOf(
  host: Host,
  { reliable = false, confirm = 'sample' }: SimulationOptions,
  parts: NetworkOptions,
  random: Random,
  listener: NetworkListener,
): Network {
  if (host === 'compiled')
    return new ColumnNetwork(
      { ...parts, confirm, sampling: random.fork('confirmation') },
      listener,
    );
  return new ActorNetwork(
    { ...parts, reliable: reliable === true ? {} : reliable || undefined },
    listener,
  );
}
