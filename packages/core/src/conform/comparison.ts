import { viewOfNode } from '../protocol/check-properties.js';
import type { Property } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import type { JournalRemark, JournalStep } from '../trace/journal-text.js';
import { callText } from '../trace/text.js';
import { Mismatch } from './complaint.js';
import type { Conformed, ConformOptions } from './conformed.js';
import { type CutsFound, judgeCuts } from './cuts.js';
import { Events } from './events.js';
import { Findings } from './findings.js';
import type { JournalReader } from './journal-reader.js';
import { JournalViews } from './journal-views.js';
import { Links, type Receipt, type Sent } from './links.js';
import { type End, type NodeJournals, RunJournals } from './node-journals.js';
import { OrderJudge } from './order-judge.js';
import { Receipts } from './receipts.js';
import { resultOf } from './result.js';
import { sortedJournals, tornNote } from './sorted-journals.js';

/** How many steps a node takes before the next one has its turn. */
const turn = 256;
/** Runs with more events are judged in one causal order. */
const mostEvents = 20_000;
/** With a history: properties of histories take long. */
const mostWithHistory = 60;

/** Repeats journals side by side, in an order in which each message is sent before it arrives. */
export class Comparison {
  readonly #findings = new Findings();
  readonly #nodes: RunJournals;
  readonly #links: Links;
  readonly #views: JournalViews;
  readonly #order: OrderJudge;
  readonly #events: Events;
  readonly #receipts: Receipts;
  readonly #properties: readonly Property[];
  /** In flight in the present order. */
  readonly #inFlight = new Set<Sent>();
  /** Whether its safety rests on time, which journals do not tell. */
  readonly #isTimed: boolean;
  readonly #mostCuts: number;
  #lines = 0;

  constructor(
    private readonly protocol: Protocol,
    private readonly topology: Topology,
    readers: readonly JournalReader[],
    private readonly options: ConformOptions,
  ) {
    const { properties = protocol.properties, cuts = 200_000 } = options;
    const { time = 'untimed', duplication } = protocol.channels;
    this.#properties = properties;
    this.#isTimed = time !== 'untimed';
    this.#mostCuts = this.#isTimed ? 0 : cuts;
    this.#views = new JournalViews(protocol);
    this.#links = new Links(duplication);
    this.#nodes = new RunJournals(sortedJournals(protocol, topology, readers, this.#findings));
    this.#order = new OrderJudge({
      views: this.#views,
      topology,
      properties,
      nodes: this.#nodes.all.map(({ id, node }) =>
        viewOfNode(protocol, id, node.role.name, node.firstState(), true),
      ),
      inFlight: () => ({
        messages: [...this.#inFlight],
        isUncertain: this.#isUncertain && this.#inFlight.size > 0,
      }),
      complain: (property) => this.#violated(property, 'after this step'),
      isTimed: this.#isTimed,
    });
    const most = protocol.history ? mostWithHistory : mostEvents;
    this.#events = new Events(this.#nodes, this.#order, this.#mostCuts > 0 ? most : 0);
    this.#receipts = new Receipts(protocol, this.#nodes, this.#links, this.#events, this.#findings);
  }

  run(): Conformed {
    for (const node of this.#nodes.all) {
      if (node.readers.length + node.unstarted.size === 0)
        this.#findings.miss(`There is no journal of node ${node.id}.`);
      this.#advance(node, 1);
    }
    this.#order.begin();
    while (this.#round()) this.#progress();
    const missing = this.#receipts.missing();
    const cuts = this.#judgeCuts();
    return resultOf({
      protocol: this.protocol,
      topology: this.topology,
      properties: this.#properties,
      findings: this.#findings,
      nodes: this.#nodes,
      steps: this.#events.steps,
      links: this.#links,
      missing,
      views: this.#views,
      order: this.#order,
      cuts,
      isTimed: this.#isTimed,
    });
  }

  #progress(): void {
    const readers = this.#nodes.all.flatMap((node) => node.readers);
    this.options.onProgress?.(
      this.#lines,
      readers.reduce((sum, { read }) => sum + read, 0),
    );
  }

  /** Whether a node could go on. */
  #round(): boolean {
    let hasMoved = false;
    for (const node of this.#nodes.all) hasMoved = this.#advance(node, turn) || hasMoved;
    if (hasMoved) return true;
    const blocked = this.#nodes.all.find(({ reader }) => reader !== undefined);
    if (!blocked) return false;
    const line = blocked.reader?.peek;
    this.#findings.at = { file: blocked.reader?.name ?? '', line: line?.line ?? 0 };
    this.#findings.complain(
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
      this.#findings.at = { file: reader.name, line: reader.peek?.line ?? reader.line };
      try {
        const read = this.#read(node, reader);
        if (read === 'later') return taken > 0;
        if (read !== 'remark') isOpen = read === 'open';
      } catch (error) {
        this.#findings.mismatch(error);
        this.#finish(node, 'broken');
        isOpen = false;
      }
      taken++;
      this.#lines++;
    }
    return taken > 0;
  }

  /** Reads a line. `open`: the step goes on in the next one. `later`: it has to wait. */
  #read(node: NodeJournals, reader: JournalReader): 'remark' | 'step' | 'open' | 'later' {
    const { peek: line } = reader;
    if (!line) {
      this.#finish(node, node.isClosed ? 'closed' : 'open');
      return 'remark';
    }
    if (line.kind === 'damage')
      throw new Mismatch('line', line.what, 'Was the file changed, or its disk damaged?');
    if (line.kind === 'remark') {
      if (this.#remarked(node, line)) reader.advance();
      return 'remark';
    }
    if (node.isClosed) throw new Mismatch('line', 'it follows the line that closes the journal');
    const receipt = this.#receipts.look(node, line);
    if (receipt === 'later') return 'later';
    const isOpen = this.#take(node, line, receipt);
    reader.advance();
    return isOpen ? 'open' : 'step';
  }

  #begin(node: NodeJournals, reader: JournalReader): void {
    node.hasBegun = true;
    this.#findings.at = { file: reader.name, line: 1 };
    if (!node.isFirst) this.#events.end(node, [...node.ended.keys()].at(-1) ?? 0);
    const { last } = node;
    try {
      node.node.begin(reader.header, last?.state);
    } catch (error) {
      if (!(error instanceof Mismatch) || last?.isWhole) this.#findings.mismatch(error);
      else
        this.#findings.notes.add(
          `${reader.name}: ${error.what}; the end of the journal before may be missing, so this may be right.`,
        );
    }
  }

  #finish(node: NodeJournals, end: End): void {
    if (end === 'broken') this.#findings.isComplete = false;
    if (end === 'open' && node.reader?.isTorn) this.#findings.notes.add(tornNote(node.reader));
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
    } else if (key === 'unhandled') this.#receipts.unhandled(node, value);
    else if (key === 'gap') {
      const { file, line } = this.#findings.at;
      this.#findings.miss(
        `${file}:${line}: lines are lost (${value}); what follows could not be repeated.`,
      );
      this.#finish(node, 'broken');
      return false;
    }
    return true;
  }

  /** Repeats a step; whether the node waits for the answer to a choice. */
  #take(node: NodeJournals, line: JournalStep, receipt: Receipt | 'none'): boolean {
    const wasOpen = node.node.isOpen;
    const repeated = node.node.take(line);
    const { event } = line;
    this.#events.steps++;
    const received = this.#receipts.take(node, line, receipt);
    if (received) this.#order.follows(node.place, received.past);
    const labelled = this.#order.step(node.place, repeated, received?.message);
    const from = event.kind === 'deliver' ? event.from : undefined;
    const number = this.#events.step(node, line.line, wasOpen, received, from);
    if (received) {
      received.received ??= number;
      this.#inFlight.delete(received);
    }
    if (!repeated.isOpen) this.#order.settled(node.place);
    const past = this.#order.past(node.place);
    const sends = repeated.effects.flatMap((effect) => (effect.type === 'send' ? [effect] : []));
    for (const [index, { to, message }] of sends.entries()) {
      const sent: Sent = {
        from: node.id,
        to,
        call: callText(this.protocol.messages, message),
        message: labelled[index] ?? message,
        event: number,
        past,
      };
      this.#links.send(line.incarnation, line.sent[index] ?? 0, sent);
      this.#inFlight.add(sent);
      this.#events.sent(sent);
    }
    if (!repeated.isOpen) this.#order.look();
    return repeated.isOpen;
  }

  #judgeCuts(): CutsFound | undefined {
    const { run } = this.#events;
    if (!run || this.#order.forgot !== undefined) return undefined;
    const found = judgeCuts(
      this.#views,
      this.#properties,
      { ...run, isUncertain: this.#isUncertain },
      this.#mostCuts,
    );
    for (const [property, { file, line }] of found.violations) {
      if (this.#order.violated.has(property)) continue;
      this.#findings.at = { file, line };
      this.#violated(property, 'in a global state that the run may have had after this step');
    }
    return found;
  }

  #violated({ name }: Property, where: string): void {
    this.#findings.complain(
      'property',
      `'${name}' does not hold ${where}`,
      'Explore it: conclave check finds such runs.',
    );
  }

  /** Whether messages that have not arrived may be lost. */
  get #isUncertain(): boolean {
    const { loss, duplication } = this.protocol.channels;
    return loss || duplication || !this.#findings.isComplete || this.#links.doubled > 0;
  }
}
