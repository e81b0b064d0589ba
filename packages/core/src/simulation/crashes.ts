import type { Random } from '../base/random.js';
import { drawPart, groupsOf } from '../channel/partial-sends.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { HostEffect } from '../protocol/step.js';

/** A step in whose middle its node crashes. */
export interface Interruption {
  /** What the step sends before the crash. */
  readonly sent: readonly HostEffect[];
  /** What has not left the node. */
  readonly unsent: readonly { readonly to: NodeId; readonly message: Message }[];
}

interface Due {
  /** After how many milliseconds the node restarts. */
  readonly restartAfter: number | undefined;
  /** How many choices of the node are open. */
  readonly open: number;
}

/** The crashes that are due: each comes in the middle of the next step of its node. */
export class Crashes {
  /** By place of the node. */
  readonly #due = new Map<number, Due>();

  constructor(
    private readonly random: Random,
    /** The order of the channels now. */
    private readonly order: () => 'fifo' | 'any',
    /** Plans a restart. */
    private readonly restart: (node: number, after: number) => void,
  ) {}

  /** The node whose crash has been due for the longest time. */
  get longestDue(): number | undefined {
    const [node] = this.#due.keys();
    return node;
  }

  /**
   * A crash of `node` is due. Two that are due at once are one; the later one says when the node
   * restarts.
   */
  expect(node: number, restartAfter: number | undefined): void {
    this.#due.set(node, { restartAfter, open: 0 });
  }

  /** To be called after each crash. */
  happened(node: number): void {
    const { restartAfter } = this.#due.get(node) ?? {};
    this.#due.delete(node);
    if (restartAfter !== undefined) this.restart(node, restartAfter);
  }

  /**
   * What the crash does that is due in a step of `node` with these effects; undefined where none
   * is. Any part of the sends is lost, each with the same chance. Where nothing is, the crash comes
   * after the step, with the answers to its choices. A crash that is due at a step that opens a
   * choice comes, with equal chance, in the middle of this step, which leaves the choice
   * unanswered, or of one of the answers.
   */
  in(node: number, effects: readonly HostEffect[]): Interruption | 'after' | undefined {
    const due = this.#due.size === 0 ? undefined : this.#due.get(node);
    if (!due) return undefined;
    const opened = effects.filter(({ type }) => type === 'choose').length;
    const open = Math.max(0, due.open - 1) + opened; // with open choices, a step is an answer
    this.#due.set(node, { ...due, open });
    if (opened > 0 && this.random.chance(0.5)) return undefined;
    const lost = new Set(drawPart(groupsOf(effects, this.order(), JSON.stringify), this.random));
    if (lost.size === 0 && opened === 0) return open === 0 ? 'after' : undefined;
    const sends = effects.filter((effect) => effect.type === 'send');
    return {
      sent: sends.filter((_, position) => !lost.has(position)),
      unsent: sends.filter((_, position) => lost.has(position)),
    };
  }
}
