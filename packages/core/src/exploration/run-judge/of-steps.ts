import { answerOf } from '../../protocol/answer.js';
import type { NodeId } from '../../protocol/node.js';
import type { AtMost, EveryStep } from '../../protocol/property.js';
import { handled, violatedBy } from '../../protocol/unhandled-messages.js';
import { waitingOf } from '../../protocol/waiting.js';
import { stepOf } from '../worlds/world.js';
import { listed } from './blame.js';
import type { Failures } from './failures.js';
import type { Position } from './position.js';
import { Decided, isFalse, isTrue, type Outcome, type Tracker, Unbroken } from './tracker.js';

/** `atMost`: the commands and messages so far. */
export class Cost extends Unbroken {
  private constructor(
    private readonly property: AtMost,
    private readonly commands: number,
    private readonly messages: number,
  ) {
    super();
  }

  static begin(property: AtMost, position: Position): Tracker {
    return new Cost(property, 0, 0).after(position);
  }

  after(position: Position): Tracker {
    const { most, per, of } = this.property;
    const action = position.taken && stepOf(position.taken.action);
    const { crashNotice } = position.worlds.protocol; // the network sends it, not the protocol
    const counted = position.sent.filter((type) =>
      of ? of.includes(type) : type !== crashNotice,
    ).length;
    const commands =
      this.commands +
      (action?.type === 'command' && action.command.type === per && !position.fault ? 1 : 0);
    const cost = new Cost(this.property, commands, this.messages + counted);
    if (cost.messages <= most * commands) return cost;
    return new Decided(isFalse(cost.#text(), position.actor === undefined ? [] : [position.actor]));
  }

  now(): Outcome {
    return isTrue(this.#text());
  }

  override repeated(first: Tracker): Outcome {
    const isMore =
      first instanceof Cost && this.messages > first.messages && this.commands === first.commands;
    return isMore
      ? isFalse(`Each round sends ${this.messages - first.messages} more, without a command.`)
      : this.now();
  }

  #text(): string {
    const { most, per } = this.property;
    return `${this.messages} of at most ${most * this.commands}, after ${this.commands} ${per}.`;
  }
}

/** `everyStep`. */
export class Steps extends Unbroken {
  private constructor(private readonly property: EveryStep) {
    super();
  }

  static begin(property: EveryStep): Tracker {
    return new Steps(property);
  }

  after({ step }: Position): Tracker {
    if (!step || answerOf(this.property, this.property.allows, step)) return this;
    return new Decided(isFalse(`The step of ${step.after.id} is not allowed.`, [step.after.id]));
  }

  now(): Outcome {
    return isTrue('Each step so far is allowed.');
  }
}

/**
 * Every message is handled, no step fails: false where some action fails in this way that is
 * possible, as the explorer has it.
 */
export class NoFault implements Tracker {
  constructor(
    private readonly name: string,
    private readonly position: Position,
    private readonly failures: Failures,
  ) {}

  after(position: Position): Tracker {
    return this.position.fault ? this : new NoFault(this.name, position, this.failures);
  }

  now(): Outcome {
    const { fault, actor } = this.position;
    if (fault && violatedBy(fault) === this.name)
      return isFalse(fault.message, actor === undefined ? [] : [actor]);
    const failure = this.failures.firstIn(this.position, this.name);
    if (failure) return isFalse(failure.error.message, [failure.node]);
    return isTrue(
      this.name === handled
        ? 'Each message that can arrive is handled.'
        : 'Each step that can be taken succeeds.',
    );
  }

  ended(): Outcome {
    return this.now();
  }

  repeated(_first: Tracker, loop: readonly Position[]): Outcome {
    const outcomes = loop.map((position) => new NoFault(this.name, position, this.failures).now());
    return outcomes.find(({ value }) => value === 'false') ?? this.now();
  }
}

/** No node waits where nothing can happen. */
export class NoDeadlock implements Tracker {
  constructor(
    private readonly name: string,
    private readonly position: Position,
  ) {}

  after(position: Position): Tracker {
    return new NoDeadlock(this.name, position);
  }

  now(): Outcome {
    return isTrue(
      this.position.fault
        ? 'The run goes no further than the fault.'
        : 'Something can still happen.',
    );
  }

  ended(): Outcome {
    const { worlds, view } = this.position;
    const waiting = waitingOf(worlds.protocol);
    const stuck: NodeId[] = [];
    for (const node of waiting ? view.nodes : [])
      if (!node.crashed && waiting && answerOf({ name: this.name }, waiting, node))
        stuck.push(node.id);
    if (stuck.length === 0) return isTrue('Nothing can happen, and no node waits.');
    return isFalse(
      `Nothing can happen, and ${listed(stuck, 'and')} ${stuck.length === 1 ? 'waits' : 'wait'}.`,
      stuck,
    );
  }

  repeated(): Outcome {
    return this.now();
  }
}
