/** Which features of statecharts XState has used in the steps of random machines. */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  createActor,
  type EventObject,
  isMachineSnapshot,
} from 'xstate';
import { isLegal } from '../random-machine.contract.js';
import type { LocalState } from '../step.js';
import { Interpreted } from './compile.js';

/** What XState tells its inspector of one microstep. */
interface Microstep {
  readonly type: string;
  readonly event: EventObject;
  readonly snapshot: AnyMachineSnapshot;
  readonly _transitions: readonly AnyTransitionDefinition[];
}

/**
 * XState's own snapshot of a state that `step.ts` has made, which keeps it under a symbol, unless
 * the context contained −0.
 */
export function snapshotOf(state: LocalState): AnyMachineSnapshot | undefined {
  for (const key of Object.getOwnPropertySymbols(state)) {
    const kept: unknown = Reflect.get(state, key);
    if (isMachineSnapshot(kept)) return kept;
  }
  return undefined;
}

/** Counts what XState does. */
export class Features {
  readonly counts = new Map<string, number>();

  /** The step from `before` on `event`; the start of the machine without them. It must not fail. */
  look(
    machine: AnyStateMachine,
    input: unknown,
    before?: AnyMachineSnapshot,
    event?: EventObject,
  ): void {
    const self = createActor(machine, { input });
    const ignore = () => {};
    let last = before;
    let microsteps = 0;
    const inspect = (seen: Microstep) => {
      if (seen.type !== '@xstate.microstep') return;
      microsteps++;
      this.#microstep(last, seen);
      last = seen.snapshot;
    };
    const system = Object.assign(Object.create(self.system), { _sendInspectionEvent: inspect });
    const actionExecutor = ({
      type,
      params,
    }: {
      readonly type: string;
      readonly params?: unknown;
    }) => {
      const isDelayed =
        // XState's own shape
        type === 'xstate.raise' && (params as { delay?: number }).delay !== undefined;
      this.#count(isDelayed ? 'xstate.raise, delayed' : type);
    };
    const scope = {
      self,
      id: '',
      sessionId: '',
      system,
      logger: ignore,
      defer: ignore,
      emit: ignore,
      stopChild: ignore,
      actionExecutor,
    };
    if (before && event) machine.transition(before, event, scope);
    else last = machine.getInitialSnapshot(scope, input);
    if (microsteps > 2) this.#count('three microsteps or more');
    if (last?.status === 'done') this.#count('done');
    if (last && !isLegal(last)) this.#count('an illegal configuration');
  }

  #count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  #microstep(
    before: AnyMachineSnapshot | undefined,
    { event, snapshot, _transitions }: Microstep,
  ): void {
    if (_transitions.length > 1) this.#count('transitions of several regions');
    if (_transitions.length > 0 && event.type.startsWith('xstate.after.')) this.#count('after');
    for (const transition of _transitions)
      for (const what of kindsOf(transition, event, before)) this.#count(what);
    const left = new Set(before?._nodes);
    for (const node of snapshot._nodes) if (!left.delete(node)) this.#entered(node);
    for (const node of left) if (node.exit.length > 0) this.#count('exit actions');
    const orders = snapshot._nodes.map(({ order }) => order);
    if (orders.some((order, index) => order < (orders[index - 1] ?? 0)))
      this.#count('regions in order of entry');
    if (
      /&.*\(.*&/.test(snapshot._nodes.map(({ type }) => (type === 'parallel' ? '&(' : '')).join(''))
    )
      this.#count('nested parallel');
  }

  #entered(node: AnyStateNode): void {
    if (node.entry.length > 0) this.#count('entry actions');
    if (node.initial.actions.length > 0) this.#count('initial actions');
    if (node.type === 'final')
      this.#count(`final state${node.output === undefined ? '' : ' with output'}`);
  }
}

function kindsOf(
  transition: AnyTransitionDefinition,
  event: EventObject,
  before: AnyMachineSnapshot | undefined,
): string[] {
  const { target, source, eventType, reenter, guard } = transition;
  const isInternal = event.type.startsWith('xstate.');
  const kinds = [
    !target && 'targetless',
    target && reenter && 'reenter',
    target && target.length > 1 && 'several targets',
    target?.includes(source.machine.root) && 'target root',
    !source.parent && 'of the root',
    guard && 'guarded',
    eventType === '' && 'always',
    eventType.startsWith('xstate.done.state.') && `onDone of a ${source.type} state`,
    eventType.endsWith('*') && `wildcard ${isInternal ? 'takes an event of XState' : ''}`.trim(),
    transition !== source.transitions.get(eventType)?.[0] &&
      eventType !== '' &&
      'a later candidate',
    ...(target ?? []).map((node) => node.type === 'history' && historyKind(node, before)),
  ];
  return kinds.filter((kind) => typeof kind === 'string');
}

const historyKind = (
  { id, history }: AnyStateNode,
  before: AnyMachineSnapshot | undefined,
): string => `${history} history, ${before?.historyValue[id] ? 'recorded' : 'by default'}`;

type Method = 'start' | 'step' | 'fire' | 'takes';

/**
 * Counts, until `stop`, the steps of compiled machines that XState takes; `since` is how many there
 * were since it was asked last.
 */
export function fallBacks(): { readonly since: () => number; readonly stop: () => void } {
  const { start, step, fire, takes } = Interpreted.prototype;
  let count = 0;
  const counting = <A extends unknown[], R>(original: (this: Interpreted, ...args: A) => R) =>
    function (this: Interpreted, ...args: A): R {
      count++;
      return original.apply(this, args);
    };
  const methods: Pick<Interpreted, Method> = { start, step, fire, takes };
  Object.assign(Interpreted.prototype, {
    start: counting(start),
    step: counting(step),
    fire: counting(fire),
    takes: counting(takes),
  });
  const since = () => {
    const counted = count;
    count = 0;
    return counted;
  };
  return { since, stop: () => Object.assign(Interpreted.prototype, methods) };
}
