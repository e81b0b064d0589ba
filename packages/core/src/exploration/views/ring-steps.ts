import type { ConclaveError } from '../../base/error.js';
import type { Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { violatedBy } from '../../protocol/unhandled-messages.js';
import { canonical } from '../worlds/canonical.js';
import type { Renaming } from './data.js';
import type { LocalEvent } from './local-event.js';
import type { LocalSteps } from './local-steps.js';
import { messageIn, stateIn } from './part.js';
import { closeTogether, instances, renamed, renamingOf, starsInBoth } from './ring-names.js';
import { type RingWorlds, stranger } from './ring-world.js';
import { textOf } from './text.js';

/** A node in a ring of the first `size` names; without message, it moves by itself. */
export interface Cause {
  readonly size: number;
  readonly self: NodeId;
  readonly from: NodeId;
  readonly next: NodeId;
  readonly state: LocalState;
  readonly message?: Message | undefined;
}

/** A state, and what was sent to the next node. */
export interface Outcome {
  readonly state: LocalState;
  readonly sent: readonly Message[];
}

export const outcomeKey = ({ state, sent }: Outcome): string =>
  sent.length === 0 ? textOf(state) : `${textOf(state)} ${canonical(sent)}`;

interface Outcomes {
  /** By {@link outcomeKey}. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Why some of the steps fail, by the property that they violate. */
  readonly failures: ReadonlyMap<string, ConclaveError>;
}

/**
 * The steps of the nodes of a view, by XState. A node outside may have any name: a step is taken with
 * names before, between and behind those of the view.
 */
export class RingSteps {
  readonly #known = new Map<string, Outcomes>();

  constructor(
    private readonly worlds: RingWorlds,
    readonly local: LocalSteps,
  ) {}

  take(cause: Cause): Outcomes {
    const { size, self, from, next, state, message } = cause;
    const key = `${size} ${self} ${from} ${next} ${textOf(state)} ${message ? textOf(message) : ''}`;
    let known = this.#known.get(key);
    if (!known) {
      known = this.#take(cause);
      this.#known.set(key, known);
    }
    return known;
  }

  #take({ size, self, from, next, state, message }: Cause): Outcomes {
    const { family, detail, role } = this.worlds;
    const first = family.free.slice(0, size);
    const { chosen, others } = this.worlds.guesses(size, starsInBoth(state, message));
    const away = renamingOf(new Map(first.map((id, index) => [id, chosen[index] ?? id])));
    const ends = [self, from, next].map((id) => away.names.get(id) ?? id);
    const found = new Map<string, Outcome>();
    const failures = new Map<string, ConclaveError>();
    for (const guess of instances(...renamed(state, message, away), others)) {
      const [before, given, close] = closeTogether(guess, ends, family.free);
      const [id = '', sender = '', receiver] = ends.map((end) => close.names.get(end) ?? end);
      const back: Renaming = {
        all: new Set(close.names.values()),
        names: new Map(
          first.map((name, index) => [close.names.get(chosen[index] ?? '') ?? '', name] as const),
        ),
      };
      for (const event of this.#events(id, sender, before, given))
        for (const taken of this.local.take(role, before, event)) {
          if (taken.failure) {
            failures.set(violatedBy(taken.failure), taken.failure);
            continue;
          }
          if (taken.sends.some(({ to }) => to !== receiver)) throw stranger;
          const outcome = {
            state: stateIn(role, taken.state, back, detail),
            sent: taken.sends.map((sent) => messageIn(sent.message, back, detail)),
          };
          found.set(outcomeKey(outcome), outcome);
        }
    }
    return { outcomes: found, failures };
  }

  #events(
    self: NodeId,
    from: NodeId,
    state: LocalState,
    message: Message | undefined,
  ): readonly LocalEvent[] {
    if (message) return [{ kind: 'message', from, message }];
    return this.local.ownEvents(this.worlds.role, self, state);
  }
}
