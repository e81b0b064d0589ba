import type { NodeId } from '../protocol/node.js';
import type { Increases, NodeView, Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { protocolFingerprint } from '../trace/fingerprint.js';
import type { JournalHeader, JournalRemark, JournalStep } from '../trace/journal-text.js';
import { callText } from '../trace/text.js';
import { type Complaint, type ComplaintKind, Mismatch } from './complaint.js';
import type { Conformed, ConformOptions } from './conformed.js';
import { type CutEvent, type CutsFound, judgeCuts } from './cuts.js';
import type { JournalReader } from './journal-reader.js';
import { type InFlightNow, Judge, OrderJudge } from './judge.js';
import { judgedProperties } from './judged-properties.js';
import { Links, labelFrom, type Receipt, type Sent } from './links.js';
import { type Ended, NodeJournals, unstarted } from './node-journals.js';
import { ReplayedNode } from './replayed-node.js';

/** How many steps a node takes before the next one has its turn. */
const turn = 256;
/** Runs with more events are judged in one causal order. */
const mostEvents = 20_000;
/** With a history: properties of histories take long. */
const mostWithHistory = 60;

/** Repeats journals side by side, in an order in which each message is sent before it arrives. */
export class Comparison {
  readonly #complaints: Complaint[] = [];
  readonly #notes = new Set<string>();
  readonly #nodes: readonly NodeJournals[];
  readonly #places: ReadonlyMap<NodeId, number>;
  readonly #links: Links;
  readonly #judge: Judge;
  readonly #order: OrderJudge;
  readonly #properties: readonly Property[];
  /** In flight in the present order. */
  readonly #inFlight = new Set<Sent>();
  /** By receiver and sender: how many crashes were reported. */
  readonly #notices = new Map<string, number>();
  /** What no state handled, and how much of it. */
  readonly #unhandled = new Set<Sent>();
  /** By place, for cuts; undefined where there are too many. */
  #events: CutEvent[][] | undefined;
  /** By place: how many events. */
  readonly #counts: number[];
  #messages: { sent: Sent; from: number; to: number }[] = [];
  #isComplete = true;
  #lines = 0;
  #steps = 0;
  /** What is being read. */
  #at: { readonly file: string; readonly line: number } = { file: '', line: 0 };

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    readers: readonly JournalReader[],
    private readonly options: ConformOptions,
  ) {
    const { properties = protocol.properties, cuts = 200_000 } = options;
    this.#properties = properties;
    this.#judge = new Judge(protocol, properties);
    this.#links = new Links(protocol.channels.duplication);
    this.#places = new Map(topology.nodes.map((id, place) => [id, place]));
    const accepted = readers.filter((reader) => this.#accepts(reader));
    this.#nodes = topology.nodes.map((id, place) => {
      const own = accepted.filter(({ header }) => header.node === id);
      const sorted = own
        .sort((a, b) => a.header.incarnation - b.header.incarnation)
        .filter((reader, index, all) => this.#isNew(reader, all[index - 1]));
      const [started, others] = this.#split(sorted);
      return new NodeJournals(place, new ReplayedNode(protocol, topology, id), started, others);
    });
    this.#counts = topology.nodes.map(() => 0);
    this.#events = cuts > 0 && !this.#isTimed ? topology.nodes.map(() => []) : undefined;
    this.#order = new OrderJudge(
      this.#judge,
      topology,
      properties,
      this.#nodes.map((node) => this.#unknown(node)),
      () => this.#flying(),
      (property) =>
        this.#complain(
          'property',
          `'${property.name}' does not hold after this step`,
          propertyCure,
        ),
      this.#isTimed,
    );
  }

  run(): Conformed {
    for (const node of this.#nodes) {
      if (node.readers.length + node.unstarted.size === 0)
        this.#miss(`There is no journal of node ${node.id}.`);
      this.#advance(node, 1);
    }
    this.#order.begin();
    while (this.#round()) this.#progress();
    this.#judgeMissing();
    const cuts = this.#judgeCuts();
    return this.#result(cuts);
  }

  #progress(): void {
    const read = this.#nodes.reduce(
      (sum, { readers }) => readers.reduce((own, reader) => own + reader.read, sum),
      0,
    );
    this.options.onProgress?.(this.#lines, read);
  }

  /** Whether a node could go on. */
  #round(): boolean {
    let hasMoved = false;
    for (const node of this.#nodes) hasMoved = this.#advance(node, turn) || hasMoved;
    if (hasMoved) return true;
    const blocked = this.#nodes.find(({ reader }) => reader !== undefined);
    if (!blocked) return false;
    const line = blocked.reader?.peek;
    this.#at = { file: blocked.reader?.name ?? '', line: line?.line ?? 0 };
    this.#complain(
      'order',
      'it waits for a message that, in every order of the steps, is sent after it',
      'Is the label of a receipt wrong?',
    );
    blocked.end('broken');
    return true;
  }

  /** Takes up to `most` steps of a node; false where it cannot go on. */
  #advance(node: NodeJournals, most: number): boolean {
    let taken = 0;
    let isOpen = false;
    for (let { reader } = node; reader; { reader } = node) {
      if (taken >= most && !isOpen) return true;
      if (!node.hasBegun) this.#begin(node, reader);
      const line = reader.peek;
      this.#at = { file: reader.name, line: line?.line ?? reader.line };
      try {
        if (!line) {
          this.#finish(node, node.isClosed ? 'closed' : 'open');
        } else if (line.kind === 'damage')
          throw new Mismatch('line', line.what, 'Was the file changed, or its disk damaged?');
        else if (line.kind === 'remark') {
          if (this.#remarked(node, line)) reader.advance();
        } else {
          if (node.isClosed)
            throw new Mismatch('line', 'it follows the line that closes the journal');
          const receipt = this.#receiptOf(node, line);
          if (receipt === 'later') return taken > 0;
          isOpen = this.#take(node, line, receipt);
          reader.advance();
        }
      } catch (error) {
        if (!(error instanceof Mismatch)) throw error;
        this.#complain(error.kind, error.what, error.cure);
        this.#finish(node, 'broken');
        isOpen = false;
      }
      taken++;
      this.#lines++;
    }
    return taken > 0;
  }

  #begin(node: NodeJournals, reader: JournalReader): void {
    node.hasBegun = true;
    this.#at = { file: reader.name, line: 1 };
    if (!node.isFirst) this.#endEvent(node, [...node.ended.keys()].at(-1) ?? 0);
    const { last } = node;
    try {
      node.node.begin(reader.header, last?.state);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      if (last?.isWhole) this.#complain(error.kind, error.what, error.cure);
      else
        this.#notes.add(
          `${reader.name}: ${error.what}; the end of the journal before may be missing, so this may be right.`,
        );
    }
  }

  #finish(node: NodeJournals, end: 'closed' | 'open' | 'broken'): void {
    if (end === 'broken') this.#isComplete = false;
    if (end === 'open' && node.reader?.isTorn)
      this.#notes.add(`${node.reader.name}: its last line is cut off, and was left out.`);
    node.end(end);
  }

  /** False where the journal ends here. */
  #remarked(node: NodeJournals, { key, value }: JournalRemark): boolean {
    if (key === 'closed') {
      if (Number(value) !== node.node.steps)
        throw new Mismatch(
          'numbers',
          `it was closed after step ${value}, and its last step is ${node.node.steps}`,
          'Are lines missing?',
        );
      node.isClosed = true;
    } else if (key === 'unhandled') this.#wasUnhandled(node, value);
    else if (key === 'gap') {
      this.#miss(
        `${this.#at.file}:${this.#at.line}: lines are lost (${value}); what follows could not be repeated.`,
      );
      this.#finish(node, 'broken');
      return false;
    }
    return true;
  }

  #wasUnhandled(node: NodeJournals, value: string): void {
    const [, call = '', from = '', label = ''] =
      /^(.+) from (\S+) (\d+\.\d+|\?)$/s.exec(value) ?? [];
    if (label === '' || node.node.handles(call, from))
      throw new Mismatch('line', `'${value}' is no message that the state does not handle`);
    this.#complain(
      'unhandled',
      `no transition of node ${node.id} takes '${call}' (from ${from}) here`,
      'Do all nodes run the same version?',
    );
    const look =
      label === '?'
        ? undefined
        : this.#links.look(from, node.id, labelFrom(label), node.reader?.header.incarnation ?? 0);
    if (look?.kind === 'received') this.#unhandled.add(look.sent);
  }

  /** What is known about the message of a line; `later` where its sending comes later. */
  #receiptOf(node: NodeJournals, { event, from }: JournalStep): Receipt | 'none' | 'later' {
    if (event.kind !== 'deliver') {
      if (from !== undefined)
        throw new Mismatch('line', 'it has the label of a message, and receives none');
      return 'none';
    }
    if (from === undefined)
      throw new Mismatch('line', 'it receives a message, and does not say its label');
    if (from === '?')
      return event.call === this.protocol.crashNotice ? this.#noticed(node, event.from) : 'none';
    if (!this.#places.has(event.from))
      throw new Mismatch('step', `the network has no node '${event.from}'`);
    const label = labelFrom(from);
    const receipt = this.#links.look(
      event.from,
      node.id,
      label,
      node.reader?.header.incarnation ?? 0,
    );
    if (receipt.kind !== 'unseen') return receipt;
    const sender = this.#node(event.from);
    return sender.has(label[0]) && !sender.ended.has(label[0]) ? 'later' : receipt;
  }

  /** A crash is reported after the end of the incarnation that crashed. */
  #noticed(node: NodeJournals, from: NodeId): 'none' | 'later' {
    const sender = this.#node(from);
    const reported = this.#notices.get(`${node.id} ${from}`) ?? 0;
    const crashed = sender.readers[reported]?.header.incarnation;
    return crashed === undefined || sender.ended.has(crashed) ? 'none' : 'later';
  }

  /** Repeats a step; whether the node waits for the answer to a choice. */
  #take(node: NodeJournals, line: JournalStep, receipt: Receipt | 'none'): boolean {
    const wasOpen = node.node.isOpen;
    const repeated = node.node.take(line);
    this.#steps++;
    const { event } = line;
    const received = event.kind === 'deliver' ? this.#received(node, line, receipt) : undefined;
    if (received) this.#order.follows(node.place, received.past);
    const sends = this.#order.step(node.place, repeated, received?.message);
    const number = this.#event(
      node,
      line.line,
      wasOpen,
      received,
      event.kind === 'deliver' ? event.from : undefined,
    );
    if (received) {
      received.received ??= number;
      this.#inFlight.delete(received);
    }
    const targets = repeated.effects.flatMap((effect) => (effect.type === 'send' ? [effect] : []));
    if (!repeated.isOpen) this.#order.settled(node.place);
    const past = targets.length > 0 ? this.#order.past(node.place) : [];
    for (const [index, { to, message }] of targets.entries()) {
      const call = callText(this.protocol.messages, message);
      const sent: Sent = {
        from: node.id,
        to,
        call,
        message: sends[index] ?? message,
        event: number,
        past,
      };
      this.#links.send(line.incarnation, line.sent[index] ?? 0, sent);
      this.#inFlight.add(sent);
      if (this.#events)
        this.#messages.push({ sent, from: node.place, to: this.#places.get(to) ?? 0 });
    }
    if (!repeated.isOpen) this.#order.look();
    return repeated.isOpen;
  }

  /**
   * Notes a receipt, and what is wrong with it. Returns the message, where its sending is known.
   */
  #received(
    node: NodeJournals,
    { event, from = '?' }: JournalStep,
    receipt: Receipt | 'none',
  ): Sent | undefined {
    if (event.kind !== 'deliver') return undefined;
    const link = `${event.from}→${node.id}`;
    if (receipt === 'none') {
      if (event.call === this.protocol.crashNotice) this.#notice(node, event.from);
      else {
        this.#links.unnumbered++;
        this.#miss(`Messages on ${link} have no numbers: node ${event.from} has no journal.`);
      }
      return undefined;
    }
    const label = labelFrom(from);
    this.#links.receive(event.from, node.id, label, node.reader?.header.incarnation ?? 0, receipt);
    const { channels } = this.protocol;
    if (receipt.kind === 'unseen') {
      this.#beyond(node, event.from, label);
      return undefined;
    }
    const { sent } = receipt;
    if (sent && sent.call !== event.call)
      this.#complain(
        'altered',
        `message ${from} on ${link} was sent as '${sent.call}' and arrived as '${event.call}'`,
        'Does the transport change messages?',
      );
    if (receipt.kind === 'again' && !channels.duplication)
      this.#complain('doubled', `message ${from} on ${link} arrived a second time`, transportCure);
    if (receipt.kind === 'received' && receipt.isLate && channels.order === 'fifo')
      this.#complain(
        'reordered',
        `message ${from} on ${link} arrived after a later one`,
        transportCure,
      );
    return sent;
  }

  #notice(node: NodeJournals, from: NodeId): void {
    const key = `${node.id} ${from}`;
    const reported = this.#notices.get(key) ?? 0;
    this.#notices.set(key, reported + 1);
    const sender = this.#node(from);
    const crashed = sender.readers[reported]?.header.incarnation;
    if (crashed !== undefined) this.#endEvent(sender, crashed);
  }

  /** A message arrived whose sending is in no journal. */
  #beyond(
    node: NodeJournals,
    from: NodeId,
    [incarnation, number]: readonly [number, number],
  ): void {
    const sender = this.#node(from);
    const ended = sender.endOf(incarnation);
    if (!ended)
      return this.#miss(
        `There is no journal of incarnation ${incarnation} of node ${from}, which sent messages.`,
      );
    if (ended.end === 'closed')
      return this.#complain(
        'unsent',
        `node ${from} has not sent message ${incarnation}.${number} to ${node.id}, by its journal, which is whole`,
      );
    const beyond = ended.beyond.get(node.id) ?? { most: 0, count: 0 };
    ended.beyond.set(node.id, { most: Math.max(beyond.most, number), count: beyond.count + 1 });
    this.#endEvent(sender, incarnation);
  }

  /**
   * The end of an incarnation, where something comes after it: a restart, a report of the crash, a
   * message of the part that is missing.
   */
  #endEvent(node: NodeJournals, incarnation: number): void {
    const ended = node.ended.get(incarnation);
    if (!ended || ended.event !== undefined || !node.node.state) return;
    ended.event = this.#counts[node.place] ?? 0;
    this.#order.crash(node.place, node.node.state);
    this.#push(
      node.place,
      this.#order.views[node.place] as NodeView,
      [],
      ended.reader.line,
      ended.reader.name,
    ); // of this place
  }

  /** The number of the event that a step is part of. */
  #event(
    node: NodeJournals,
    line: number,
    wasOpen: boolean,
    received: Sent | undefined,
    from: NodeId | undefined,
  ): number {
    const { place } = node;
    const view = this.#order.views[place] as NodeView; // of this place
    const count = this.#counts[place] ?? 0;
    if (wasOpen) {
      const event = this.#events?.[place]?.at(-1);
      if (event) event.view = view;
      return count - 1;
    }
    const causes = received
      ? [[this.#places.get(received.from) ?? 0, received.event] as const]
      : from === undefined
        ? []
        : this.#endsBefore(from);
    return this.#push(place, view, causes, line, node.reader?.name ?? '');
  }

  /** The end of the sender that a receipt without a known sending comes after. */
  #endsBefore(from: NodeId): readonly (readonly [place: number, event: number])[] {
    const sender = this.#node(from);
    const last = [...sender.ended.values()].findLast(({ event }) => event !== undefined);
    return last?.event === undefined ? [] : [[sender.place, last.event]];
  }

  #push(
    place: number,
    view: NodeView,
    causes: readonly (readonly [number, number])[],
    line: number,
    file: string,
  ): number {
    const number = this.#counts[place] ?? 0;
    this.#counts[place] = number + 1;
    const events = this.#events;
    if (!events) return number;
    const own = events[place] ?? [];
    const clock = own.at(-1)?.clock.slice() ?? new Int32Array(this.#nodes.length);
    for (const [other, event] of causes) {
      const past = events[other]?.[event]?.clock ?? [];
      for (const [index, count] of past.entries())
        clock[index] = Math.max(clock[index] ?? 0, count);
    }
    clock[place] = number + 1;
    own.push({ view, clock, file, line });
    if (this.#steps > (this.protocol.history ? mostWithHistory : mostEvents)) {
      this.#events = undefined;
      this.#messages = [];
    }
    return number;
  }

  #judgeMissing(): void {
    const { channels } = this.protocol;
    const firstOf = (id: NodeId) => this.#node(id).readers[0]?.header.incarnation ?? 0;
    for (const { sent, number, isLost } of this.#links.missing(firstOf)) {
      if (this.#unhandled.has(sent)) continue;
      if (!isLost || channels.order === 'any')
        this.#undelivered++; // it may still arrive
      else {
        this.#lost++;
        if (channels.loss) continue;
        this.#at = { file: this.#node(sent.from).readers[0]?.name ?? '', line: 0 };
        this.#complain(
          'lost',
          `message ${number}, '${sent.call}', on ${sent.from}→${sent.to} did not arrive, and a later one did`,
          transportCure,
        );
      }
    }
  }
  #lost = 0;
  #undelivered = 0;

  #judgeCuts(): CutsFound | undefined {
    const { cuts = 200_000 } = this.options;
    if (!this.#events || this.#order.forgot !== undefined) return undefined;
    const increases = this.#properties.filter(
      (property): property is Increases => property.kind === 'increases',
    );
    const run = { events: this.#events, messages: this.#messages, isUncertain: this.#isUncertain };
    const found = judgeCuts(this.#judge, increases, run, cuts);
    for (const [property, { file, line }] of found.violations) {
      if (this.#order.violated.has(property)) continue;
      this.#at = { file, line };
      this.#complain(
        'property',
        `'${property.name}' does not hold in a global state that the run may have had after this step`,
        propertyCure,
      );
    }
    return found;
  }

  #result(cuts: CutsFound | undefined): Conformed {
    for (const { all } of this.#nodes)
      for (const { reader, beyond, end } of all)
        if (end === 'open')
          for (const [to, { count }] of beyond)
            this.#notes.add(
              `${reader.name}: its end is missing: ${count} messages to ${to} arrived that it does not have.`,
            );
    const { sent, delivered, doubled, reordered, unnumbered } = this.#links;
    const violates = this.#complaints.length > 0;
    return {
      verdict: violates ? 'violates' : this.#isComplete ? 'conforms' : 'incomplete',
      protocol: this.protocol.name,
      topology: this.topology.spec,
      steps: this.#steps,
      journals: this.#nodes.flatMap(({ id, all }) =>
        all.map(({ reader, incarnation, steps, end, beyond }) => ({
          ...{ file: reader.name, node: id, incarnation, steps, end },
          missing: [...beyond.values()].reduce((sum, { count }) => sum + count, 0),
        })),
      ),
      messages: {
        sent,
        delivered,
        doubled,
        reordered,
        lost: this.#lost,
        inFlight: this.#undelivered,
        unnumbered,
      },
      properties: judgedProperties(this.#properties, this.#judge, this.#order, cuts, this.#isTimed),
      cuts: cuts?.isComplete ? cuts.cuts : 0,
      complaints: this.#complaints,
      notes: [...this.#notes],
    };
  }

  /** Whether the journal belongs to the others. */
  #accepts({ name, header }: JournalReader): boolean {
    this.#at = { file: name, line: 1 };
    const why = this.#misfit(header);
    if (why !== undefined)
      this.#complain('header', why, 'Check the journals of one system at a time.');
    else if (header.machine !== protocolFingerprint(this.protocol))
      this.#complain(
        'header',
        `it was written by another version of '${header.protocol}': its charts, messages or stable fields differ`,
        'Take the version that wrote it.',
      );
    return why === undefined;
  }

  #misfit({ protocol, options, topology, node }: JournalHeader): string | undefined {
    const own = JSON.stringify(this.protocol.options ?? {});
    if (protocol !== this.protocol.name)
      return `it is of protocol '${protocol}', not '${this.protocol.name}'`;
    if (JSON.stringify(options) !== own)
      return `its protocol has the options ${JSON.stringify(options)}, not ${own}`;
    if (topology !== this.topology.spec)
      return `it is of the network '${topology}', not '${this.topology.spec}'`;
    return this.topology.has(node) ? undefined : `the network has no node '${node}'`;
  }

  /** Those with steps, and those without. */
  #split(
    readers: readonly JournalReader[],
  ): readonly [started: readonly JournalReader[], unstarted: ReadonlyMap<number, Ended>] {
    const others = new Map<number, Ended>();
    for (const reader of readers) {
      const ended = unstarted(reader);
      if (!ended) continue;
      others.set(ended.incarnation, ended);
      if (reader.isTorn)
        this.#notes.add(`${reader.name}: its last line is cut off, and was left out.`);
      if (ended.end !== 'broken') continue;
      this.#isComplete = false;
      this.#at = { file: reader.name, line: reader.peek?.line ?? 0 };
      this.#complain('line', 'it follows the line that closes the journal');
    }
    return [readers.filter(({ header }) => !others.has(header.incarnation)), others];
  }

  #isNew(reader: JournalReader, before: JournalReader | undefined): boolean {
    if (reader.header.incarnation !== before?.header.incarnation) return true;
    this.#at = { file: reader.name, line: 1 };
    const { node, incarnation } = reader.header;
    this.#complain(
      'header',
      `incarnation ${incarnation} of node ${node} has a journal already, ${before.name}`,
      'Give embed a storage, which counts the incarnations, or a new folder for each run.',
    );
    return false;
  }

  /** Whether its safety rests on time, which journals do not tell. */
  get #isTimed(): boolean {
    const { time = 'untimed' } = this.protocol.channels;
    return time !== 'untimed';
  }

  /** Whether messages that have not arrived may be lost. */
  get #isUncertain(): boolean {
    return (
      this.protocol.channels.loss ||
      this.protocol.channels.duplication ||
      !this.#isComplete ||
      this.#links.doubled > 0
    );
  }

  #flying(): InFlightNow {
    return {
      messages: [...this.#inFlight],
      isUncertain: this.#isUncertain && this.#inFlight.size > 0,
    };
  }

  /** A node before its start. */
  #unknown({ id, node }: NodeJournals): NodeView {
    const state = node.firstState();
    return this.#judge.view(id, node.role.name, state, true, undefined);
  }

  #node(id: NodeId): NodeJournals {
    // the line was checked to be of this network
    return this.#nodes[this.#places.get(id) ?? -1] as NodeJournals;
  }

  #miss(note: string): void {
    this.#isComplete = false;
    this.#notes.add(note);
  }

  #complain(kind: ComplaintKind, what: string, cure = ''): void {
    this.#complaints.push({ kind, ...this.#at, what, cure });
  }
}

const transportCure = 'The protocol does not tolerate it: wrap the transport in reliable(…).';
const propertyCure = 'Explore it: conclave check finds such runs.';
