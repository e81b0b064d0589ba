import { type Medium, type NetworkOptions, NetworkTransport } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import {
  type Envelope,
  envelopeOf,
  type IpcChannel,
  type Item,
  isItem,
  Outbox,
  whenGone,
} from './channel.js';

export interface IpcOptions extends NetworkOptions {
  /** The channel to the process of the hub. Default: `process`, for a child of that process. */
  readonly process?: IpcChannel;
  /** How much may wait to be sent, in bytes. What is sent beyond is dropped. Default 16 MiB. */
  readonly maxQueuedBytes?: number;
  /** How long to wait for the hub at the start, in milliseconds. Default 10,000. */
  readonly connectTimeout?: number;
}

/**
 * How often a node says hello until the hub answers, in milliseconds: the parent may add its child
 * late.
 */
const helloPeriod = 200;

/**
 * A transport for a child process: its parent has an `ipcHub()`, which relays between its children.
 *
 * While the hub is there, nothing is lost, and what one node sends another arrives in order. What
 * is sent to a node that is away is dropped. Most protocols need `reliable(await ipcTransport(…))`.
 * The hub binds each child to its node, so that no child can claim to be another.
 *
 * @throws {ConclaveError} `bad-input`: the process has no IPC channel; `timed-out`: no hub answers
 * within `connectTimeout`; `refused`: the hub does not know this child as `self`.
 * @example reliable(await ipcTransport({ self: 'a', peers: ['b'], network: 'shop' }))
 */
export async function ipcTransport(options: IpcOptions): Promise<NetworkTransport> {
  const {
    self,
    process: channel = process,
    connectTimeout = 10_000,
    maxQueuedBytes = 1 << 24,
  } = options;
  if (!channel.send)
    throw new ConclaveError(
      'bad-input',
      `Node ${self} has no IPC channel to a parent`,
      'Start its process by fork() of node:child_process.',
    );
  const link = new HubLink(options, channel, maxQueuedBytes);
  const transport = new NetworkTransport(options, link);
  try {
    await link.connect(transport, connectTimeout);
  } catch (error) {
    await transport.close();
    throw error;
  }
  return transport;
}

/** The way to the hub. */
class HubLink implements Medium {
  readonly guarantees = { order: 'fifo', loss: true, duplication: false, restarts: true } as const;
  readonly knowsPeers = true;
  readonly dropped = { unreachable: 0, full: 0 };
  readonly #place;
  readonly #outbox: Outbox;
  #transport: NetworkTransport | undefined;
  #up = false;
  #stop: () => void = () => {};
  #settle: ((refusal?: ConclaveError) => void) | undefined;

  constructor(
    { self, network }: NetworkOptions,
    private readonly channel: IpcChannel,
    maxQueuedBytes: number,
  ) {
    this.#place = { network, node: self };
    this.#outbox = new Outbox(channel, maxQueuedBytes);
  }

  connect(transport: NetworkTransport, timeout: number): Promise<void> {
    this.#transport = transport;
    this.channel.on('message', this.#receive);
    this.#stop = whenGone(this.channel, () => this.#disconnected());
    return new Promise<void>((resolve, reject) => {
      const hello = () => void this.#outbox.send({ type: 'hello', ...this.#place });
      const late = () =>
        settle(
          new ConclaveError(
            'timed-out',
            `Node ${this.#place.node} has heard of no hub within ${timeout} ms`,
            "In the parent, call ipcHub().add('node', child).",
          ),
        );
      const timers = [setInterval(hello, helloPeriod), setTimeout(late, timeout)] as const;
      const settle = (refusal?: ConclaveError) => {
        this.#settle = undefined;
        clearInterval(timers[0]);
        clearTimeout(timers[1]);
        if (refusal) reject(refusal);
        else resolve();
      };
      this.#settle = settle;
      hello();
    });
  }

  send(to: NodeId, frame: string): void {
    const { network, node } = this.#place;
    if (!this.#up) this.dropped.unreachable++;
    else if (!this.#outbox.frame([network, node, to, frame])) this.dropped.full++;
  }

  async close(): Promise<void> {
    this.channel.off('message', this.#receive);
    this.#stop();
    await this.#outbox.sendLast({ type: 'bye', ...this.#place });
  }

  readonly #receive = (message: unknown): void => {
    const envelope = envelopeOf(message);
    if (envelope === 'malformed') this.#transport?.refuse('malformed');
    else if (envelope) this.#take(envelope);
  };

  #disconnected(): void {
    const { node } = this.#place;
    this.#lost();
    this.#settle?.(
      new ConclaveError('closed', `The channel of node ${node} to its parent is closed`),
    );
    void this.#transport?.end('the channel to the process of the hub is closed');
  }

  #take(envelope: Envelope): void {
    if (envelope.type === 'frames') {
      for (const item of envelope.items)
        if (this.#isMine(item)) this.#transport?.receive(item[3], item[1]);
    } else if (envelope.type === 'hub') {
      if (envelope.up) void this.#outbox.send({ type: 'hello', ...this.#place });
      else this.#hubLeft();
    } else if (envelope.network === this.#place.network) {
      if (envelope.type === 'peer') {
        const { node: peer, reachable, reason } = envelope;
        this.#transport?.peer({ peer, reachable, ...(reason !== undefined && { reason }) });
      } else if (envelope.node === this.#place.node) this.#answered(envelope);
    }
  }

  /** A process may have several nodes on one channel. */
  #isMine(item: unknown): item is Item {
    if (isItem(item)) return item[0] === this.#place.network && item[2] === this.#place.node;
    this.#transport?.refuse('malformed');
    return false;
  }

  #answered(answer: Envelope): void {
    if (answer.type === 'welcome' && !this.#up) {
      this.#up = true;
      this.#transport?.noPeers('it has not connected to the hub');
      if (this.#settle) this.#settle();
      else this.#transport?.status({ state: 'resumed', gap: true });
    } else if (answer.type === 'refused') {
      const { node } = this.#place;
      const refusal = new ConclaveError(
        'refused',
        `The hub refuses node ${node}: ${answer.reason}`,
        'Add the child under its id.',
      );
      if (this.#settle) this.#settle(refusal);
      else {
        this.#transport?.fail(refusal);
        void this.#transport?.end(answer.reason);
      }
    }
  }

  #hubLeft(): void {
    if (!this.#up) return;
    this.#lost();
    this.#transport?.status({ state: 'down', reason: 'the hub was closed' });
  }

  #lost(): void {
    this.#up = false;
    this.#transport?.noPeers('the hub is away');
  }
}
