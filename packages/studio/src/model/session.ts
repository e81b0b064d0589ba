/** A run as the tree of its moments, and the session that shows one of them: all views show a session. */
import type { Action, World } from '@conclave/check';
import { actionLines, nextOrFault, type Worlds, worldKey } from '@conclave/check/internal';
import { roleOf, start } from '@conclave/core/internal';
import { traceHeader, traceLine } from '@conclave/core/internal/trace';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { Trace, TraceLine } from '@conclave/core/trace';
import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { memo } from '../base/collections.js';
import { badInput } from '../base/input.js';
import type { Link } from '../link/link.js';
import { say } from '../texts/say.js';
import { type StudioBudget, type System, systemOf } from './system.js';

/** A world that was visited, and the step that led there. The moments of a run are a tree. */
export interface Moment {
  /** 0 for the beginning; in the order in which they were tried. */
  readonly id: number;
  readonly world: World;
  /** How many steps from the beginning. */
  readonly depth: number;
  /** The step that led here; none at the beginning. */
  readonly step?: Step;
  /** In the order tried. */
  readonly branches: readonly Moment[];
}

export interface Step {
  readonly from: Moment;
  readonly action: Action;
  /** Its position among the actions that were possible. */
  readonly number: number;
  readonly lines: readonly TraceLine[];
  /** In virtual milliseconds, where a simulation took it. */
  readonly time?: number;
  /** Why the machine cannot take it: the world is the one before, and nothing more happens. */
  readonly fault?: ConclaveError;
}

/** All worlds that were visited in one system. */
export class Run {
  readonly start: Moment;
  /** By node: its line for the start, if it acts there. */
  readonly #starts: ReadonlyMap<NodeId, TraceLine>;
  /** What can happen at a moment; nothing after a fault. */
  readonly actions = memo(({ step, world }: Moment): readonly Action[] =>
    step?.fault ? [] : this.system.worlds.actions(world),
  );
  #moments = 1;

  constructor(readonly system: System) {
    const { protocol, topology, worlds } = system;
    this.start = { id: 0, world: worlds.initial, depth: 0, branches: [] };
    this.#starts = new Map(
      topology.nodes.flatMap((node) => {
        const { machine, input } = roleOf(protocol, node, topology);
        const { state, effects } = start(machine, node, input(node, topology));
        const taken = { node, stimulus: { kind: 'start' }, after: state.value, effects } as const;
        return effects.length === 0 ? [] : [[node, traceLine(protocol, taken)] as const];
      }),
    );
  }

  get size(): number {
    return this.#moments;
  }

  /**
   * The moment after the action with this number; the known one if it was tried before.
   *
   * @throws {ConclaveError} `bad-input` if there is no such action.
   */
  take(from: Moment, number: number, time?: number): Moment {
    const known = from.branches.find(({ step }) => step?.number === number);
    if (known) return known;
    const { worlds } = this.system;
    const actions = this.actions(from);
    const action = actions[number];
    if (!action)
      throw badInput(
        say('Step {depth} is action {number}, and only {length} are possible', {
          depth: from.depth + 1,
          number: number + 1,
          length: actions.length,
        }),
        say('Was the link made for another version of the protocol?'),
      );
    const next = nextOrFault(worlds, from.world, action);
    const failed = next instanceof ConclaveError;
    const timed = time === undefined ? {} : { time };
    const lines = failed
      ? []
      : actionLines(worlds, from.world, action).map((line) => ({ ...timed, ...line }));
    const step: Step = { from, action, number, lines, ...timed, ...(failed && { fault: next }) };
    const moment: Moment = {
      id: this.#moments++,
      world: failed ? from.world : next,
      depth: from.depth + 1,
      step,
      branches: [],
    };
    (from.branches as Moment[]).push(moment); // the tree grows here only
    return moment;
  }

  /** The moments from the beginning to this one. */
  path(to: Moment): readonly Moment[] {
    const path: Moment[] = [];
    for (let at: Moment | undefined = to; at; at = at.step?.from) path.push(at);
    return path.reverse();
  }

  /**
   * The lines of the run to this moment, each with the moment that it led to. A node that acts at
   * its start has a line for it, directly before the choices of its start, or before the crash in
   * the middle of it.
   */
  lines(to: Moment): readonly RunLine[] {
    const { topology } = this.system;
    const [start = this.start, ...moments] = this.path(to);
    const timed = moments[0]?.step?.time === undefined ? {} : { time: 0 };
    const lines: RunLine[] = [];
    const add = (moment: Moment) => {
      for (const line of moment.step?.lines ?? []) lines.push({ line, moment });
    };
    const inStarts = moments.filter(isInStart);
    const others = moments.filter((moment) => !isInStart(moment));
    let next = 0;
    for (const id of topology.nodes) {
      const line = this.#starts.get(id);
      if (line) lines.push({ line: { ...timed, ...line }, moment: start });
      for (const moment of inStarts) if (moment.step?.lines[0]?.node === id) add(moment);
      for (
        let at = others[next];
        at?.step?.from.world.choosing[0]?.node === id;
        at = others[++next]
      )
        add(at);
    }
    for (const moment of others.slice(next)) add(moment);
    return lines;
  }

  /** The run to this moment as a trace. */
  trace(to: Moment): Trace {
    const { protocol, topology } = this.system;
    return {
      header: new Map(traceHeader(protocol, topology)),
      lines: this.lines(to).map(({ line }) => line),
    };
  }
}

/** The number of the action after these steps that fails with such an error; −1 without one. */
export function failingAction(
  worlds: Worlds,
  steps: readonly number[],
  isIt: (fault: ConclaveError) => boolean,
): number {
  let world = worlds.initial;
  for (const number of steps) {
    const action = worlds.actions(world)[number];
    if (action) world = worlds.next(world, action);
  }
  return worlds.actions(world).findIndex((action) => {
    const next = nextOrFault(worlds, world, action);
    return next instanceof ConclaveError && isIt(next);
  });
}

const isInStart = ({ step }: Moment): boolean =>
  step?.action.type === 'crash' && step.action.during?.type === 'start';

/** A line of a trace, and the moment after its step; of the start of a node, the beginning. */
export interface RunLine {
  readonly line: TraceLine;
  readonly moment: Moment;
}

/** One system in the hands of its user: the run, the moment and the node that are shown. */
export class Session {
  static #sessions = 0;
  /** Another one for each session of the page. */
  readonly id = ++Session.#sessions;
  readonly run: Run;
  readonly now: Signal<Moment>;
  /** The end of the branch that is shown; `now` is on the way to it. */
  readonly tip: Signal<Moment>;
  /** The moments from the beginning to the tip. */
  readonly path: ReadonlySignal<readonly Moment[]>;
  readonly node: Signal<NodeId>;
  /** The moment that was shown when it was chosen. */
  readonly chosenAt: Signal<Moment>;
  /** The moment that is shown, where a single step forward led to it; else undefined. */
  readonly stepped: Signal<Moment | undefined> = signal(undefined);
  /** To which the last step of an infinite run returns; the tip itself: nothing more happens. */
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

  /** A run is shown as one that repeats only if it does: its properties are judged by that. */
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
