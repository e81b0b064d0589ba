import type { NodeId } from '@conclave/core/protocol';
import type { ComparedRun } from './compared-run.js';
import { Mismatch } from './conformed.js';
import type { Events } from './events.js';
import type { JournalStep } from './journal-reader.js';
import { type Label, labelFrom, type Receipt, type Sent } from './links.js';
import type { NodeJournals } from './node-journals.js';

const transportCure = 'The protocol does not tolerate it: wrap the transport in reliable(…).';

/** How many messages did not arrive. */
export interface Missing {
  readonly lost: number;
  readonly inFlight: number;
}

/** What the journals say about messages that arrived, or did not. */
export class Receipts {
  /** By receiver and sender: how many crashes were reported. */
  readonly #notices = new Map<string, number>();
  /** What no state handled. */
  readonly #unhandled = new Set<Sent>();

  constructor(
    private readonly run: ComparedRun,
    private readonly events: Events,
  ) {}

  /** What is known about the message of a line; `later` where its sending comes later. */
  look(node: NodeJournals, { event, from }: JournalStep): Receipt | 'none' | 'later' {
    if (event.kind !== 'deliver') {
      if (from === undefined) return 'none';
      throw new Mismatch('line', 'it has the label of a message, and receives none');
    }
    if (from === undefined)
      throw new Mismatch('line', 'it receives a message, and does not say its label');
    if (from === '?')
      return event.call === this.run.protocol.crashNotice
        ? this.#noticed(node, event.from)
        : 'none';
    if (!this.run.nodes.has(event.from))
      throw new Mismatch('step', `the network has no node '${event.from}'`);
    const label = labelFrom(from);
    const receipt = this.run.links.look(event.from, node.id, label, node.incarnation);
    if (receipt.kind !== 'unseen') return receipt;
    const sender = this.run.nodes.of(event.from);
    return sender.has(label[0]) && !sender.ended.has(label[0]) ? 'later' : receipt;
  }

  /**
   * Notes a receipt, and what is wrong with it. Returns the message, where its sending is known.
   */
  take(
    node: NodeJournals,
    { event, from = '?' }: JournalStep,
    receipt: Receipt | 'none',
  ): Sent | undefined {
    if (event.kind !== 'deliver') return undefined;
    if (receipt === 'none') {
      if (event.call === this.run.protocol.crashNotice) this.#notice(node, event.from);
      else {
        this.run.links.unnumbered++;
        this.run.miss(
          `Messages on ${event.from}→${node.id} have no numbers: node ${event.from} has no journal.`,
        );
      }
      return undefined;
    }
    const label = labelFrom(from);
    this.run.links.receive(event.from, node.id, label, node.incarnation, receipt);
    if (receipt.kind === 'unseen') {
      this.#beyond(node, event.from, label);
      return undefined;
    }
    this.#compare(receipt, event.call, `message ${from} on ${event.from}→${node.id}`);
    return receipt.sent;
  }

  /** A message that the node says it did not handle. */
  unhandled(node: NodeJournals, remark: string): void {
    const [, call = '', from = '', label = ''] =
      /^(.+) from (\S+) (\d+\.\d+|\?)$/s.exec(remark) ?? [];
    if (label === '' || node.node.handles(call, from))
      throw new Mismatch('line', `'${remark}' is no message that the state does not handle`);
    this.run.complain(
      'unhandled',
      `no transition of node ${node.id} takes '${call}' (from ${from}) here`,
      'Do all nodes run the same version?',
    );
    if (label === '?') return;
    const look = this.run.links.look(from, node.id, labelFrom(label), node.incarnation);
    if (look.kind === 'received') this.#unhandled.add(look.sent);
  }

  /** What is told as lost, or as still in flight. */
  missing(): Missing {
    const { order, loss } = this.run.protocol.channels;
    const firstOf = (id: NodeId) => this.run.nodes.of(id).readers[0];
    let [lost, inFlight] = [0, 0];
    for (const { sent, number, isLost } of this.run.links.missing(
      (id) => firstOf(id)?.header.incarnation ?? 0,
    )) {
      if (this.#unhandled.has(sent)) continue;
      if (!isLost || order === 'any') {
        inFlight++; // it may still arrive
        continue;
      }
      lost++;
      if (loss) continue;
      this.run.at = { file: firstOf(sent.from)?.name ?? '', line: 0 };
      this.run.complain(
        'lost',
        `message ${number}, '${sent.call}', on ${sent.from}→${sent.to} did not arrive, and a later one did`,
        transportCure,
      );
    }
    return { lost, inFlight };
  }

  #compare(receipt: Exclude<Receipt, { kind: 'unseen' }>, call: string, message: string): void {
    const { order, duplication } = this.run.protocol.channels;
    const { sent } = receipt;
    if (sent && sent.call !== call)
      this.run.complain(
        'altered',
        `${message} was sent as '${sent.call}' and arrived as '${call}'`,
        'Does the transport change messages?',
      );
    if (receipt.kind === 'again' && !duplication)
      this.run.complain('doubled', `${message} arrived a second time`, transportCure);
    if (receipt.kind === 'received' && receipt.isLate && order === 'fifo')
      this.run.complain('reordered', `${message} arrived after a later one`, transportCure);
  }

  /** A crash is reported after the end of the incarnation that crashed. */
  #noticed(node: NodeJournals, from: NodeId): 'none' | 'later' {
    const crashed = this.#crashed(node, from);
    return crashed === undefined || this.run.nodes.of(from).ended.has(crashed) ? 'none' : 'later';
  }

  #notice(node: NodeJournals, from: NodeId): void {
    const crashed = this.#crashed(node, from);
    const key = `${node.id} ${from}`;
    this.#notices.set(key, (this.#notices.get(key) ?? 0) + 1);
    if (crashed !== undefined) this.events.end(this.run.nodes.of(from), crashed);
  }

  /** The incarnation of `from` whose crash is reported next. */
  #crashed(node: NodeJournals, from: NodeId): number | undefined {
    const reported = this.#notices.get(`${node.id} ${from}`) ?? 0;
    return this.run.nodes.of(from).readers[reported]?.header.incarnation;
  }

  /** A message arrived whose sending is in no journal. */
  #beyond(node: NodeJournals, from: NodeId, [incarnation, number]: Label): void {
    const sender = this.run.nodes.of(from);
    const ended = sender.endOf(incarnation);
    if (!ended)
      return this.run.miss(
        `There is no journal of incarnation ${incarnation} of node ${from}, which sent messages.`,
      );
    if (ended.end === 'closed')
      return this.run.complain(
        'unsent',
        `node ${from} has not sent message ${incarnation}.${number} to ${node.id}, by its journal, which is whole`,
      );
    ended.beyond.set(node.id, (ended.beyond.get(node.id) ?? 0) + 1);
    this.events.end(sender, incarnation);
  }
}
