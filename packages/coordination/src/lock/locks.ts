import type { StableStorage, Transport } from '@conclave/core/embedding';
import { checkOptions, printError, schemas } from '@conclave/core/internal';
import { surroundingsOf, verified } from '@conclave/core/internal/embedding';
import {
  ConclaveError,
  type FencedProtocol,
  type NodeId,
  type Protocol,
} from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { Connections, type Health } from '../health.js';
import { isName, NamedTransports } from '../named-transports.js';
import { timeOf, type WaitOptions } from '../waits.js';
import { lockOf, requireTolerance, sharedEntries, type Tolerance, tolerances } from './lock.js';
import { acquireEach, type HeldAll } from './lock-all.js';
import type { Holders } from './lock-holders.js';
import type { NodeLock } from './lock-node.js';
import type { Locks, LocksOptions } from './locks-types.js';

/** The protocol that tolerates this, and fits the network. */
type Choice = (tolerate: Tolerance, site: LocksOptions) => Protocol;

/**
 * Locks by name by the given protocol, and without the protocols that `locks` of
 * `@conclave/algorithms` chooses from: otherwise the same.
 *
 * @throws {ConclaveError} `bad-input` without a protocol; and as `lock`.
 * @example await using shop = locks({ protocol: leasedMajority(), self: 'a', peers: ['b', 'c'],
 * transport });
 */
export function locks(options: LocksOptions & { readonly protocol: FencedProtocol }): Locks<number>;
export function locks(options: LocksOptions & { readonly protocol: Protocol }): Locks;
export function locks(options: LocksOptions & { readonly protocol: Protocol }): Locks {
  return locksOf(options, noChoice);
}

function noChoice(): never {
  throw new ConclaveError(
    'bad-input',
    'locks has no protocol',
    'Give one; or import locks from @conclave/algorithms, which chooses one.',
  );
}

/** The same, where `choose` chooses a protocol. */
export function locksOf(options: LocksOptions, choose: Choice): Locks {
  checkOptions('locks', locksOptions, options);
  return new NodeLocks(options, protocolOf(options, choose));
}

const { optional, optionsOf } = schemas;
const { clients: _, ...embedEntries } = schemas.embedEntries;
const { name: _name, reentrant: _reentrant, ...ofEachLock } = sharedEntries;

/** What names take together, and a semaphore of several. */
export const namesEntries = {
  ...embedEntries,
  storage: optional(schemas.callback),
  journal: optional(schemas.callback),
  ...ofEachLock,
};
const locksOptions = optionsOf<LocksOptions>({
  ...namesEntries,
  protocol: optional(schemas.protocol),
  tolerate: optional(schemas.oneOf(tolerances)),
  turns: optional(schemas.flag),
  mostNames: optional(schemas.positive),
});

/**
 * @throws {ConclaveError} `bad-input`: none, one without tolerance, or one that needs a detector;
 * as `choose`.
 */
function protocolOf(options: LocksOptions, choose: Choice): Protocol {
  const { protocol, tolerate, turns } = options;
  if (!protocol && !tolerate)
    throw new ConclaveError(
      'bad-input',
      'locks has neither a protocol nor tolerate',
      "Give tolerate: 'none' or 'crash'.",
    );
  if (!protocol) return choose(tolerate ?? 'none', options);
  if (turns !== undefined)
    throw new ConclaveError(
      'bad-input',
      'locks is given turns and a protocol, which has its own order',
      'Leave out turns, or the protocol.',
    );
  if (tolerate) requireTolerance(protocol, tolerate);
  if (protocol.crashNotice !== undefined)
    throw new ConclaveError(
      'bad-input',
      `${protocol.title} needs a detector, and locks has none`,
      "Try tolerate: 'crash'.",
    );
  return protocol;
}

/** The storage of the node itself. No lock has this name. */
const ofTheNode = '-node';

export class NodeLocks implements Locks {
  readonly id: NodeId;
  readonly #locks = new Map<string, NodeLock>();
  /** Names that must not be opened again. */
  readonly #gone = new Set<string>();
  readonly #transports: NamedTransports;
  readonly #topology: Topology;
  readonly #most: number;
  readonly #storage: StableStorage | undefined;
  readonly #transport: Transport;
  readonly #connections: Connections;
  #refusals = 0;
  #closed: Promise<void> | undefined;
  /** Why they ended, where they were not closed. */
  #ended: ConclaveError | undefined;

  constructor(
    private readonly options: LocksOptions,
    private readonly protocol: Protocol,
  ) {
    const { self, storage, mostNames = 10_000, onError = printError } = options;
    this.id = self;
    this.#topology = surroundingsOf(self, options); // one for all names
    this.#most = mostNames;
    const { succession: _, ...common } = protocol; // of each name, which its storage has
    const checked = verified(options.transport, {
      ...options,
      protocols: [common],
      topology: this.#topology,
      terms: { names: 'many' },
      storage: this.#tolerates ? storage?.(ofTheNode) : undefined,
    });
    const { transport } = checked;
    this.#transport = transport;
    this.#connections = new Connections(transport);
    this.#connections.follow(transport.admitted);
    this.#storage = checked.storage;
    this.#storage?.write({
      incarnation: checked.incarnation,
      fields: { names: 'in storages of their own' },
    });
    this.#follow(transport, onError);
    this.#transports = new NamedTransports(transport, {
      accept: (name) => this.#accept(name),
      report: (error) => onError(error),
    });
    this.#transports.start();
  }

  get names(): readonly string[] {
    return [...this.#locks.keys()];
  }

  get refused(): number {
    return this.#transports.refused;
  }

  get health(): Health {
    const { awaited = [] } = this.#transport;
    return this.#connections.health(this.#closed !== undefined, this.#ended, {
      awaited,
      refusals: this.#refusals,
    });
  }

  open(name: string): NodeLock {
    if (this.#closed)
      throw this.#ended ?? new ConclaveError('closed', `The locks of node ${this.id} are closed`);
    const known = this.#locks.get(name);
    if (known) return known;
    if (!isName(name))
      throw new ConclaveError(
        'bad-input',
        `'${name}' names no lock`,
        'Give letters, digits and ._:@-, 200 bytes at most.',
      );
    const why = this.#obstacle(name);
    if (why)
      throw new ConclaveError(
        why.code,
        `Node ${this.id} cannot open '${name}': ${why.what}`,
        why.cure,
      );
    return this.#make(name);
  }

  holders(): Readonly<Record<string, Holders>> {
    return Object.fromEntries([...this.#locks].map(([name, each]) => [name, each.holders()]));
  }

  async acquireAll(names: readonly string[], options: WaitOptions = {}): Promise<HeldAll> {
    const sorted = [...new Set(names)].sort();
    if (sorted.length === 0)
      throw new ConclaveError('bad-input', 'acquireAll has no names', 'Give one at least.');
    return acquireEach(
      new Map(sorted.map((name) => [name, this.open(name)])),
      options,
      timeOf(this.options.clock),
    );
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Ends with the transport, and says why. */
  #follow(
    { errors$, status$, admitted }: Transport,
    onError: (error: ConclaveError) => void,
  ): void {
    let isJoining = admitted !== undefined;
    let last: ConclaveError | undefined;
    errors$?.subscribe((error) => {
      last = error;
      if (error.code === 'refused') this.#refusals++;
      for (const each of this.#locks.values()) each.heard(error);
      onError(error);
    });
    status$?.subscribe((status) => {
      if (status.state !== 'closed' || isJoining) return; // what admitted rejects with says more
      this.#abandon(
        last?.message === status.reason
          ? last
          : new ConclaveError(
              'closed',
              `Node ${this.id} has lost its transport for good: ${status.reason}`,
            ),
      );
    });
    admitted?.then(
      () => {
        isJoining = false;
      },
      (error: ConclaveError) => {
        if (error.code === 'refused') this.#refusals++;
        if (this.#abandon(error)) onError(error);
      },
    );
  }

  /**
   * The transport has closed by itself, or the peers do not admit this node. Whether it was open
   * until now.
   */
  #abandon(error: ConclaveError): boolean {
    if (this.#closed) return false;
    this.#ended = error;
    for (const each of this.#locks.values()) each.abandon(error);
    void this.close();
    return true;
  }

  async #end(): Promise<void> {
    await Promise.all([...this.#locks.values()].map((each) => each.close()));
    await this.#transports.close();
    this.#storage?.close?.();
  }

  /** A peer's first message for this name. Why it is refused, or undefined. */
  #accept(name: string): string | undefined {
    const why = this.#obstacle(name);
    if (why) return why.what;
    try {
      this.#make(name);
      return undefined;
    } catch (error) {
      return `'${name}' cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #obstacle(name: string): Pick<ConclaveError, 'code' | 'what' | 'cure'> | undefined {
    if (this.#gone.has(name))
      return {
        code: 'closed',
        what: `it has closed '${name}', and ${this.protocol.title} does not tolerate that a node comes back${this.#tolerates ? ' without storage' : ''}`,
        cure: 'Keep it open as long as any node needs it.',
      };
    if (this.#locks.size >= this.#most)
      return {
        code: 'bad-input',
        what: `it has ${this.#most} names open, which is mostNames`,
        cure: 'Close names, or raise mostNames.',
      };
    return undefined;
  }

  #make(name: string): NodeLock {
    const {
      storage,
      journal,
      protocol: _protocol,
      tolerate: _tolerate,
      turns: _turns,
      mostNames: _mostNames,
      nodes: _nodes,
      peers: _peers,
      ...common
    } = this.options;
    const transport = this.#transports.open(name, () => this.#forget(name));
    try {
      const options = {
        ...common,
        topology: this.#topology,
        transport,
        name,
        ...(storage && { storage: storage(name) }),
        ...(journal && { journal: journal(name) }),
      };
      const made = lockOf(this.protocol, options, this.#connections);
      this.#locks.set(name, made);
      return made;
    } catch (error) {
      void transport.close();
      throw error;
    }
  }

  /** Whether a node that has its stable fields may come back. */
  get #tolerates(): boolean {
    return this.protocol.tolerates?.includes('restart') ?? false;
  }

  #forget(name: string): void {
    if (!this.#locks.delete(name)) return; // it was never made
    if (!this.#tolerates || this.options.storage === undefined) this.#gone.add(name);
  }
}
