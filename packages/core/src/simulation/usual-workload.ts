import type { NodeId } from '../protocol/node.js';
import { optionalCommands } from '../protocol/optional-commands.js';
import type { Protocol } from '../protocol/protocol.js';
import {
  type Commands,
  closedLoop,
  drawn,
  idle,
  idleFor,
  ignoring,
  type LoopOptions,
  oneShot,
  type Workload,
} from './workload.js';

/**
 * What the application of a protocol usually does. Competitors enter the critical section `entries`
 * times each. In any other protocol each node that may get the first optional command gets it once,
 * at once; or each of `nodes`. Of a command with fields, each gets one of its examples, which is
 * drawn. Without optional commands nothing is commanded.
 *
 * @throws {ConclaveError} `bad-input` for invalid options.
 * @example simulate({ protocol, topology, workload: usualWorkload(protocol) })
 */
export function usualWorkload(
  protocol: Protocol,
  {
    lasts = 1000,
    ...options
  }: LoopOptions & {
    /**
     * Of a perpetual protocol without optional commands: how long it runs, in virtual
     * milliseconds. Default 1000.
     */
    readonly lasts?: number;
  } = {},
): Workload {
  const { nodes, inputs } = options;
  if ('acquire' in protocol.commands && 'release' in protocol.commands) return closedLoop(options);
  const [first, ...others] = inputs ?? optionalCommands(protocol);
  if (first !== undefined) {
    const commands: Commands = [first, ...others.filter(({ type }) => type === first.type)];
    return nodes ? toEach(nodes, commands) : toAll(protocol, commands);
  }
  return protocol.perpetual ? idleFor(lasts) : idle; // its messages never end
}

/** Gives one of `commands` at once to each of `nodes`. */
const toEach =
  (nodes: readonly NodeId[], commands: Commands): Workload =>
  (application) => {
    for (const id of nodes) oneShot(drawn(application, commands), { nodes: [id] })(application);
    return ignoring;
  };

/**
 * Gives one of `commands` at once to each node that accepts it, and that may get it now: no
 * multicast to a node that is no member yet.
 */
function toAll(protocol: Protocol, commands: Commands): Workload {
  const [{ type }] = commands;
  const { when = () => true } = protocol.commands[type] ?? {};
  return (application) => {
    const accepting: ReadonlySet<NodeId> = new Set(application.nodesAccepting(type));
    for (const node of application.nodes.filter(({ id }) => accepting.has(id)))
      application.later(
        { kind: 'fixed', ms: 0 },
        () => when(node) && application.tell(node.id, drawn(application, commands)),
      );
    return ignoring;
  };
}
