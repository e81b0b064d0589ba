import { kindOfProperty, requireTopology } from '@conclave/core/internal';
import { callText } from '@conclave/core/internal/trace';
import type { Property, Protocol } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { checkGiven } from '../options/options.js';
import { ComparedRun } from './compared-run.js';
import {
  type Conformed,
  type ConformOptions,
  type Extent,
  type JudgedProperty,
  Mismatch,
} from './conformed.js';
import { type CutsFound, judgeCuts } from './cuts.js';
import { Events } from './events.js';
import {
  isEmpty,
  type JournalHeader,
  JournalReader,
  type JournalRemark,
  type JournalSource,
  type JournalStep,
  joinedPieces,
} from './journal-reader.js';
import type { Receipt, Sent } from './links.js';
import type { End, NodeJournals } from './node-journals.js';
import { OrderJudge } from './order-judge.js';
import { type Missing, Receipts } from './receipts.js';
import { tornNote } from './sorted-journals.js';

/**
 * Repeats the journals of embedded nodes on the machines of `protocol`, step by step, joins them by
 * the numbers of the links, and judges the properties of the protocol. It needs no clock.
 * docs/journals.md has the form of journals, and what a verdict means.
 *
 * @throws {ConclaveError} `bad-trace` for a text that is no journal; `bad-topology`.
 * @example conform(ricartAgrawala, topology('complete:3'), [{ name: 'a.1.journal', text }]).verdict
 */
export function conform(
  protocol: Protocol,
  topology: Topology,
  journals: readonly JournalSource[],
  options: ConformOptions = {},
): Conformed {
  checkGiven('conform', { protocol, topology });
  requireTopology(protocol, topology);
  const sources = joinedPieces(journals);
  const readers = sources.filter((one) => !isEmpty(one)).map((one) => new JournalReader(one));
  const run = new ComparedRun(protocol, topology, readers, options);
  for (const { name } of sources.filter(isEmpty))
    run.notes.add(`${name} is empty: its process ended before its node started.`);
  return new Comparison(run).result();
}

/**
 * A journal that has a header, and what it says.
 *
 * @throws {ConclaveError} `bad-trace` where it says nothing, and where all journals are empty.
 */
export function readJournalHeader(journals: readonly JournalSource[]): {
  readonly name: string;
  readonly header: JournalHeader;
} {
  const first = joinedPieces(journals).find((one) => !isEmpty(one));
  if (!first)
    throw new ConclaveError(
      'bad-trace',
      `${journals.length === 1 ? 'The journal is' : 'All journals are'} empty`,
      'A node writes the first lines when it starts: has it been admitted?',
    );
  return { name: first.name, header: new JournalReader(first).header };
}

/** How many steps a node takes before the next one has its turn. */
const turn = 256;

/** Repeats journals side by side, in an order in which each message is sent before it arrives. */
class Comparison {
  readonly #order: OrderJudge;
  readonly #events: Events;
  readonly #receipts: Receipts;
  #lines = 0;

  constructor(private readonly run: ComparedRun) {
    this.#order = new OrderJudge(run);
    this.#events = new Events(run, this.#order);
    this.#receipts = new Receipts(run, this.#events);
  }

  result(): Conformed {
    for (const node of this.run.nodes.all) {
      if (node.readers.length + node.unstarted.size === 0)
        this.run.miss(`There is no journal of node ${node.id}.`);
      this.#advance(node, 1);
    }
    this.#order.begin();
    while (this.#round()) this.#progress();
    const missing = this.#receipts.missing();
    return resultOf(this.run, this.#order, missing, this.#judgeCuts());
  }

  #progress(): void {
    const readers = this.run.nodes.all.flatMap((node) => node.readers);
    this.run.options.onProgress?.(
      this.#lines,
      readers.reduce((sum, { read }) => sum + read, 0),
    );
  }

  /** Whether a node could go on. */
  #round(): boolean {
    let hasMoved = false;
    for (const node of this.run.nodes.all) hasMoved = this.#advance(node, turn) || hasMoved;
    if (hasMoved) return true;
    const blocked = this.run.nodes.all.find(({ reader }) => reader !== undefined);
    if (!blocked) return false;
    const line = blocked.reader?.peek;
    this.run.at = { file: blocked.reader?.name ?? '', line: line?.line ?? 0 };
    this.run.complain(
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
      this.run.at = { file: reader.name, line: reader.peek?.line ?? reader.line };
      try {
        const read = this.#read(node, reader);
        if (read === 'later') return taken > 0;
        if (read !== 'remark') isOpen = read === 'open';
      } catch (error) {
        this.run.mismatch(error);
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
    this.run.at = { file: reader.name, line: 1 };
    if (!node.isFirst) this.#events.end(node, [...node.ended.keys()].at(-1) ?? 0);
    const { last } = node;
    try {
      node.node.begin(reader.header, last?.state);
    } catch (error) {
      if (!(error instanceof Mismatch) || last?.isWhole) this.run.mismatch(error);
      else
        this.run.notes.add(
          `${reader.name}: ${error.what}; the end of the journal before may be missing, so this may be right.`,
        );
    }
  }

  #finish(node: NodeJournals, end: End): void {
    if (end === 'broken') this.run.isComplete = false;
    if (end === 'open' && node.reader?.isTorn) this.run.notes.add(tornNote(node.reader));
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
      const { file, line } = this.run.at;
      this.run.miss(
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
    this.run.steps++;
    const received = this.#receipts.take(node, line, receipt);
    if (received) this.#order.follows(node.place, received.past);
    const labelled = this.#order.step(node.place, repeated, received?.message);
    const from = event.kind === 'deliver' ? event.from : undefined;
    const number = this.#events.step(node, line.line, wasOpen, received, from);
    if (received) {
      received.received ??= number;
      this.run.inFlight.delete(received);
    }
    if (!repeated.isOpen) this.#order.settled(node.place);
    const past = this.#order.past(node.place);
    const sends = repeated.effects.flatMap((effect) => (effect.type === 'send' ? [effect] : []));
    for (const [index, { to, message }] of sends.entries()) {
      const sent: Sent = {
        from: node.id,
        to,
        call: callText(this.run.protocol.messages, message),
        message: labelled[index] ?? message,
        event: number,
        past,
      };
      this.run.links.send(line.incarnation, line.sent[index] ?? 0, sent);
      this.run.inFlight.add(sent);
      this.#events.sent(sent);
    }
    if (!repeated.isOpen) this.#order.look();
    return repeated.isOpen;
  }

  #judgeCuts(): CutsFound | undefined {
    const { all } = this.#events;
    if (!all || this.#order.forgot !== undefined) return undefined;
    const { views, properties, mostCuts } = this.run;
    const found = judgeCuts(views, properties, all, mostCuts);
    for (const [property, { file, line }] of found.violations) {
      if (this.#order.violated.has(property)) continue;
      this.run.at = { file, line };
      this.run.violated(property, 'in a global state that the run may have had after this step');
    }
    return found;
  }
}

function resultOf(
  run: ComparedRun,
  order: OrderJudge,
  missing: Missing,
  cuts: CutsFound | undefined,
): Conformed {
  const { complaints, notes } = run;
  const journals = run.nodes.all.flatMap(({ id, all }) =>
    all.map(({ reader, incarnation, steps, end, beyond }) => {
      if (end === 'open')
        for (const [to, count] of beyond)
          notes.add(
            `${reader.name}: its end is missing: ${count} messages to ${to} arrived that it does not have.`,
          );
      return {
        ...{ file: reader.name, node: id, incarnation, steps, end },
        missing: [...beyond.values()].reduce((sum, count) => sum + count, 0),
      };
    }),
  );
  const { sent, delivered, doubled, reordered, unnumbered } = run.links;
  return {
    verdict: complaints.length > 0 ? 'violates' : run.isComplete ? 'conforms' : 'incomplete',
    protocol: run.protocol.name,
    topology: run.topology.spec,
    steps: run.steps,
    journals,
    messages: { sent, delivered, doubled, reordered, ...missing, unnumbered },
    properties: run.properties.map((property) => judged(property, run, order, cuts)),
    cuts: cuts?.isComplete ? cuts.cuts : 0,
    complaints,
    notes: [...notes],
  };
}

/** How far a property was judged, and the result. */
function judged(
  property: Property,
  { views, isTimed }: ComparedRun,
  order: OrderJudge,
  cuts: CutsFound | undefined,
): JudgedProperty {
  const [extent, why] = extentOf(property, order.forgot, cuts, isTimed);
  const note = views.notes.get(property) ?? why;
  const { name, kind } = property;
  const violated = order.violated.has(property) || cuts?.violations.has(property) === true;
  return { name, kind, extent, violated, ...(note === undefined ? {} : { note }) };
}

function extentOf(
  { kind }: Property,
  forgot: string | undefined,
  cuts: CutsFound | undefined,
  isTimed: boolean,
): readonly [Extent, string | undefined] {
  const { decidedBy } = kindOfProperty({ kind });
  if (kind === 'atMost') return ['one causal order', undefined];
  if (decidedBy === 'run' || kind === 'sometimes')
    return ['not checked', forgot ?? 'the beginning of a run does not decide it'];
  if (decidedBy === 'beginning' && kind !== 'increases')
    return ['not checked', forgot ?? 'journals are not judged by it'];
  if (forgot !== undefined) return ['one causal order', forgot];
  if (decidedBy === 'step') return ['each step', undefined];
  if (isTimed)
    return kind === 'increases'
      ? ['the causal past of each step', undefined]
      : ['not checked', 'the protocol relies on time, which journals do not tell'];
  return cuts?.isComplete
    ? ['every consistent cut', undefined]
    : ['one causal order', 'there are too many consistent cuts'];
}
