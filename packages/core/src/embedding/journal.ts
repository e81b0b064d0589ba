import type { Observable } from 'rxjs';
import type { StateValue } from 'xstate';
import type { ConclaveError } from '../base/error.js';
import { linkLabel } from '../protocol/check.js';
import type { Moment } from '../protocol/compiled/compiled-node.js';
import type { Json, Message, NodeId, Stimulus } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import type { HostEffect } from '../protocol/step.js';
import type { Topology } from '../topology/topology.js';
import {
  closedLine,
  headerLines,
  isLabel,
  markedLine,
  unhandledLine,
} from '../trace/journal-text.js';
import { stepText } from '../trace/recording.js';
import { protocolFingerprint, StateHashes } from '../trace/state-hash.js';
import { callText } from '../trace/trace.js';

/**
 * Where an embedded node writes its journal: one line for each step, in the one text form, see
 * docs/journals.md.
 *
 * @example embed(protocol, { self, peers, transport, journal: fileJournal('journals', 'a') });
 */
export interface Journal {
  /**
   * Takes one line, without its end of line. It may be buffered. A line that cannot be written is
   * an error of `errors$`, not of this call.
   */
  append(line: string): void;
  /** Hands over what is buffered: a node calls it when it has written the header. */
  flush?(): void;
  /** Hands over what is buffered. */
  close(): Promise<void>;
  /**
   * That lines are lost: the first, and then at growing pauses. Must hold what happens until its
   * first subscriber.
   */
  readonly errors$?: Observable<ConclaveError>;
  /** Whether a node stops when its journal fails. Default: it goes on, without the lines. */
  readonly required?: boolean;
}

/** What arrived, without the label of its link. */
interface Unlabelled {
  readonly message: unknown;
  readonly label: string | undefined;
}

/**
 * Takes the label of the link off a message that arrived. A label that is none counts as missing.
 */
export function withoutLabel(message: unknown): Unlabelled {
  if (typeof message !== 'object' || message === null || !(linkLabel in message))
    return { message, label: undefined };
  const label = message[linkLabel];
  const bare: Record<string, unknown> = {};
  const fields = message as Readonly<Record<string, unknown>>; // an object that is not null
  for (const key in fields) if (key !== linkLabel) bare[key] = fields[key];
  return { message: bare, label: isLabel(label) ? label : undefined };
}

/** Writes the steps of one node to its journal. */
export class JournalWriter {
  #steps = 0;
  readonly #prefix: string;
  readonly #hashes = new StateHashes();
  /** By receiver: how many messages were sent to it. */
  readonly #sent = new Map<NodeId, number>();

  /** @param stable what the node had in stable storage; undefined at its first start */
  constructor(
    private readonly journal: Journal,
    private readonly protocol: Protocol,
    topology: Topology,
    node: NodeId,
    private readonly incarnation: number,
    private readonly stable: Readonly<Record<string, Json>> | undefined,
  ) {
    this.#prefix = `${incarnation}.`;
    const { name, options = {} } = protocol;
    const header = {
      protocol: name,
      options,
      machine: protocolFingerprint(protocol),
      topology: topology.spec,
      node,
      incarnation,
    };
    for (const line of headerLines(stable ? { ...header, stable } : header)) journal.append(line);
    // so that a process that is killed soon has said which incarnation it was
    journal.flush?.();
  }

  /**
   * Writes a step. Returns its messages with the labels of their links, in the order of its sends.
   */
  step(
    { id, value, context, timers }: Moment,
    {
      stimulus,
      label,
      before,
      effects,
    }: {
      readonly stimulus: Stimulus;
      /** Of the message that the step has received. */
      readonly label: string | undefined;
      readonly before: StateValue | undefined;
      readonly effects: readonly HostEffect[];
    },
  ): readonly Message[] {
    let numbers = none;
    let messages: readonly Message[] = nothing;
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      const number = (this.#sent.get(effect.to) ?? 0) + 1;
      this.#sent.set(effect.to, number);
      numbers = [...numbers, number];
      messages = [...messages, labelled(effect.message, this.#prefix + number)];
    }
    // the host starts it from its storage
    const isRestart = stimulus.kind === 'start' && this.stable !== undefined;
    const text = stepText(this.protocol, {
      node: id,
      stimulus: isRestart ? restart : stimulus,
      after: value,
      effects,
      ...(before !== undefined && { before }),
    });
    const from = isReceipt(stimulus) ? (label ?? '?') : undefined;
    const state = this.#hashes.of(value, context, timers);
    this.#steps++;
    this.journal.append(
      markedLine(text, {
        incarnation: this.incarnation,
        step: this.#steps,
        from,
        sent: numbers,
        state,
      }),
    );
    return messages;
  }

  /** Writes that a message was not taken. */
  unhandled(message: Message, from: NodeId, label: string | undefined): void {
    this.journal.append(unhandledLine(callText(this.protocol.messages, message), from, label));
  }

  close(): Promise<void> {
    this.journal.append(closedLine(this.#steps));
    return this.journal.close();
  }
}

const none: readonly number[] = [];
const nothing: readonly Message[] = [];
const restart: Stimulus = { kind: 'restart' };

const labelled = (message: Message, label: string): Message => {
  const copy = { ...message };
  return Object.assign(copy, { [linkLabel]: label });
};

const isReceipt = (stimulus: Stimulus): boolean =>
  stimulus.kind === 'event' && 'from' in stimulus.event;
