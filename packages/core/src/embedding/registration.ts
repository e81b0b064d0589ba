import type { Observable, Subscription } from 'rxjs';
import { badInput, ConclaveError } from '../base/error.js';
import { ofNode } from '../protocol/by-node.js';
import type { Json, Message, NodeId } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Succession } from '../protocol/protocol.js';
import { Admission } from './admission.js';
import { Handshake } from './handshake.js';
import { noRefusals } from './refusal-counts.js';
import {
  asRegistration,
  asSealed,
  parsedSeal,
  type Seal,
  type Sealed,
  sealOf,
} from './registration-frames.js';
import type {
  RegistrationContext,
  RegistrationMessage,
  RegistrationNews,
  RegistrationRefusal,
  Start,
} from './registration-machine.js';
import { registrationProtocol } from './registration-protocol.js';
import { registrationOf } from './registration-record.js';
import { registrationRefused } from './registration-refusals.js';
import type { RegistrationRecord } from './storage.js';
import type { StoredNode } from './stored-node.js';
import { digestOf, type Terms } from './terms.js';
import type {
  Guarantees,
  Incoming,
  PeerStatus,
  RefusalReason,
  Transport,
  TransportStatus,
} from './transport.js';

export interface RegistrationOptions {
  /** All nodes of the network, this one too. */
  readonly nodes: readonly NodeId[];
  readonly terms: Terms;
  /** Where the registration is kept. Without storage, a node takes part at once. */
  readonly stored: StoredNode;
  readonly succession: Succession | undefined;
  readonly clock: TimerClock | undefined;
}

/** Of so many starts of other nodes it is remembered how often they were refused. */
const mostRefusals = 1000;

/**
 * Makes a transport whose peers may come back as new processes into one on which all have the same
 * terms, and each name is a single process at a time: the latest start of the storage that was
 * registered under it. Who differs is refused, with the error `refused` on both sides.
 *
 * The first start of an epoch needs all nodes; the later ones need none. Rules:
 * registration-machine.ts.
 */
export class Registration implements Transport {
  readonly self: NodeId;
  readonly guarantees: Guarantees;
  readonly received$: Observable<Incoming>;
  readonly errors$: Observable<ConclaveError>;
  readonly status$: Observable<TransportStatus>;
  readonly peers$?: Observable<PeerStatus>;
  /** Missing for a node that takes part at once. */
  readonly admitted?: Promise<void>;
  readonly verified = true;
  readonly #admission: Admission;
  readonly #handshake: Handshake;
  readonly #arrivals: Subscription;
  readonly #digest: string;
  readonly #start: Start;
  readonly #seal: string;
  /** The last seal of each peer that was taken. */
  readonly #seals = new Map<NodeId, string>();
  /** By peer and seal: how many messages were refused. */
  readonly #refusals = new Map<string, number>();
  /** The peers whose refusals were reported. */
  readonly #reported = new Set<NodeId>();
  /** What came before this node was admitted. */
  #held: { readonly from: NodeId; readonly sealed: Sealed }[] = [];
  #closed: Promise<void> | undefined;

  /** @throws {ConclaveError} `refused` where what is stored does not fit the terms. */
  constructor(
    private readonly transport: Transport,
    private readonly options: RegistrationOptions,
  ) {
    const { self, peers$, guarantees } = transport;
    const { nodes, terms, stored, clock, succession } = options;
    const { incarnation } = stored;
    const first = registrationOf({ self, nodes, terms, stored, succession });
    const names = nodes.filter((id) => id !== self);
    this.self = self;
    this.guarantees = guarantees;
    this.#digest = digestOf(terms);
    this.#start = { storage: first.storage, incarnation };
    this.#seal = sealOf({ ...this.#start, digest: this.#digest });
    this.#admission = new Admission(self, transport);
    const { inbox, errors$, status$, admitted } = this.#admission;
    this.received$ = inbox.items$;
    this.errors$ = errors$;
    this.status$ = status$;
    if (!first.registered) this.admitted = admitted;
    if (peers$) this.peers$ = peers$;
    const { noted, registered, storage, former } = first;
    const its = { name: self, names, peers: names, terms, ...this.#start };
    const input = {
      ...its,
      noted,
      registered,
      kept: former?.fields ?? null,
      lapseAfter: former?.bindsFor ?? 0,
    };
    this.#handshake = new Handshake(transport, {
      protocol: registrationProtocol(() => ({ ...input, repeats: guarantees.loss ? null : 0 })),
      nodes,
      incarnation,
      clock,
      ...(storage !== '' && {
        storage: {
          read: () => undefined,
          write: ({ fields }) => this.#keep({ ...first, ...fields }),
        },
      }),
      onError: (error) => this.#admission.report(error),
      told: (told) => this.#learn(told as RegistrationNews), // it tells nothing else
    });
    this.#arrivals = transport.received$.subscribe((incoming) => this.#receive(incoming));
    if (registered) this.#admit();
  }

  get refused(): Readonly<Record<RefusalReason, number>> {
    const { refused = noRefusals } = this.transport;
    return refused;
  }

  get awaited(): readonly NodeId[] {
    const { names, gathered } = this.#known;
    return this.#admission.phase === 'joining'
      ? names.filter((id) => !Object.hasOwn(gathered, id))
      : [];
  }

  /** @throws {ConclaveError} `closed`; `bad-input` before this node is admitted. */
  send(to: NodeId, message: Message): void {
    const { phase } = this.#admission;
    if (phase === 'joining')
      throw badInput(
        `Node ${this.self} is not admitted yet: it waits for ${this.awaited.join(', ')}`,
      );
    if (phase === 'ended')
      throw new ConclaveError('closed', `Node ${this.self} takes part no longer`);
    const sealed: Sealed = { type: 'sealed', seal: this.#seal, message };
    this.transport.send(to, sealed);
  }

  close(): Promise<void> {
    this.#closed ??= this.#admission.end(() => {
      this.#arrivals.unsubscribe();
      this.#handshake.close();
      return this.transport.close();
    });
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #known(): RegistrationContext {
    return this.#handshake.context as RegistrationContext; // the one machine of the protocol
  }

  /**
   * Writes what the machine keeps. With the registration, in one write, the fields with which the
   * node starts its epoch.
   */
  #keep(record: RegistrationRecord): void {
    const { stored, succession } = this.options;
    if (!record.registered || stored.registration?.registered) return stored.register(record);
    const kept = [record.former?.fields, ...Object.values(this.#known.gathered)].filter(isRecord);
    stored.register(
      record,
      kept.length === 0 ? undefined : { ...stored.fields, ...succession?.fields(kept) },
    );
  }

  #receive({ from, message }: Incoming): void {
    const sealed = asSealed(message);
    if (sealed) return this.#take(from, sealed);
    const greeting = asRegistration(message);
    if (!greeting || greeting.name !== from)
      return this.#admission.report(
        badInput(
          `Node ${this.self} got from ${from} what no registered node sends`,
          'Run the same version at all nodes.',
        ),
      );
    if (greeting.type === 'refusal' && this.#admission.phase === 'admitted')
      this.#isRefused(greeting);
    else this.#handshake.receive(from, greeting);
  }

  #take(from: NodeId, sealed: Sealed): void {
    const { phase, inbox } = this.#admission;
    if (phase === 'joining') this.#held.push({ from, sealed });
    if (phase !== 'admitted') return;
    if (sealed.seal === this.#seals.get(from)) return inbox.put({ from, message: sealed.message });
    const seal = parsedSeal(sealed.seal);
    if (!seal)
      return this.#admission.report(
        badInput(`Node ${this.self} got from ${from} a message with a seal that is none`),
      );
    const reason = this.#objection(from, seal);
    if (reason) return this.#refuse(from, sealed.seal, seal, reason);
    this.#seals.set(from, sealed.seal);
    inbox.put({ from, message: sealed.message });
  }

  #objection(
    from: NodeId,
    { digest, storage, incarnation }: Seal,
  ): RegistrationRefusal | undefined {
    if (digest !== this.#digest) return 'different';
    if ((ofNode(this.#known.noted, from) ?? storage) !== storage) return 'another';
    const last = parsedSeal(this.#seals.get(from) ?? '');
    return last && incarnation < last.incarnation ? 'replaced' : undefined;
  }

  /**
   * Each refusal may get lost, and a flood must not be answered by a flood: the 1st, 2nd, 4th, 8th
   * … message of a seal is answered.
   */
  #refuse(
    from: NodeId,
    text: string,
    { storage, incarnation }: Seal,
    reason: RegistrationRefusal,
  ): void {
    const key = `${from} ${text}`;
    const count = (this.#refusals.get(key) ?? 0) + 1;
    if (this.#refusals.size >= mostRefusals) this.#refusals.clear();
    this.#refusals.set(key, count);
    if ((count & (count - 1)) !== 0) return;
    const { self } = this;
    const { terms } = this.options;
    this.#tell(from, {
      type: 'refusal',
      name: self,
      addressed: { storage, incarnation },
      reason,
      terms,
    });
    // What differs, it says in its hello: the machine reports that.
    if (count === 1 && reason !== 'different')
      this.#admission.report(
        registrationRefused({ self, by: self, refused: from, reason, ours: terms, theirs: terms }),
      );
  }

  /** Another node does not take what this one sends. */
  #isRefused({
    name: by,
    addressed,
    reason,
    terms: theirs,
  }: Extract<RegistrationMessage, { readonly type: 'refusal' }>): void {
    const { storage, incarnation } = this.#start;
    if (addressed.storage !== storage || addressed.incarnation !== incarnation) return;
    const { self } = this;
    const { terms } = this.options;
    const error = registrationRefused({ self, by, refused: self, reason, ours: terms, theirs });
    if (reason !== 'different') return this.#admission.fail(error);
    if (this.#reported.has(by)) return;
    this.#reported.add(by);
    this.#admission.report(error);
    this.#tell(by, { type: 'hello', name: self, storage, incarnation, terms, kept: null });
  }

  #tell(to: NodeId, message: RegistrationMessage): void {
    try {
      this.transport.send(to, message);
    } catch (error) {
      this.#admission.report(
        error instanceof ConclaveError
          ? error
          : badInput(`Node ${this.self} cannot send '${message.type}' to ${to}: ${String(error)}`),
      );
    }
  }

  #learn(told: RegistrationNews): void {
    const { self } = this;
    const { terms: ours } = this.options;
    if (told.type === 'registered') return this.#admit();
    const { reason, terms: theirs } = told;
    const [by, refused] = told.type === 'refuses' ? [self, told.node] : [told.by, self];
    const error = registrationRefused({ self, by, refused, reason, ours, theirs });
    if (told.type !== 'refused') return this.#admission.report(error);
    this.#held = [];
    this.#admission.fail(error);
  }

  #admit(): void {
    if (this.#admission.phase !== 'joining') return;
    this.#admission.admit();
    for (const { from, sealed } of this.#held.splice(0)) this.#take(from, sealed);
  }
}

const isRecord = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
