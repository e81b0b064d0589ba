import type { NodeId } from '@conclave/core/protocol';
import { useSignal } from '@preact/signals';
import { impossible } from '../../model/impossible.js';
import { type Impossible, type Possible, separates, type Target } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { capital, shortWordsOf, smallerSide } from '../../model/words.js';
import { say } from '../../texts/say.js';
import { fold, isMessage, isNode, isOfNode, offerOf } from '../actions.js';
import { takeOrAsk } from '../exercise.js';
import { Button } from '../parts/controls.js';
import { Floating, type FloatingProps, type MenuItem } from '../parts/floating.js';
import { allowAndTake, attempt, type SessionProps } from '../studio.js';

/** What can happen to a message at a position of its channel, and what cannot. */
export function messageItems(
  session: Session,
  from: NodeId,
  to: NodeId,
  position: number,
): readonly MenuItem[] {
  return itemsOf(session, (target) => isMessage(target, from, to, position));
}

/** What can happen at a node, and what cannot: of its timers only the armed ones. */
export function nodeItems(session: Session, node: NodeId): readonly MenuItem[] {
  const { world } = session.now.value;
  const isCrashed = world.crashed.includes(node);
  const isArmed = (timer: string) => world.nodes[node]?.timers.some(({ id }) => id === timer);
  const items = itemsOf(
    session,
    (target) => isNode(target, node),
    ({ action }) => {
      if (isCrashed || action.type === 'restart') return isCrashed && action.type === 'restart';
      return action.type !== 'timeout' || isArmed(action.timer) === true;
    },
  );
  const at =
    items.findLastIndex(({ label }) => label === capital(say('crash'))) + 1 || items.length;
  return items.toSpliced(at, 0, ...crashItems(session, node));
}

/** More are offered in the list of what can happen only. */
const fewCrashes = 4;

/** Crashes of a node in the middle of a step. */
function crashItems(session: Session, node: NodeId): readonly MenuItem[] {
  const offer = offerOf(session);
  const inside = offer.all.value.filter((one) => one.inside && isNode(one.target, node));
  if (inside.length <= fewCrashes) return inside.map((one) => itemOf(session, one));
  const run = () => {
    session.node.value = node;
    isOfNode.value = true;
    for (const { title, folds } of offer.groups.value)
      if (folds && !offer.opened.value.has(title)) fold(offer, title);
  };
  const hint = say('{ways} ways, in the list of what can happen', { ways: inside.length });
  return [{ label: say('Crash in the middle of a step …'), hint, run }];
}

const fewSplits = 6;

/** How the network can be split between two nodes, or healed; many splits have a dialog. */
export function edgeItems(
  session: Session,
  from: NodeId,
  to: NodeId,
  chooseSide: () => void,
): readonly MenuItem[] {
  const { run, now, system } = session;
  const { nodes } = system.topology;
  const splits = splitsBetween(session, from, to);
  const sizeOf = ({ target }: Possible) =>
    target.kind === 'network' ? smallerSide(nodes, target.side).length : 0;
  const bySize = splits.toSorted((one, other) => sizeOf(one) - sizeOf(other));
  const isMany = splits.length > fewSplits + 1;
  const heal = offerOf(session).all.value.filter(({ kind }) => kind === 'heal');
  const items = [...bySize.slice(0, isMany ? fewSplits : undefined), ...heal].map((one) =>
    itemOf(session, one),
  );
  const choose = {
    label: say('Choose both sides …'),
    hint: say('{ways} ways', { ways: splits.length }),
    run: chooseSide,
  };
  const refused = splits.length > 0 ? [] : impossible(run, now.value);
  return [
    ...items.toSpliced(fewSplits, 0, ...(isMany ? [choose] : [])),
    ...refused
      .filter(({ kind }) => kind === 'split')
      .flatMap((no) => refusedItems(no, say('Cut between {from} and {to}', { from, to }))),
  ];
}

const splitsBetween = (session: Session, from: NodeId, to: NodeId): readonly Possible[] =>
  offerOf(session).all.value.filter(
    ({ kind, target }) =>
      kind === 'split' && target.kind === 'network' && separates(target.side, from, to),
  );

function itemsOf(
  session: Session,
  isIt: (target: Target) => boolean,
  isWorthSaying: (no: Impossible) => boolean = () => true,
): readonly MenuItem[] {
  const { run, now } = session;
  const can = offerOf(session).all.value.filter(({ target, inside }) => isIt(target) && !inside);
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
  run: () => takeOrAsk(session, number),
});

function refusedItems(
  { action, why, allow: more }: Impossible,
  label: string,
): readonly MenuItem[] {
  const refused = { label: capital(label), disabled: why, run: () => {} };
  const allowed = more && {
    label: more.text,
    hint: more.beyond,
    run: () => attempt(() => allowAndTake(more.budget, action)),
  };
  return [refused, ...(allowed ? [allowed] : [])];
}

/** Each label once: a menu tells its items apart by them. */
const unique = (items: readonly MenuItem[]): readonly MenuItem[] =>
  [...new Map(items.toReversed().map((item) => [item.label, item])).values()].reverse();

export interface SplitProps extends SessionProps {
  readonly at: ReturnType<FloatingProps['at']>;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly onClose: () => void;
}

/** Chooses the two sides of a split between two nodes. */
export function Split({ session, at, from, to, onClose }: SplitProps) {
  const { nodes } = session.system.topology;
  const side = useSignal<readonly NodeId[]>([to]);
  const isIn = (id: NodeId) => side.value.includes(id);
  const [first = ''] = nodes;
  // a split is named by the side without the first node
  const named = nodes.filter((id) => isIn(id) !== isIn(first)).join();
  const split = splitsBetween(session, from, to).find(
    ({ target }) => target.kind === 'network' && target.side.join() === named,
  );
  return (
    <Floating
      at={() => at}
      role="dialog"
      class="popover split stack"
      label={say('Split the network between {from} and {to}', { from, to })}
      onClose={onClose}
    >
      <h3>{say('Which nodes are on the side of {to}?', { to })}</h3>
      <div class="flow wraps">
        {nodes.map((id) => (
          <Button
            key={id}
            pressed={isIn(id)}
            disabled={id === from || id === to}
            onClick={() => {
              side.value = isIn(id)
                ? side.value.filter((other) => other !== id)
                : [...side.value, id];
            }}
          >
            {id}
          </Button>
        ))}
      </div>
      <Button
        kind="primary"
        disabled={!split}
        onClick={() => {
          onClose();
          if (split) takeOrAsk(session, split.number);
        }}
      >
        {say('Cut off {nodes}', { nodes: side.value.join(', ') })}
      </Button>
    </Floating>
  );
}
