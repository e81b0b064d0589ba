/**
 * The transport of a node that keeps something on storage: its peers talk to it only while it is the
 * one process of its name, with the terms of all.
 *
 * The machine of registration-machine.ts decides who is registered, once in an epoch. That does not
 * protect the messages that follow: an older process may still run, or be started again by mistake.
 * To ask all nodes at each start would make each start wait for all. So each message carries a seal,
 * which says from which storage, which start of it and which terms it comes. A receiver compares it
 * with what it has noted, refuses others, and says so:
 *
 *     message ──▸ sealed(seal, message) ──▸ known seal?  ──▸ the node
 *                                           another one? ──▸ refusal(reason) back to the sender
 *
 * Below the class: as what a node starts, given what it stored before, and the errors.
 */
import { badInput, ConclaveError } from '../base/error.js';
import { type Json, type Message, type NodeId, ofNode } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import { AdmittedTransport, Handshake } from './admitted-transport.js';
import {
  asRegistration,
  asSealed,
  epochOf,
  parsedSeal,
  type RegistrationContext,
  type RegistrationMessage,
  type RegistrationNews,
  type RegistrationRefusal,
  type Seal,
  type Sealed,
  type Start,
  sealOf,
} from './registration-machine.js';
import { registrationProtocol } from './registration-protocol.js';
import { oneProcessPerNode, sameOnAllNodes } from './session-refusals.js';
import type { RegistrationRecord } from './storage.js';
import type { StoredNode } from './stored-node.js';
import { difference, digestOf, isOutvoted, sameTerms, type Terms } from './terms.js';
import { type Guarantees, type Incoming, isRecord, type Transport } from './transport.js';

interface RegistrationOptions {
  /** All nodes of the network, this one too. */
  readonly nodes: readonly NodeId[];
  readonly terms: Terms;
  /** Where the registration is kept. Without storage, a node takes part at once. */
  readonly stored: StoredNode;
  readonly succession: Protocol['succession'];
  readonly clock: TimerClock | undefined;
  /** As of `embed`. */
  readonly reportWaitAfter?: number | undefined;
}

/** For so many seals a node counts how often it has refused them. */
const mostRefusals = 1000;

/**
 * Makes a transport whose peers may come back as new processes into one on which all have the same
 * terms, and each name is a single process at a time: the latest start of the storage that was
 * registered under it. Who differs is refused, with the error `refused` on both sides.
 *
 * The first start of an epoch needs all nodes; the later ones need none. Rules:
 * registration-machine.ts.
 */
export class Registration extends AdmittedTransport {
  readonly guarantees: Guarantees;
  protected readonly handshake: Handshake;
  /** Whether it was registered when it started. */
  readonly #wasRegistered: boolean;
  readonly #digest: string;
  readonly #start: Start;
  readonly #ownSeal: string;
  /** By peer: the last seal that was accepted. */
  readonly #acceptedSeals = new Map<NodeId, string>();
  /** By peer and seal: how many messages were refused. */
  readonly #refusals = new Map<string, number>();
  /** The peers whose refusals were reported. */
  readonly #reported = new Set<NodeId>();
  /** The peers that refuse this node for its terms, and are of no earlier epoch. */
  readonly #refusedBy = new Set<NodeId>();

  /** @throws {ConclaveError} `refused` where what is stored does not fit the terms. */
  constructor(
    below: Transport,
    private readonly options: RegistrationOptions,
  ) {
    super(below);
    const { self, guarantees } = below;
    const { nodes, terms, stored, clock, succession } = options;
    const { incarnation } = stored;
    const record = recordAtStart({ self, nodes, terms, stored, succession });
    const { storage, noted, registered, former } = record;
    this.guarantees = guarantees;
    this.#digest = digestOf(terms);
    this.#start = { storage, incarnation };
    this.#ownSeal = sealOf({ ...this.#start, digest: this.#digest });
    this.#wasRegistered = registered;
    const names = nodes.filter((id) => id !== self);
    const input = {
      ...{ name: self, names, peers: names, terms, ...this.#start },
      noted,
      registered,
      kept: former?.fields ?? null,
      lapseAfter: former?.bindsFor ?? 0,
      repeats: guarantees.loss ? null : 0,
    };
    this.handshake = new Handshake(below, {
      protocol: registrationProtocol(() => input),
      nodes,
      incarnation,
      clock,
      ...(storage !== '' && {
        storage: {
          read: () => undefined,
          write: ({ fields }) => this.#keep({ ...record, ...fields }),
        },
      }),
      onError: (error) => this.report(error),
      onNotification: (news) => this.#onNews(news as RegistrationNews), // it tells nothing else
    });
    this.listen(options.reportWaitAfter, clock);
    if (registered) this.admit();
  }

  /** Missing for a node that takes part at once. */
  override get admitted(): Promise<void> | undefined {
    return this.#wasRegistered ? undefined : this.admission;
  }

  override get awaited(): readonly NodeId[] {
    const { names, gathered } = this.#known;
    return this.phase === 'joining' ? names.filter((id) => !Object.hasOwn(gathered, id)) : [];
  }

  protected wrapped(_to: NodeId, message: Message): Sealed {
    return { type: 'sealed', seal: this.#ownSeal, message };
  }

  protected receive({ from, message }: Incoming): void {
    const sealed = asSealed(message);
    if (sealed) return this.#receiveSealed(from, sealed);
    const greeting = asRegistration(message);
    if (!greeting || greeting.name !== from)
      return this.report(
        badInput(
          `Node ${this.self} got from ${from} what no registered node sends`,
          'Run the same version at all nodes.',
        ),
        from,
      );
    if (greeting.type === 'refusal' && this.phase === 'admitted') this.#receiveRefusal(greeting);
    else this.handshake.receive(from, greeting);
  }

  get #known(): RegistrationContext {
    return this.handshake.context as RegistrationContext; // the one machine of the protocol
  }

  /**
   * Writes what the machine keeps. With the registration, in one write, the fields with which the
   * node starts its epoch.
   */
  #keep(record: RegistrationRecord): void {
    const { stored, succession } = this.options;
    if (!record.registered || stored.registration?.registered) return stored.register(record);
    const kept = [record.former?.fields, ...Object.values(this.#known.gathered)].filter(isFields);
    stored.register(
      record,
      kept.length === 0 ? undefined : { ...stored.fields, ...succession?.fields(kept) },
    );
  }

  #receiveSealed(from: NodeId, sealed: Sealed): void {
    if (this.phase === 'joining') return this.hold(() => this.#receiveSealed(from, sealed));
    if (this.phase !== 'admitted') return;
    const incoming = { from, message: sealed.message };
    if (sealed.seal === this.#acceptedSeals.get(from)) return this.inbox.put(incoming);
    const seal = parsedSeal(sealed.seal);
    if (!seal)
      return this.report(
        badInput(`Node ${this.self} got from ${from} a message with a seal that is none`),
        from,
      );
    const reason = this.#objection(from, seal);
    if (reason) return this.#refuse(from, sealed.seal, seal, reason);
    this.#acceptedSeals.set(from, sealed.seal);
    this.#refusedBy.delete(from);
    this.inbox.put(incoming);
  }

  /** Why the sender of this seal is refused; undefined where it is the one known by its name. */
  #objection(
    from: NodeId,
    { digest, storage, incarnation }: Seal,
  ): RegistrationRefusal | undefined {
    if (digest !== this.#digest) return 'different';
    if ((ofNode(this.#known.noted, from) ?? storage) !== storage) return 'another';
    const last = parsedSeal(this.#acceptedSeals.get(from) ?? '');
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
    this.tell<RegistrationMessage>(from, {
      type: 'refusal',
      name: self,
      addressed: { storage, incarnation },
      reason,
      terms,
    });
    // a node with other terms says hello as well, and the machine reports that
    if (count === 1 && reason !== 'different')
      this.report(
        registrationRefused({ self, by: self, refused: from, reason, ours: terms, theirs: terms }),
      );
  }

  /** A peer refuses what this node sends. Where most refuse its terms, they are the wrong ones. */
  #receiveRefusal({
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
    if (reason !== 'different') return this.fail(error);
    const isNews = !this.#reported.has(by);
    this.#reported.add(by);
    const hello = { type: 'hello', name: self, storage, incarnation, terms, kept: null } as const;
    if (isNews) this.tell<RegistrationMessage>(by, hello);
    if (epochOf(theirs) >= epochOf(terms)) this.#refusedBy.add(by);
    if (isOutvoted(this.#refusedBy.size, this.options.nodes.length)) this.fail(error);
    else if (isNews) this.report(error);
  }

  #onNews(news: RegistrationNews): void {
    const { self } = this;
    const { terms: ours } = this.options;
    if (news.type === 'registered') return this.admit();
    const { reason, terms: theirs } = news;
    const [by, refused] = news.type === 'refuses' ? [self, news.node] : [news.by, self];
    const error = registrationRefused({ self, by, refused, reason, ours, theirs });
    if (news.type === 'refused') this.fail(error);
    else this.report(error);
  }
}

const isFields = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  isRecord(value);

// As what a node starts.

/** What a node is started with, and what it has stored. */
interface NodeStart {
  readonly self: NodeId;
  readonly nodes: readonly NodeId[];
  readonly terms: Terms;
  readonly stored: StoredNode;
  readonly succession: Protocol['succession'];
}

/**
 * The record of a node that starts with these terms: the stored one in the same epoch, a new one in
 * a later epoch, which keeps what it stored as `former`.
 *
 * @throws {ConclaveError} `refused` where it was registered with other terms in this epoch, or in a
 * later one, or where what it promised in the epoch before could be broken in this one.
 */
function recordAtStart(start: NodeStart): RegistrationRecord {
  const { self, nodes, terms, stored, succession } = start;
  const { registration: last } = stored;
  const bindsFor = succession?.bindsFor ?? 0;
  const newRecord = {
    node: self,
    storage: '',
    terms,
    nodes,
    noted: {},
    former: null,
    bindsFor,
    registered: true,
  };
  if (!stored.storage) return newRecord;
  if (!last) return { ...newRecord, storage: randomName(), registered: false };
  if (last.node !== self)
    throw new ConclaveError(
      'refused',
      `Node ${self} is given the storage of node ${last.node}`,
      'Give each node its own.',
    );
  if (sameTerms(last.terms, terms)) return last;
  const [before, now] = [epochOf(last.terms), epochOf(terms)];
  const refuse = (what: string, cure: string) =>
    new ConclaveError('refused', `Node ${self} ${what}`, cure);
  if (now < before)
    throw refuse(
      `was started in epoch ${before} before, and now in epoch ${now}`,
      `Give all nodes the epoch ${before}.`,
    );
  if (now === before && last.registered)
    throw refuse(
      `was registered with other terms in epoch ${now}: ${difference('its last start', last.terms, 'this one', terms)}`,
      `Start it as before, or stop all nodes, and start all of them with epoch ${now + 1}.`,
    );
  if (now === before) return { ...last, terms, nodes, bindsFor };
  const former = last.registered
    ? { nodes: last.nodes, fields: stored.fields ?? {}, bindsFor: last.bindsFor }
    : last.former;
  if (former) requireSuccession(start, former);
  return { ...newRecord, storage: last.storage, former, registered: false };
}

function requireSuccession(
  { self, nodes, succession }: NodeStart,
  former: NonNullable<RegistrationRecord['former']>,
): void {
  if (Object.keys(former.fields).length > 0 && !succession)
    throw new ConclaveError(
      'refused',
      `Node ${self} has kept ${Object.keys(former.fields).join(', ')}, which its protocol cannot take into another epoch`,
      'Stop all nodes, remove all of their storages, and start all of them.',
    );
  const staying = former.nodes.filter((id) => nodes.includes(id));
  if (2 * staying.length > former.nodes.length) return;
  throw new ConclaveError(
    'refused',
    `Of the ${former.nodes.length} nodes of its last epoch, node ${self} finds ${staying.length} in this one (${staying.join(', ') || 'none'}): the others could go on without them`,
    'Keep more than half of the nodes; replace the others in a later epoch.',
  );
}

/** The name of a storage: 64 random bits, as 16 hexadecimal digits. */
function randomName(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(8));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Errors.

const oneStorage = `${oneProcessPerNode.slice(0, -1)}, always on its storage. Where a storage is lost, start all nodes with the next epoch.`;

/**
 * Node `refused` is refused by node `by`. `self`, the one that reports it, is one of them; `ours`
 * are its terms.
 */
interface Refusal {
  readonly self: NodeId;
  readonly by: NodeId;
  readonly refused: NodeId;
  readonly reason: RegistrationRefusal;
  readonly ours: Terms;
  readonly theirs: Terms;
}

function registrationRefused({ self, by, refused, reason, ours, theirs }: Refusal): ConclaveError {
  const what =
    self === by ? `Node ${by} refuses node ${refused}` : `Node ${refused} is refused by node ${by}`;
  if (reason === 'different')
    return new ConclaveError(
      'refused',
      `${what}: ${difference(self, ours, self === by ? refused : by, theirs)}`,
      sameOnAllNodes,
    );
  if (reason === 'replaced')
    return new ConclaveError(
      'refused',
      `${what}: a later process with its storage has replaced it`,
      oneProcessPerNode,
    );
  return new ConclaveError(
    'refused',
    `${what}: ${by} knows a node ${refused} with another storage`,
    oneStorage,
  );
}
