import type { NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Possible, possible, type Target } from '../../model/possible.js';
import type { Session } from '../../model/session.js';

/** What can happen at the moment that is shown; computed once for all views. */
export interface Offered {
  readonly all: ReadonlySignal<readonly Possible[]>;
  /** Those that the list shows, in its order: what the keys choose among. */
  readonly listed: ReadonlySignal<readonly Possible[]>;
  /** Whether the list has those of the chosen node only. */
  readonly ofNode: Signal<boolean>;
  /** The position in `listed` that the keys have chosen; undefined: none. */
  readonly cursor: Signal<number | undefined>;
}

const known = new WeakMap<Session, Offered>();

export function offeredBy(session: Session): Offered {
  const before = known.get(session);
  if (before) return before;
  const ofNode = signal(false);
  const all = computed(() => possible(session.run, session.now.value));
  const listed = computed(() => {
    const { value: node } = session.node;
    return ofNode.value ? all.value.filter(({ target }) => isAbout(target, node)) : all.value;
  });
  const offered = { all, listed, ofNode, cursor: signal<number | undefined>(undefined) };
  known.set(session, offered);
  return offered;
}

/** Whether something happens at a node; a message is at its receiver. */
export const isAbout = (target: Target, node: NodeId): boolean =>
  target.kind === 'node' ? target.node === node : target.kind === 'message' && target.to === node;

/** What the pointer or the keys point at, in whichever view: the others mark it. */
export const pointed = signal<Target | undefined>(undefined);

/** Whether `pointed` is this node, or a message at this position. */
export const isPointedNode = (node: NodeId): boolean => pointed.value?.kind === 'node' && pointed.value.node === node;

export const isPointedMessage = (from: NodeId, to: NodeId, position: number): boolean => {
  const target = pointed.value;
  return target?.kind === 'message' && target.from === from && target.to === to && target.positions.includes(position);
};
