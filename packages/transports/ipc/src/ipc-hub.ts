import { EventEmitter } from 'node:events';
import type { NetworkTransport } from '@conclave/core/embedding';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import {
  type Envelope,
  envelopeOf,
  type IpcChannel,
  type Item,
  isItem,
  Outbox,
  type Place,
  whenGone,
} from './channel.js';
import { type IpcOptions, ipcTransport } from './ipc-transport.js';

/** Relays between the nodes in the children of this process, and in this process itself. */
export interface IpcHub extends AsyncDisposable {
  /**
   * Relays for `child`, which has the node `id` in each of its networks, or one of several. A later
   * child with the same id takes the place of the earlier one. A child that disconnects is told to
   * the others as unreachable.
   *
   * @throws {ConclaveError} `bad-input`: the process has no IPC channel; `closed`.
   */
  add(id: NodeId | readonly NodeId[], child: IpcChannel): void;
  /** The transport of a node in this process. */
  transport(options: Omit<IpcOptions, 'process'>): Promise<NetworkTransport>;
  /**
   * What children sent and the hub did not pass on: from a node that is not theirs, or malformed;
   * to a node that is away; and beyond the queue.
   */
  readonly dropped: {
    readonly refused: number;
    readonly unreachable: number;
    readonly full: number;
  };
  /** Tells the children that the hub has left. They continue when another hub adds them. */
  close(): Promise<void>;
}

/**
 * A hub in the parent of the processes that use `ipcTransport`.
 *
 * @example
 * const hub = ipcHub();
 * for (const id of ['a', 'b']) hub.add(id, fork('worker.js', [id]));
 */
export function ipcHub({
  maxQueuedBytes = 1 << 24,
}: {
  /**
   * How much may wait to be sent to one process, in bytes. What is sent beyond is dropped. Default
   * 16 MiB.
   */
  readonly maxQueuedBytes?: number;
} = {}): IpcHub {
  return new Hub(maxQueuedBytes);
}

/** A child, and the nodes that it has opened. */
interface Member {
  readonly ids: Set<NodeId>;
  readonly outbox: Outbox;
  readonly places: Map<string, Place>;
  leave(): void;
}

const keyOf = ({ network, node }: Place): string => JSON.stringify([network, node]);

class Hub implements IpcHub {
  readonly #dropped = { refused: 0, unreachable: 0, full: 0 };
  readonly #members = new Set<Member>();
  /** Where each node is. */
  readonly #present = new Map<string, Member>();
  #closed = false;

  constructor(private readonly maxQueuedBytes: number) {}

  get dropped(): IpcHub['dropped'] {
    return { ...this.#dropped };
  }

  add(id: NodeId | readonly NodeId[], child: IpcChannel): void {
    const ids = [id].flat();
    if (this.#closed)
      throw new ConclaveError('closed', `The hub is closed; it takes no ${ids.join(', ')}`);
    if (!child.send)
      throw new ConclaveError(
        'bad-input',
        `The process of ${ids.join(', ')} has no IPC channel`,
        'Start it by fork() of node:child_process.',
      );
    for (const other of this.#members) this.#release(other, ids);
    const message = (value: unknown) => this.#receive(member, value);
    const member: Member = {
      ids: new Set(ids),
      outbox: new Outbox(child, this.maxQueuedBytes),
      places: new Map(),
      leave: () => {
        child.off('message', message);
        stop();
      },
    };
    child.on('message', message);
    const stop = whenGone(child, () => this.#remove(member, 'its process has disconnected'));
    this.#members.add(member);
    void member.outbox.send({ type: 'hub', up: true }); // asks for hello
  }

  transport(options: Omit<IpcOptions, 'process'>): Promise<NetworkTransport> {
    const [near, far] = pair();
    this.add(options.self, far);
    return ipcTransport({ ...options, process: near });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    for (const { leave } of this.#members) leave();
    await Promise.all(
      [...this.#members].map(({ outbox }) => outbox.sendLast({ type: 'hub', up: false })),
    );
    this.#members.clear();
    this.#present.clear();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #receive(member: Member, message: unknown): void {
    const envelope = envelopeOf(message);
    if (envelope === undefined) return;
    if (envelope === 'malformed') this.#dropped.refused++;
    else if (envelope.type === 'frames')
      for (const item of envelope.items) this.#relay(member, item);
    else if (envelope.type === 'hello') this.#enter(member, envelope);
    else if (envelope.type === 'bye') this.#exit(member, envelope, 'it was closed');
    else this.#dropped.refused++;
  }

  #relay(member: Member, item: Item): void {
    if (!isItem(item) || this.#present.get(keyOf({ network: item[0], node: item[1] })) !== member) {
      this.#dropped.refused++;
      return;
    }
    const to = this.#present.get(keyOf({ network: item[0], node: item[2] }));
    if (!to) this.#dropped.unreachable++;
    else if (!to.outbox.frame(item)) this.#dropped.full++;
  }

  #enter(member: Member, { network, node }: Place): void {
    const place = { network, node };
    if (!member.ids.has(node)) {
      this.#dropped.refused++;
      void member.outbox.send({
        type: 'refused',
        ...place,
        reason: `this process is ${[...member.ids].join(', ') || 'replaced by another'}`,
      });
      return;
    }
    const key = keyOf(place);
    const before = this.#present.get(key);
    void member.outbox.send({ type: 'welcome', ...place });
    if (before === member) return; // it said hello twice
    this.#present.set(key, member);
    member.places.set(key, place);
    this.#tell(place, true);
    for (const other of this.#members)
      for (const { network: itsNetwork, node: peer } of other.places.values())
        if (itsNetwork === network && peer !== node)
          void member.outbox.send({ type: 'peer', network, node: peer, reachable: true });
  }

  #exit(member: Member, { network, node }: Place, reason: string): void {
    const key = keyOf({ network, node });
    if (!member.places.delete(key)) return;
    this.#present.delete(key);
    this.#tell({ network, node }, false, reason);
  }

  /** Tells the other nodes of its network about a node. */
  #tell({ network, node }: Place, reachable: boolean, reason?: string): void {
    const news: Envelope = {
      type: 'peer',
      network,
      node,
      reachable,
      ...(reason !== undefined && { reason }),
    };
    for (const { places, outbox } of this.#members)
      if ([...places.values()].some((place) => place.network === network && place.node !== node))
        void outbox.send(news);
  }

  /** A newer process has these ids. */
  #release(member: Member, ids: readonly NodeId[]): void {
    for (const id of ids) member.ids.delete(id);
    for (const place of [...member.places.values()])
      if (ids.includes(place.node)) this.#exit(member, place, 'a newer process replaces it');
    if (member.ids.size === 0) this.#remove(member, 'a newer process replaces it');
  }

  #remove(member: Member, reason: string): void {
    member.leave();
    this.#members.delete(member);
    for (const place of [...member.places.values()]) this.#exit(member, place, reason);
  }
}

/** A channel within one process. */
class LocalChannel extends EventEmitter implements IpcChannel {
  other: LocalChannel | undefined;

  send(message: object, callback?: (error: Error | null) => void): boolean {
    setImmediate(() => {
      this.other?.emit('message', message);
      callback?.(null);
    });
    return true;
  }
}

function pair(): readonly [LocalChannel, LocalChannel] {
  const [near, far] = [new LocalChannel(), new LocalChannel()];
  near.other = far;
  far.other = near;
  return [near, far];
}
