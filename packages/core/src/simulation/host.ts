/**
 * Which of two hosts runs the nodes of a simulation. XState's actors over RxJS channels are the
 * definition; compiled machines over typed columns take the same steps ten times as fast, and are
 * chosen where they can run a protocol. Both give the same bytes.
 */
import { badInput } from '../base/error.js';
import type { Random } from '../base/random.js';
import { compile } from '../protocol/compiled/compile.js';
import { ActorNetwork } from './actor-network.js';
import { ColumnNetwork } from './column-network.js';
import type { Network, NetworkListener, NetworkOptions } from './network.js';
import type { Host, SimulationOptions } from './options.js';

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
