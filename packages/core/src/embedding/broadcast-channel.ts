import type { NodeId } from '../protocol/node.js';
import { Inbox, transportClosed } from './inbox.js';
import { isRecord, type Transport } from './transport.js';

interface Frame {
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: unknown;
}

/**
 * Carries messages over the `BroadcastChannel` called `name`: between tabs of one origin, or
 * workers of one process.
 *
 * A tab that is loaded again is a new process. The channel loses what is sent to a node that is not
 * there yet, so most protocols need `reliable(broadcastChannelTransport(…))`. Each program on the
 * channel hears everything and may claim any name: use it among programs that trust each other,
 * each with its own id.
 */
export function broadcastChannelTransport(self: NodeId, name: string): Transport {
  const channel = new BroadcastChannel(name);
  const inbox = new Inbox();
  let closed = false;
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    if (isFrame(data) && data.to === self) inbox.put({ from: data.from, message: data.message });
  };
  const close = async () => {
    closed = true;
    channel.close();
    inbox.close();
  };
  return {
    self,
    guarantees: { order: 'fifo', loss: true, duplication: false, restarts: true },
    received$: inbox.items$,
    send: (to, message) => {
      if (closed) throw transportClosed(self, message);
      const frame: Frame = { from: self, to, message };
      channel.postMessage(frame);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const isFrame = (data: unknown): data is Frame =>
  isRecord(data) && typeof data.from === 'string' && 'to' in data && 'message' in data;
