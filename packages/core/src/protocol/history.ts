import { badInput, ConclaveError } from '../base/error.js';
import type { Topology } from '../topology/topology.js';
import type { Json, Message, NodeId } from './node.js';
import { changesFrozen, frozenData, impure, placeOf, plainCure } from './plain-data.js';
import type { Cause, NodeStep } from './property.js';
import { enterUserCode, leaveUserCode } from './purity.js';

/**
 * A history variable: what a judge remembers about the past of each node, as plain data (auxiliary
 * variables: Owicki & Gries 1976; Abadi & Lamport 1991). The machine does not see it, so it does
 * not change what can happen; properties read it as `history` of a node. A crash and a restart keep
 * it. The start of a node is no step.
 *
 * @example history: { initial: () => 0, after: (entries, { before, after }) => entries +
 * (isIn(after) && !isIn(before) ? 1 : 0) }
 */
export interface History<H extends Json = Json> {
  /** The history of node `self` before its first step. */
  initial(self: NodeId, topology: Topology): H;
  /** The history after a step. It depends on its arguments only, and changes neither. */
  after(history: H, step: NodeStep): H;
  /**
   * What each message sent in a step carries along, given the history after that step. Its receiver
   * gets it as `label` of the step.
   */
  label?(history: H): Json;
}

/** The field of a message under which its label travels. */
export const labelKey = '@label';

type Labelled = Message & { readonly [labelKey]?: Json };

/** What a message carries along; undefined where it carries nothing. */
export const labelOf = (message: Labelled): Json | undefined => message[labelKey];

/** A message as machines, properties and traces see it. */
export function unlabelled<M extends Message>(message: M): M {
  if (!Object.hasOwn(message, labelKey)) return message;
  const { [labelKey]: _, ...plain }: M & Labelled = message;
  return plain as unknown as M; // a label is no field of M
}

/** The history variable of one node. */
export class NodeHistory {
  /**
   * Undefined for a protocol without a history. `unchecked`: its values are neither checked nor
   * frozen, since they are compared with data known to be plain.
   */
  static of(
    { history }: { readonly history?: History },
    topology: Topology,
    id: NodeId,
    unchecked = false,
  ): NodeHistory | undefined {
    return history && new NodeHistory(history, topology, id, unchecked);
  }

  private constructor(
    private readonly variable: History,
    private readonly topology: Topology,
    private readonly id: NodeId,
    private readonly unchecked: boolean,
  ) {}

  /** @throws {ConclaveError} `bad-input` for a result that is no plain data; `impure`. */
  initial(): Json {
    return this.#asked('its first value', () => this.variable.initial(this.id, this.topology));
  }

  /**
   * @throws {ConclaveError} as {@link initial}, and `impure` for a function that changes its
   * arguments.
   */
  after(before: Json, step: NodeStep): Json {
    return this.#asked(causeText(step.cause), () => this.variable.after(before, step));
  }

  /** `message` with the label that `history` gives it; the message itself without labels. */
  labelled<M extends Message>(message: M, history: Json): M {
    const { variable } = this;
    if (!variable.label) return message;
    if (Object.hasOwn(message, labelKey))
      throw badInput(
        `Node ${this.id} sends '${message.type}' with a field '${labelKey}', the name of the labels`,
        'Rename the field.',
      );
    const label = this.#asked('a label', () => variable.label?.(history), 'label');
    return Object.freeze({ ...message, [labelKey]: label });
  }

  #asked(what: string, ask: () => unknown, path = 'history'): Json {
    const who = `The history of node ${this.id}, at ${what},`;
    const before = enterUserCode(who);
    let result: unknown;
    try {
      result = ask();
    } catch (error) {
      if (error instanceof ConclaveError) throw error;
      if (changesFrozen(error)) throw impure(who, `${error.message}${placeOf(error)}`, error);
      const why = error instanceof Error ? `${error.message}${placeOf(error)}` : String(error);
      throw badInput(`${who} fails: ${why}`, 'Let it answer for every step.', { cause: error });
    } finally {
      leaveUserCode(before);
    }
    if (this.unchecked) return result as Json; // what it is compared with is
    const refuse = (bad: string) => badInput(`${who} is no plain data: ${bad}`, plainCure);
    return frozenData(result as Json, path, refuse); // it is plain data, or refused
  }
}

function causeText(cause: Cause): string {
  switch (cause.kind) {
    case 'command':
      return `'${cause.command.type}'`;
    case 'message':
      return `'${cause.message.type}' from ${cause.from}`;
    case 'timeout':
      return `the time-out '${cause.timer}'`;
    case 'choice':
      return 'a choice';
  }
}
