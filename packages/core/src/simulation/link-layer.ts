import { Subject } from 'rxjs';
import { ConclaveError } from '../base/error.js';
import { reliable } from '../embedding/reliable.js';
import type { Incoming, Transport } from '../embedding/transport.js';
import type { Clock } from '../embedding/wall-clock.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { SimulationOptions } from './options.js';

/** The retransmission timeout and the window of the reliable link. */
export type LinkLayerOptions = Exclude<SimulationOptions['reliable'], boolean | undefined>;

/** What a link layer needs of its node. */
interface Ends {
  readonly clock: Clock;
  /** Puts a frame on the channel to `to`. */
  readonly transmit: (to: NodeId, frame: Message) => void;
  /** Hands a message to the node. */
  readonly deliver: (from: NodeId, message: Message) => void;
  /** Called with an error that RxJS would report only after the run. */
  readonly failed: (error: unknown) => void;
}

/**
 * One node's `reliable` transport over its simulated channels; a restarted node gets a new
 * incarnation of it.
 */
export class LinkLayer {
  #incarnation = 0;
  #frames = new Subject<Incoming>();
  #transport: Transport;

  constructor(
    private readonly self: NodeId,
    private readonly options: LinkLayerOptions,
    private readonly ends: Ends,
  ) {
    this.#transport = this.#open();
  }

  send(to: NodeId, message: Message): void {
    this.#transport.send(to, message);
  }

  receive(from: NodeId, frame: Message): void {
    this.#frames.next({ from, message: frame });
  }

  close(): void {
    void this.#transport.close();
  }

  reopen(): void {
    this.#frames = new Subject();
    this.#transport = this.#open();
  }

  #open(): Transport {
    const close = async () => {};
    const channels: Transport = {
      self: this.self,
      guarantees: { order: 'any', loss: true, duplication: true },
      received$: this.#frames,
      send: this.ends.transmit,
      close,
      [Symbol.asyncDispose]: close,
    };
    const { clock } = this.ends;
    const transport = reliable(channels, {
      ...this.options,
      clock,
      incarnation: this.#incarnation++,
      drainFor: 0,
    }); // a node closes it by its crash
    transport.errors$?.subscribe((error) => this.ends.failed(error));
    transport.received$.subscribe(({ from, message }) => {
      try {
        this.ends.deliver(from, message as Message); // the other end sent what its node sent
      } catch (error) {
        this.ends.failed(error);
      }
    });
    return transport;
  }
}

/**
 * @throws {ConclaveError} `bad-topology` for a one-way link: acknowledgements need a channel back.
 */
export function requireTwoWayLinks(
  links: readonly { readonly from: NodeId; readonly to: NodeId }[],
  has: (from: NodeId, to: NodeId) => boolean,
): void {
  const oneWay = links.find(({ from, to }) => !has(to, from));
  if (oneWay)
    throw new ConclaveError(
      'bad-topology',
      `A reliable link needs channels both ways, and ${oneWay.from}→${oneWay.to} has none back`,
      'Its acknowledgements need a channel back: take a network whose links go both ways, or, for a protocol that needs a one-way ring, leave out reliable and let its channels lose and duplicate nothing.',
    );
}
