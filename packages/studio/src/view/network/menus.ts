import type { NodeId } from '@conclave/core/protocol';
import { impossible } from '../../model/impossible.js';
import { type Impossible, type Possible, separates, type Target } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { capital, shortWordsOf, smallerSide } from '../../model/words.js';
import { offeredBy } from '../actions/offered.js';
import type { MenuItem } from '../parts/menu.js';
import { allow, attempt } from '../studio.js';

/** What can happen to a message at a position of its channel, and what cannot. */
export function messageItems(session: Session, from: NodeId, to: NodeId, position: number): readonly MenuItem[] {
  const isIt = (target: Target) =>
    target.kind === 'message' && target.from === from && target.to === to && target.positions.includes(position);
  return itemsOf(session, isIt);
}

/** What can happen at a node, and what cannot: of its timers only the armed ones. */
export function nodeItems(session: Session, node: NodeId): readonly MenuItem[] {
  const { world } = session.now.value;
  const isCrashed = world.crashed.includes(node);
  const armed = world.nodes[node]?.timers.map(({ id }) => id) ?? [];
  const isIt = (target: Target) => target.kind === 'node' && target.node === node;
  return itemsOf(session, isIt, ({ action }) => {
    if (action.type === 'timeout') return !isCrashed && armed.includes(action.timer);
    return action.type === (isCrashed ? 'crash' : 'restart') ? false : !isCrashed || action.type === 'restart';
  });
}

/** How the network can be split between two nodes, or healed. `chooseSide` opens the choice among many splits. */
export function edgeItems(session: Session, from: NodeId, to: NodeId, chooseSide: () => void): readonly MenuItem[] {
  const { system, now } = session;
  const { nodes } = system.topology;
  const splits = splitsBetween(session, from, to);
  const few = 6;
  const bySize = splits.toSorted((one, other) => sizeOf(one) - sizeOf(other));
  const items = (splits.length > few + 1 ? bySize.slice(0, few) : bySize).map((split) => itemOf(session, split));
  if (splits.length > few + 1) items.push({ label: 'Choose both sides …', hint: `${splits.length} ways`, run: chooseSide });
  const heal = offeredBy(session).all.value.find(({ kind }) => kind === 'heal');
  if (heal) items.push(itemOf(session, heal));
  const refused = splits.length > 0 ? [] : impossible(session.run, now.value).filter(({ kind }) => kind === 'split');
  return [...items, ...refused.flatMap((no) => refusedItems(no, `Cut between ${from} and ${to}`))];

  function sizeOf({ target }: Possible): number {
    return target.kind === 'network' ? smallerSide(nodes, target.side).length : 0;
  }
}

/** The splits that separate two nodes. */
export const splitsBetween = (session: Session, from: NodeId, to: NodeId): readonly Possible[] =>
  offeredBy(session).all.value.filter(
    ({ kind, target }) => kind === 'split' && target.kind === 'network' && separates(target.side, from, to),
  );

function itemsOf(
  session: Session,
  isIt: (target: Target) => boolean,
  isWorthSaying: (no: Impossible) => boolean = () => true,
): readonly MenuItem[] {
  const { run, now } = session;
  const can = offeredBy(session).all.value.filter(({ target }) => isIt(target));
  const cannot = impossible(run, now.value).filter((no) => isIt(no.target) && isWorthSaying(no));
  return unique([
    ...can.map((one) => itemOf(session, one)),
    ...cannot.flatMap((no) => refusedItems(no, shortWordsOf(session.system, no.action))),
  ]);
}

const itemOf = (session: Session, { action, number }: Possible): MenuItem => ({
  label: shortWordsOf(session.system, action),
  run: () => session.take(number),
});

function refusedItems({ why, allow: more }: Impossible, label: string): readonly MenuItem[] {
  const refused = { label: capital(label), disabled: why, run: () => {} };
  if (!more) return [refused];
  return [refused, { label: more.text, hint: more.beyond, run: () => attempt(() => allow(more.budget)) }];
}

/** Each label once: a menu tells its items apart by them. */
const unique = (items: readonly MenuItem[]): readonly MenuItem[] =>
  [...new Map(items.toReversed().map((item) => [item.label, item])).values()].reverse();
