import {
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  createActor,
  type EventObject,
} from 'xstate';
import { stateNodes } from '../regions.js';

/**
 * What the compiler cannot express. At compile time XState takes all steps of the machine; in a
 * step, XState takes that step.
 */
export class NotCompilable extends Error {}

/** One part of a microstep, in XState's order. State nodes and transitions by number. */
export type Mark =
  | { readonly kind: 'exit' | 'entry' | 'initial'; readonly node: number }
  | { readonly kind: 'transition'; readonly transition: number }
  /** A done event; `output`: the final state that computes its output. */
  | { readonly kind: 'done'; readonly event: EventObject; readonly output: number | undefined }
  /** The output of the machine is computed, given a done event. */
  | { readonly kind: 'output'; readonly event: EventObject; readonly output: number | undefined };

/** What XState does in one microstep, whatever the context. */
export interface Recording {
  readonly marks: readonly Mark[];
  /** Of the copy that recorded it. */
  readonly reached: AnyMachineSnapshot;
  /** Whether XState makes a new snapshot, actions apart. */
  readonly changes: boolean;
}

/**
 * Active state nodes in XState's order, and the state nodes to return to by the id of their history
 * state; by number.
 */
export interface Active {
  readonly nodes: readonly number[];
  readonly history: ReadonlyMap<string, readonly number[]>;
}

/**
 * Every transition of a machine, by number: those of each state node in document order, `always`
 * last.
 */
export const transitionsOf = (nodes: readonly AnyStateNode[]): readonly AnyTransitionDefinition[] =>
  nodes.flatMap((node) => [...[...node.transitions.values()].flat(), ...(node.always ?? [])]);

/** What stands for the output of a final state while a microstep is recorded. */
class Output {
  constructor(readonly node: number) {}
}

/**
 * Has XState take single microsteps of a copy of a machine, whose actions only record that their
 * turn has come. So exits, entries, history, conflicts and done events are XState's own, and no
 * user code runs.
 */
export class Recorder {
  readonly #machine: AnyStateMachine;
  readonly #nodes: readonly AnyStateNode[];
  readonly #transitions: readonly AnyTransitionDefinition[];
  readonly #scope: Omit<AnyActorScope, 'actionExecutor'>;
  /** Before the first microstep. */
  readonly blank: AnyMachineSnapshot;
  readonly #marks: Mark[] = [];
  readonly #asked: number[] = [];
  /** The transitions that XState takes next. */
  #chosen: AnyTransitionDefinition[] = [];

  /**
   * @throws {NotCompilable} for a machine that was changed after it was built, so that a copy
   * differs.
   */
  constructor(original: AnyStateMachine) {
    const machine = original.provide({});
    machine.config = { ...machine.config, context: {} };
    this.#machine = machine;
    this.#nodes = stateNodes(machine);
    this.#transitions = transitionsOf(this.#nodes);
    requireSame(stateNodes(original), this.#nodes);
    for (const [number, node] of this.#nodes.entries()) this.#prepare(node, number);
    for (const [number, transition] of this.#transitions.entries()) {
      transition.actions = [this.#marking({ kind: 'transition', transition: number })];
      transition.guard = () => {
        this.#asked.push(number);
        return false;
      };
    }
    for (const node of this.#nodes) Object.assign(node, { always: undefined });
    machine.getTransitionData = () => this.#chosen.splice(0);
    const self = createActor(machine);
    const ignore = () => {};
    this.#scope = {
      self,
      id: '',
      sessionId: '',
      system: self.system,
      logger: ignore,
      defer: ignore,
      emit: ignore,
      stopChild: ignore,
    };
    this.blank = Object.assign(machine.resolveState({ value: {}, context: {} }), {
      _nodes: [machine.root],
      status: 'active',
    });
  }

  /** The start of the machine. */
  initial(): Recording {
    this.#marks.length = 0;
    const reached = this.#machine.getInitialSnapshot({ ...this.#scope, actionExecutor: () => {} });
    if (reached.status === 'error')
      throw new NotCompilable('XState cannot enter its initial state');
    return { marks: [...this.#marks], reached, changes: true };
  }

  /** The microstep of these enabled transitions. */
  microstep({ nodes, history }: Active, transitions: readonly number[]): Recording {
    this.#marks.length = 0;
    const before = {
      ...this.blank,
      _nodes: nodes.map((node) => this.#node(node)),
      historyValue: this.#history(history),
      status: 'active',
    };
    this.#chosen = transitions.map(
      (transition) => this.#transitions[transition] as AnyTransitionDefinition,
    ); // numbers of this machine
    const reached = this.#machine.transition(
      before as AnyMachineSnapshot,
      { type: 'event' },
      { ...this.#scope, actionExecutor: () => {} },
    );
    return { marks: [...this.#marks], reached, changes: reached !== before };
  }

  /**
   * The transitions of a state node for events of `type`, in the order in which XState asks their
   * guards.
   */
  candidates(node: number, type: string): readonly number[] {
    this.#asked.length = 0;
    (this.#node(node) as AnyStateNode & Asking).next(this.blank, { type });
    return [...this.#asked];
  }

  #node(number: number): AnyStateNode {
    return this.#nodes[number] as AnyStateNode; // a number of this machine
  }

  #history(history: Active['history']): Record<string, AnyStateNode[]> {
    return Object.fromEntries(
      [...history].map(([id, nodes]) => [id, nodes.map((node) => this.#node(node))]),
    );
  }

  #prepare(node: AnyStateNode, number: number): void {
    node.entry = [this.#marking({ kind: 'entry', node: number })];
    node.exit = [this.#marking({ kind: 'exit', node: number })];
    if (node.initial.actions.length > 0)
      node.initial.actions = [this.#marking({ kind: 'initial', node: number })];
    if (node.output === undefined) return;
    node.output = node.parent
      ? () => new Output(number)
      : ({ event }: { event: EventObject }) => {
          this.#marks.push({ kind: 'output', ...outputOf(event) });
        };
  }

  /**
   * A built-in action, for XState, that leaves `mark`; done events that XState raises from then on
   * leave one as well.
   */
  #marking(mark: Mark): () => void {
    const marks = this.#marks;
    const resolve = (
      _scope: unknown,
      snapshot: unknown,
      _args: unknown,
      _params: unknown,
      _action: unknown,
      { internalQueue }: Raising,
    ) => {
      marks.push(mark);
      internalQueue.push = (event) => marks.push({ kind: 'done', ...outputOf(event) });
      return [snapshot];
    };
    return Object.assign(() => {}, { type: 'mark', resolve });
  }
}

/** XState's own method of a state node; its type is hidden. */
interface Asking {
  next(snapshot: AnyMachineSnapshot, event: EventObject): unknown;
}

interface Raising {
  readonly internalQueue: { push(event: EventObject): number };
}

function outputOf(event: EventObject): { event: EventObject; output: number | undefined } {
  const { output } = event as EventObject & { output?: unknown }; // a done event
  return { event, output: output instanceof Output ? output.node : undefined };
}

function requireSame(originals: readonly AnyStateNode[], copies: readonly AnyStateNode[]): void {
  const shape = (nodes: readonly AnyStateNode[]) =>
    JSON.stringify([
      nodes.map(({ id, type, history, order }) => [id, type, history, order]),
      transitionsOf(nodes).map(({ source, eventType, target, reenter }) => [
        source.id,
        eventType,
        target?.map(({ id }) => id),
        reenter,
      ]),
    ]);
  if (shape(originals) !== shape(copies)) throw new NotCompilable('was changed after it was built');
}
