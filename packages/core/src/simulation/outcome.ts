/**
 * What a simulation has found, as its result. Whether nothing more can happen decides what the
 * properties of runs mean: a run that was cut, or whose machine failed, proves nothing about what
 * would have come.
 */
import type { ConclaveError } from '../base/error.js';
import { conditions } from '../channel/conditions.js';
import { violatedBy } from '../protocol/handles.js';
import type { NodeId } from '../protocol/node.js';
import type { Trace } from '../trace/trace.js';
import type { ChosenHost } from './host.js';
import type { Loads } from './network.js';
import type { Observer } from './observer.js';
import type { SimulationOptions } from './options.js';
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
