import type { NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Link } from '../link/link.js';
import type { StudioBudget } from '../link/setup.js';
import { type Moment, Run } from './run.js';
import { type System, systemOf } from './system.js';

/** One system under the hands of its user: what was tried, where it stands, what is chosen. All views show a session. */
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
  /** Of a run that is infinite: the moment of the path to which its last step returns. At the tip itself: nothing more happens, forever. */
  readonly loop: Signal<Moment | undefined>;

  constructor(readonly system: System) {
    this.run = new Run(system);
    this.now = signal(this.run.start);
    this.tip = signal(this.run.start);
    this.path = computed(() => this.run.path(this.tip.value));
    this.node = signal(system.topology.nodes[0] ?? '');
    this.loop = signal(undefined);
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
   * @throws {ConclaveError} `bad-input` for a number that no action has.
   */
  show(steps: readonly number[], { at = steps.length, times, loopsFrom }: Pick<Link, 'at' | 'times' | 'loopsFrom'> = {}): void {
    let moment = this.run.start;
    for (const [index, number] of steps.entries()) moment = this.run.take(moment, number, times?.[index]);
    this.tip.value = moment;
    this.now.value = this.path.value[at] ?? moment;
    this.loop.value = loopsFrom === undefined ? undefined : this.path.value[loopsFrom];
  }

  /** The system with another budget, and the same run in it. @throws {ConclaveError} `bad-input`. */
  async withBudget(change: StudioBudget): Promise<Session> {
    const { setup } = this.system;
    const system = await systemOf({ ...setup, budget: { ...setup.budget, ...change } });
    const session = new Session(system);
    let moment = session.run.start;
    const moments = [moment];
    for (const { step } of this.path.value.slice(1)) {
      const number = session.run.actions(moment).findIndex((action) => JSON.stringify(action) === JSON.stringify(step?.action));
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

  /** The session that a link describes. @throws {ConclaveError} `bad-input`, `bad-topology`. */
  static async open(link: Link): Promise<Session> {
    const session = new Session(await systemOf(link.setup));
    session.show(link.steps, link);
    if (link.node !== undefined && session.system.topology.has(link.node)) session.node.value = link.node;
    return session;
  }
}
