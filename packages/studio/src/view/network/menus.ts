import type { NodeId } from '@conclave/core/protocol';
import { impossible } from '../../model/impossible.js';
import { type Impossible, type Possible, separates, type Target } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { capital, shortWordsOf, smallerSide } from '../../model/words.js';
import { fold, offeredBy } from '../actions/offered.js';
import type { MenuItem } from '../parts/menu.js';
import { allow, attempt } from '../studio.js';

/** What can happen to a message at a position of its channel, and what cannot. */
export function messageItems(
  session: Session,
  from: NodeId,
  to: NodeId,
  position: number,
): readonly MenuItem[] {
  const isIt = (target: Target) =>
    target.kind === 'message' &&
    target.from === from &&
    target.to === to &&
    target.positions.includes(position);
  return itemsOf(session, isIt);
}

/** What can happen at a node, and what cannot: of its timers only the armed ones. */
export function nodeItems(session: Session, node: NodeId): readonly MenuItem[] {
  const { world } = session.now.value;
  const isCrashed = world.crashed.includes(node);
  const armed = world.nodes[node]?.timers.map(({ id }) => id) ?? [];
  const isIt = (target: Target) => target.kind === 'node' && target.node === node;
  const inside = offeredBy(session).all.value.filter((one) => one.inside && isIt(one.target));
  const items = itemsOf(session, isIt, ({ action }) => {
    if (action.type === 'timeout') return !isCrashed && armed.includes(action.timer);
    return action.type === (isCrashed ? 'crash' : 'restart')
      ? false
      : !isCrashed || action.type === 'restart';
  });
  const at = items.findLastIndex(({ label }) => label === 'Crash') + 1;
  return items.toSpliced(at === 0 ? items.length : at, 0, ...insideItems(session, node, inside));
}

/** More are offered in the list of what can happen only. */
const fewCrashes = 4;

/** Crashes of a node in the middle of a step. */
function insideItems(
  session: Session,
  node: NodeId,
  inside: readonly Possible[],
): readonly MenuItem[] {
  if (inside.length <= fewCrashes) return inside.map((one) => itemOf(session, one));
  const show = () => {
    const offered = offeredBy(session);
    session.node.value = node;
    offered.isOfNode.value = true;
    for (const { title, folds } of offered.groups.value)
      if (folds && !offered.opened.value.has(title)) fold(offered, title);
  };
  return [
    {
      label: 'Crash in the middle of a step …',
      hint: `${inside.length} ways, in the list of what can happen`,
      run: show,
    },
  ];
}

/**
 * How the network can be split between two nodes, or healed. `chooseSide` opens the choice among
 * many splits.
 */
export function edgeItems(
  session: Session,
  from: NodeId,
  to: NodeId,
  chooseSide: () => void,
): readonly MenuItem[] {
  const { system, now } = session;
  const { nodes } = system.topology;
  const splits = splitsBetween(session, from, to);
  const few = 6;
  const bySize = splits.toSorted((one, other) => sizeOf(one) - sizeOf(other));
  const items = (splits.length > few + 1 ? bySize.slice(0, few) : bySize).map((split) =>
    itemOf(session, split),
  );
  if (splits.length > few + 1)
    items.push({ label: 'Choose both sides …', hint: `${splits.length} ways`, run: chooseSide });
  const heal = offeredBy(session).all.value.find(({ kind }) => kind === 'heal');
  if (heal) items.push(itemOf(session, heal));
  const refused =
    splits.length > 0
      ? []
      : impossible(session.run, now.value).filter(({ kind }) => kind === 'split');
  return [...items, ...refused.flatMap((no) => refusedItems(no, `Cut between ${from} and ${to}`))];

  function sizeOf({ target }: Possible): number {
    return target.kind === 'network' ? smallerSide(nodes, target.side).length : 0;
  }
}

/** The splits that separate two nodes. */
export const splitsBetween = (session: Session, from: NodeId, to: NodeId): readonly Possible[] =>
  offeredBy(session).all.value.filter(
    ({ kind, target }) =>
      kind === 'split' && target.kind === 'network' && separates(target.side, from, to),
  );

function itemsOf(
  session: Session,
  isIt: (target: Target) => boolean,
  isWorthSaying: (no: Impossible) => boolean = () => true,
): readonly MenuItem[] {
  const { run, now } = session;
  const can = offeredBy(session).all.value.filter(({ target, inside }) => isIt(target) && !inside);
  const cannot = impossible(run, now.value).filter((no) => isIt(no.target) && isWorthSaying(no));
  return unique([
    ...can.map((one) => itemOf(session, one)),
    ...cannot.flatMap((no) =>
      refusedItems(no, shortWordsOf(session.system, now.value.world, no.action)),
    ),
  ]);
}

const itemOf = (session: Session, { action, number }: Possible): MenuItem => ({
  label: shortWordsOf(session.system, session.now.value.world, action),
  run: () => session.take(number),
});

function refusedItems({ why, allow: more }: Impossible, label: string): readonly MenuItem[] {
  const refused = { label: capital(label), disabled: why, run: () => {} };
  if (!more) return [refused];
  return [
    refused,
    { label: more.text, hint: more.beyond, run: () => attempt(() => allow(more.budget)) },
  ];
}

/** Each label once: a menu tells its items apart by them. */
const unique = (items: readonly MenuItem[]): readonly MenuItem[] =>
  [...new Map(items.toReversed().map((item) => [item.label, item])).values()].reverse();
