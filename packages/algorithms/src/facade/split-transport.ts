import type { Transport } from '@conclave/core/embedding';
import { Inbox } from '@conclave/core/embedding';
import type { Message } from '@conclave/core/protocol';

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
