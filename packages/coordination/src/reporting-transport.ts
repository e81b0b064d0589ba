/**
 * A failure detector beside a protocol that has none. Both use one transport, which is split in
 * two; the node that the detector suspects is reported to the protocol by a message.
 */
import { type EmbedOptions, embed, Inbox, type Transport } from '@conclave/core/embedding';
import { surroundingsOf, verified } from '@conclave/core/internal/embedding';
import { ConclaveError, type Message, type NodeId, type Protocol } from '@conclave/core/protocol';
import { tap } from 'rxjs';

/** The name of the detector in the messages, as in a protocol that has one as a part. */
export const detectorPart = 'detector';

/**
 * @throws {ConclaveError} `bad-input` for a detector that is none, or one beside a protocol with
 * its own.
 */
export function requireDetector(detector: Protocol, { title, messages }: Protocol): void {
  requireProblem(detector, 'failure-detection', 'a detector', 'Try heartbeat().');
  if (Object.keys(messages).some((type) => type.startsWith(`${detectorPart}-`)))
    throw new ConclaveError(
      'bad-input',
      `${title} has a failure detector of its own`,
      'Leave out the option detector.',
    );
}

/** @throws {ConclaveError} `bad-input` for a protocol of another problem. */
export function requireProblem(
  { title, problem }: Protocol,
  wanted: string,
  what: string,
  cure: string,
): void {
  if (problem !== wanted)
    throw new ConclaveError(
      'bad-input',
      `${title} solves '${problem}'; ${what} needs a protocol for '${wanted}'`,
      cure,
    );
}

type Surroundings = Pick<EmbedOptions, 'onError'> & {
  /** Called when another node has reported this one. */
  readonly onReported: () => void;
};

/**
 * What `make` makes of `options`, over whose transport `detector`, if it is given, reports crashes
 * as `protocol` assumes. Where `make` fails, the detector stops and the transport is closed.
 *
 * @throws {ConclaveError} `assumption` where nothing reports crashes; `bad-input` for a detector
 * that is none, or that the protocol does not need.
 */
export function withReports<T>(
  protocol: Protocol,
  options: EmbedOptions,
  detector: Protocol | undefined,
  surroundings: Surroundings,
  make: (options: EmbedOptions) => T,
): T {
  const { title, crashNotice } = protocol;
  if (!detector) {
    if (crashNotice === undefined || options.transport.guarantees.crashes === 'reported')
      return make(options);
    throw new ConclaveError(
      'assumption',
      `${title} assumes a network that reports crashes, and the transport does not`,
      'Give the option detector, such as heartbeat({ period: 1000, timeout: 5000 }), at all nodes.',
    );
  }
  requireDetector(detector, protocol);
  if (crashNotice === undefined)
    throw new ConclaveError(
      'bad-input',
      `${title} does not need reports of crashes`,
      'Leave out the option detector.',
    );
  const topology = surroundingsOf(options.self, options);
  const protocols = [protocol, detector] as const;
  const checked = verified(options.transport, { ...options, protocols, topology });
  const { nodes } = topology;
  const { clock } = options;
  const reporting = reportingTransport(checked.transport, crashNotice, detector, {
    ...surroundings,
    nodes,
    ...(clock && { clock }),
  });
  try {
    return make({ ...options, ...checked, transport: reporting });
  } catch (error) {
    void reporting.close(); // otherwise the detector goes on, and this node counts as alive
    throw error;
  }
}

/** Tells a node that it was reported as crashed: if it lives, it must stop. */
const suspicionNotice = 'reported';

/**
 * A transport that reports a crash by the message `notice`, when `detector` suspects the node. The
 * messages of a suspected node are dropped, and it is told, so that it stops if it lives: what was
 * reported is then true. A node that has never been heard of is not reported, since it may not have
 * started.
 */
function reportingTransport(
  transport: Transport,
  notice: string,
  detector: Protocol,
  surroundings: Surroundings & Pick<EmbedOptions, 'clock'> & { readonly nodes: readonly NodeId[] },
): Transport {
  const { self, guarantees } = transport;
  const { nodes, onReported, ...embedding } = surroundings;
  const [main, side] = splitTransport(transport, detectorPart);
  const inbox = new Inbox();
  const [heard, suspected] = [new Set<NodeId>(), new Set<NodeId>()];
  const arrivals = main.received$.subscribe((incoming) => {
    if (Object(incoming.message).type === suspicionNotice) onReported();
    else if (!suspected.has(incoming.from)) inbox.put(incoming);
  });
  const listening = { ...side, received$: side.received$.pipe(tap(({ from }) => heard.add(from))) };
  const watch = embed(detector, {
    self,
    peers: nodes.filter((id) => id !== self),
    transport: listening,
    ...embedding,
  });
  watch.notifications$.subscribe((told) => {
    const id = nodeIn(told);
    if (told.type === 'trust') suspected.delete(id);
    if (told.type !== 'suspect' || !heard.has(id)) return;
    suspected.add(id);
    main.send(id, { type: suspicionNotice });
    inbox.put({ from: id, message: { type: notice } });
  });
  let closed: Promise<void> | undefined;
  const end = async () => {
    arrivals.unsubscribe();
    inbox.close();
    await Promise.all([watch.close(), main.close()]);
  };
  const close = () => {
    closed ??= end();
    return closed;
  };
  return {
    ...main,
    guarantees: { ...guarantees, crashes: 'reported' },
    received$: inbox.items$,
    get awaited() {
      return main.awaited ?? [];
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The node that a detector tells of. */
const nodeIn = (told: Message): NodeId => ('node' in told ? String(told.node) : '');

type Incoming = Parameters<Inbox['put']>[0];

/**
 * Two transports over one: what the second sends has the prefix `name-`. Both ends must split.
 * Closing both closes the one.
 */
export function splitTransport(
  transport: Transport,
  name: string,
): readonly [main: Transport, side: Transport] {
  const prefix = `${name}-`;
  const inboxes = [new Inbox(), new Inbox()] as const;
  const [main, side] = inboxes;
  const arrivals = transport.received$.subscribe((incoming) => {
    const message = withoutPrefix(incoming, prefix);
    if (message) side.put({ ...incoming, message });
    else main.put(incoming);
  });
  let open = inboxes.length;
  const part = (inbox: Inbox, outer: (message: Message) => Message): Transport => {
    let closed: Promise<void> | undefined;
    const close = () => {
      closed ??= end();
      return closed;
    };
    const end = async () => {
      inbox.close();
      if (--open > 0) return;
      arrivals.unsubscribe();
      await transport.close();
    };
    const { self, guarantees, errors$, status$, peers$, admitted, verified = false } = transport;
    return {
      self,
      guarantees,
      received$: inbox.items$,
      ...(errors$ && inbox === main && { errors$ }),
      ...(status$ && { status$ }),
      ...(peers$ && { peers$ }),
      ...(admitted && { admitted }),
      verified,
      get awaited() {
        return transport.awaited ?? [];
      },
      send: (to, message) => transport.send(to, outer(message)),
      close,
      [Symbol.asyncDispose]: close,
    };
  };
  return [
    part(main, (message) => message),
    part(side, (message) => ({ ...message, type: prefix + message.type })),
  ];
}

/** The message of the second transport; undefined for one of the first. */
function withoutPrefix({ message }: Incoming, prefix: string): Message | undefined {
  if (
    typeof message !== 'object' ||
    message === null ||
    !('type' in message) ||
    typeof message.type !== 'string'
  )
    return undefined;
  return message.type.startsWith(prefix)
    ? { ...message, type: message.type.slice(prefix.length) }
    : undefined;
}
