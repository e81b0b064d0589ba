import { type EmbedOptions, embed } from '@conclave/core/embedding';
import { surroundingsOf } from '@conclave/core/internal/embedding';
import { checkOptions, schemas } from '@conclave/core/internal/options';
import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { Subject } from 'rxjs';
import { Delays } from '../delays.js';
import { errorForUser } from '../error-for-user.js';
import { Connections } from '../health.js';
import { withReports } from '../reporting-transport.js';
import { startedFrom } from '../stable.js';
import { GroupMember } from './group-member.js';
import type { Group } from './member.js';

/** As for `embed`: the node, the other nodes, and how it reaches them. */
export type GroupOptions = EmbedOptions & {
  /**
   * For a protocol that assumes a network which reports crashes: reports a node that is silent,
   * such as `heartbeat({ period, timeout })`, over the same transport. All nodes must give one. Its
   * time-out must be longer than any silence of a live node: a member that is suspected by mistake
   * is excluded, and ends when it learns of it; until then it may go on in its old view. Where the
   * network is split, each part goes on by itself.
   */
  readonly detector?: Protocol;
  /**
   * Hands the state of the application to newcomers, with `membership({ stateTransfer: true })`.
   * `get` is called at a member and `set` at each newcomer, both with the same messages delivered
   * before, so apply deliveries at once: in a subscriber of `deliveries$`, not in an iteration.
   * Default: they get none.
   */
  readonly state?: { get(): Json; set(state: Json): void };
  /**
   * For a node that starts again: what {@link Group.stable} was. Without it, a node that comes back
   * takes itself for a founder of the group.
   */
  readonly stable?: Readonly<Record<string, Json>>;
};

/**
 * A group of several programs that multicast messages to each other, by any protocol that has the
 * command `multicast`.
 *
 * What the members may rely on is what the protocol promises: that all live members deliver the
 * same messages, in which order, and in which views. Where the protocol has views, the node joins
 * the group if it is no founder; where it has none, all nodes are members for good.
 *
 * @throws {ConclaveError} `bad-input` for a protocol without multicasts, and as `embed`.
 * @example await using chat = group(membership(), { self: 'a', peers: ['b', 'c'], transport,
 * detector: heartbeat({ period: 1000, timeout: 5000 }) }); chat.deliveries$.subscribe(({ from, data
 * }) => console.log(from, data)); await chat.multicast('hello');
 */
export function group(protocol: Protocol, options: GroupOptions): Group {
  checkOptions('group', schemas.protocolGiven, { protocol });
  checkOptions('group', groupOptions, options);
  requireMulticast(protocol);
  const { detector, state, stable, ...embedding } = options;
  if (state && protocol.options?.stateTransfer !== true)
    throw new ConclaveError(
      'bad-input',
      `${protocol.title}, with these options, hands over no state`,
      'Try membership({ stateTransfer: true }).',
    );
  const { self, clock, onError = console.error } = embedding;
  const topology = surroundingsOf(self, options);
  const started = startedFrom(stable, protocol);
  const delays = new Delays(started, topology, new Connections(options.transport));
  const reportFor = (whose: Protocol) => (error: ConclaveError) => {
    delays.heard(error);
    onError(errorForUser(error, whose, 'group'));
  };
  const report = reportFor(protocol);
  const excluded = new Subject<void>();
  const surroundings = {
    onReported: () => excluded.next(),
    onError: detector ? reportFor(detector) : report,
  };
  const node = withReports(protocol, embedding, detector, surroundings, (watched) =>
    embed(started, { ...watched, onError: report }),
  );
  return new GroupMember(started, node, topology.nodes, {
    clock: clock ?? globalThis,
    delays,
    excluded,
    report,
    ...(state && { state }),
  });
}

function requireMulticast({ title, problem, commands }: Protocol): void {
  if (commands.multicast?.fields?.join() !== 'data')
    throw new ConclaveError(
      'bad-input',
      `${title} solves '${problem}'; a group needs a protocol with the command multicast(data)`,
      'Try membership(); for a lock, call lock(protocol, options).',
    );
}

const { optional, optionsOf } = schemas;
const groupOptions = optionsOf<GroupOptions>({
  ...schemas.embedEntries,
  detector: optional(schemas.protocol),
  state: optional(schemas.fields),
  stable: optional(schemas.fields),
});
