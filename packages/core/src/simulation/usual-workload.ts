import { competes } from '../protocol/competes.js';
import type { Command, NodeId } from '../protocol/node.js';
import { optionalCommands } from '../protocol/optional-commands.js';
import type { Protocol } from '../protocol/protocol.js';
import { closedLoop, idle, idleFor, type LoopOptions, oneShot, type Workload } from './workload.js';

export interface UsualOptions extends LoopOptions {
  /** Of a perpetual protocol without optional commands: how long it runs, in virtual milliseconds. Default 1000. */
  readonly lasts?: number;
}

/**
 * What the application of a protocol usually does. Competitors enter the critical section `entries` times each. In any other protocol each node
 * that may get the first optional command gets it once, at once; or each of `nodes`. Without optional commands nothing is commanded.
 *
 * @throws {ConclaveError} `bad-input` for invalid options.
 * @example simulate({ protocol, topology, workload: usualWorkload(protocol) })
 */
export function usualWorkload(protocol: Protocol, { lasts = 1000, ...options }: UsualOptions = {}): Workload {
  const { nodes, inputs } = options;
  if (competes(protocol)) return closedLoop(options);
  const [command] = inputs ?? optionalCommands(protocol);
  if (command !== undefined) return nodes ? oneShot(command, { nodes }) : toAll(protocol, command);
  return protocol.perpetual ? idleFor(lasts) : idle; // its messages never end
}

/** Gives the command at once to each node that accepts it, and that may get it now: no multicast to a node that is no member yet. */
function toAll({ commands }: Protocol, command: Command): Workload {
  const { when = () => true } = commands[command.type] ?? {};
  return (application) => {
    const accepting: ReadonlySet<NodeId> = new Set(application.nodesAccepting(command.type));
    for (const node of application.nodes.filter(({ id }) => accepting.has(id)))
      application.later({ kind: 'fixed', ms: 0 }, () => when(node) && application.tell(node.id, command));
    return () => {};
  };
}
