import { worldKey } from '@conclave/check/internal';
import type { NodeId } from '@conclave/core/protocol';
import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { badInput } from '../base/bad-input.js';
import type { Link } from '../link/link.js';
import { say } from '../texts/say.js';
import type { StudioBudget } from './budget.js';
import { type Moment, Run } from './run.js';
import { type System, systemOf } from './system.js';

/**
 * One system under the hands of its user: what was tried, where it stands, what is chosen. All
 * views show a session.
 */
export class Session {
  static #sessions = 0;
  /** Another one for each session of the page. */
  readonly id = ++Session.#sessions;
  readonly run: Run;
  /** The moment that is shown. */
  readonly now: Signal<Moment>;
  /** The end of the branch that is shown; `now` is on the way to it. */
  readonly tip: Signal<Moment>;
  /** The moments from the beginning to the tip. */
  readonly path: ReadonlySignal<readonly Moment[]>;
  /** The chosen node. */
  readonly node: Signal<NodeId>;
  /** The moment that was shown when it was chosen. */
  readonly chosenAt: Signal<Moment>;
  /** The moment that is shown, where a single step forward led to it; else undefined. */
  readonly stepped: Signal<Moment | undefined> = signal(undefined);
  /**
   * Of a run that is infinite: the moment of the path to which its last step returns. At the tip
   * itself: nothing more happens, forever.
   */
  readonly loop: Signal<Moment | undefined>;

  constructor(readonly system: System) {
    this.run = new Run(system);
    this.now = signal(this.run.start);
    this.tip = signal(this.run.start);
    this.path = computed(() => this.run.path(this.tip.value));
    this.node = signal(system.topology.nodes[0] ?? '');
    this.loop = signal(undefined);
    this.chosenAt = signal(this.run.start);
    effect(() => {
      this.node.value; // after each change
      this.chosenAt.value = this.now.peek();
    });
    let before = this.run.start;
    effect(() => {
      const { value: now } = this.now;
      this.stepped.value = now !== before && now.step?.from === before ? now : undefined;
      before = now;
    });
  }

  /** Takes the action with this number, from the moment that is shown. */
  take(number: number): void {
    this.goTo(this.run.take(this.now.value, number));
  }

  /** Shows a moment, on the branch that is shown if it is there, or else on its own. */
  goTo(moment: Moment): void {
    if (!this.path.value.includes(moment)) {
      this.tip.value = moment;
      this.loop.value = undefined;
    }
    this.now.value = moment;
  }

  back(): void {
    const before = this.now.value.step?.from;
    if (before) this.now.value = before;
  }

  /** One step on; at the end of an infinite run, back to where it repeats. */
  forward(): void {
    const { value: path } = this.path;
    const next = path[this.now.value.depth + 1] ?? this.loop.value;
    if (next) this.now.value = next;
  }

  /**
   * Shows a run from the beginning, as a branch: the numbers of its actions.
   *
   * @param at how many of the steps are taken; default all
   * @throws {ConclaveError} `bad-input` for a number that no action has: then the steps before it
   * are shown; and for a run that does not return to where it is said to repeat.
   */
  show(
    steps: readonly number[],
    { at = steps.length, times, loopsFrom }: Pick<Link, 'at' | 'times' | 'loopsFrom'> = {},
  ): void {
    let moment = this.run.start;
    try {
      for (const [index, number] of steps.entries())
        moment = this.run.take(moment, number, times?.[index]);
    } catch (error) {
      [this.tip.value, this.now.value, this.loop.value] = [moment, moment, undefined];
      throw error;
    }
    const path = this.run.path(moment);
    const loop = loopsFrom === undefined ? undefined : path[loopsFrom];
    if (loop) this.#checkLoop(loop, moment);
    this.tip.value = moment;
    this.now.value = path[at] ?? moment;
    this.loop.value = loop;
  }

  /**
   * A run that repeats forever is shown as such only if it does: its properties are judged by that.
   */
  #checkLoop(first: Moment, last: Moment): void {
    const { order } = this.system.worlds;
    const cure = say('Was the link made for another version of the protocol?');
    if (last.step?.fault || worldKey(first.world, order) !== worldKey(last.world, order))
      throw badInput(
        say('The run does not repeat from step {depth} on: its last world is another one', {
          depth: first.depth + 1,
        }),
        cure,
      );
    const goesOn =
      first === last &&
      this.run
        .actions(last)
        .some(({ type }) => type === 'deliver' || type === 'timeout' || type === 'choose');
    if (goesOn)
      throw badInput(
        say('The run does not end after step {depth}: a message, a timer or a choice is left', {
          depth: last.depth,
        }),
        cure,
      );
  }

  /**
   * The system with another budget, and the same run in it.
   * @throws {ConclaveError} `bad-input`.
   */
  async withBudget(change: StudioBudget): Promise<Session> {
    const { setup } = this.system;
    const system = await systemOf({ ...setup, budget: { ...setup.budget, ...change } });
    const session = new Session(system);
    let moment = session.run.start;
    const moments = [moment];
    for (const { step } of this.path.value.slice(1)) {
      const number = session.run
        .actions(moment)
        .findIndex((action) => JSON.stringify(action) === JSON.stringify(step?.action));
      if (number < 0) break;
      moment = session.run.take(moment, number, step?.time);
      moments.push(moment);
    }
    session.tip.value = moment;
    session.now.value = moments[this.now.value.depth] ?? moment;
    session.node.value = this.node.value;
    return session;
  }

  /** What a link to this says. */
  link(view: Link['view'] = 'world'): Link {
    const steps = this.path.value.slice(1).flatMap(({ step }) => (step ? [step] : []));
    const timed = steps.length > 0 && steps.every(({ time }) => time !== undefined);
    return {
      setup: this.system.setup,
      view,
      steps: steps.map(({ number }) => number),
      at: this.now.value.depth,
      ...(timed && { times: steps.map(({ time }) => time ?? 0) }),
      ...(this.loop.value && { loopsFrom: this.loop.value.depth }),
      node: this.node.value,
    };
  }

  /** Shows the run and the node of a link to this system. @throws {ConclaveError} `bad-input`. */
  follow(link: Link): void {
    const { node } = link;
    if (node !== undefined && !this.system.topology.has(node))
      throw badInput(
        say("There is no node '{node}' in '{topology}'", {
          node,
          topology: this.system.setup.topology ?? '',
        }),
        say('Leave node out of the link.'),
      );
    this.show(link.steps, link);
    if (node !== undefined) this.node.value = node;
  }

  /** The session that a link describes. @throws {ConclaveError} `bad-input`, `bad-topology`. */
  static async open(link: Link): Promise<Session> {
    const session = new Session(await systemOf(link.setup));
    session.follow(link);
    return session;
  }
}
