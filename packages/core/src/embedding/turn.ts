import type { ConclaveError } from '../base/error.js';
import type { LiveNode, Moment, StateBefore } from '../protocol/compiled/live-node.js';
import { momentOf, valueBefore } from '../protocol/compiled/live-node.js';
import type { NodeId } from '../protocol/node.js';
import type { HostEffect } from '../protocol/step.js';
import type { Stimulus } from '../protocol/stimulus.js';
import type { JournalWriter } from './journal-writer.js';
import type { NodeChannels } from './node-channels.js';
import type { Observers } from './observers.js';

/** What a node did in a step. */
interface Taken {
  readonly stimulus: Stimulus;
  /** Of the message that it received. */
  readonly label: string | undefined;
  readonly before: StateBefore | undefined;
  readonly effects: readonly HostEffect[];
}

/**
 * What the steps of one turn of the event loop tell and send. It waits until what they promise is
 * on stable storage, which takes one write for all of them.
 */
export class Turn {
  journal: JournalWriter | undefined;
  /** Whether a message of a step is lost that its transport promised to deliver. */
  isBroken = false;
  #waiting: (() => void)[] = [];

  /** @param commit writes what the steps of the turn have staged */
  constructor(
    private readonly observers: Observers,
    private readonly channels: NodeChannels,
    private readonly commit: () => void,
  ) {}

  /** Whether something waits: what comes after it has to wait, too. */
  get isOpen(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * @param isStaged whether the step has to wait
   * @returns whether it is the first one that waits: then the end of the turn has to be arranged
   */
  stepped(node: LiveNode, taken: Taken, isStaged: boolean): boolean {
    if (!isStaged && !this.isOpen) {
      this.#tell(node, taken, (error, to) => this.observers.report(error, to));
      return false;
    }
    const moment = momentOf(node);
    // the transport may be closed meanwhile: to the others it was closed before the step
    const report = (error: ConclaveError, to: NodeId) =>
      error.code === 'closed' || this.observers.report(error, to);
    return this.#waiting.push(() => this.#tell(moment, taken, report)) === 1;
  }

  /** Writes to the journal now, or after what waits. */
  note(write: (journal: JournalWriter) => void): void {
    const { journal } = this;
    if (!journal) return;
    if (this.isOpen) this.#waiting.push(() => write(journal));
    else write(journal);
  }

  /** @throws what `commit` throws: then nothing is told. */
  end(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    this.commit();
    for (const tell of waiting) tell();
  }

  #tell(
    moment: Moment,
    { stimulus, label, before, effects }: Taken,
    report: (error: ConclaveError, to: NodeId) => void,
  ): void {
    const { observers } = this;
    const labelled = this.journal?.step(moment, {
      stimulus,
      label,
      before: before && valueBefore(before),
      effects,
    });
    // First what the machine tells, since it may be the reason for the new state.
    for (const effect of effects)
      if (effect.type === 'notify') observers.notify(effect.notification);
    observers.stepped(moment);
    const lost = this.channels.send(effects, labelled, report);
    if (!lost) return;
    this.isBroken = true;
    throw lost;
  }
}
