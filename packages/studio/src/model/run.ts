import type { Action, World } from '@conclave/check';
import { actionLines, nextOrFault } from '@conclave/check/internal';
import { roleOf, start } from '@conclave/core/internal';
import { traceHeader, traceLine } from '@conclave/core/internal/trace';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import type { Trace, TraceLine } from '@conclave/core/trace';
import { badInput } from '../base/bad-input.js';
import { memo } from '../base/collections.js';
import { say } from '../texts/say.js';
import type { System } from './system.js';

/**
 * One world that was visited, and how it was reached. The moments of a run are a tree: what was
 * tried.
 */
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
  /**
   * Why the machine of the node cannot take it, such as an unhandled message: then the world is the
   * one before, and nothing more happens.
   */
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

  /** How many moments there are. */
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

const isInStart = ({ step }: Moment): boolean =>
  step?.action.type === 'crash' && step.action.during?.type === 'start';

/**
 * A line of a trace, and the moment that its step led to; the beginning for the start of a node.
 */
export interface RunLine {
  readonly line: TraceLine;
  readonly moment: Moment;
}
