import type { Message } from '../../protocol/node.js';
import { ActorEffects, type Effect } from './actor-effects.js';
import { outside } from './data.js';
import { explained, type Fixpoint, KnownViews } from './fixpoint.js';
import type { LocalEvent } from './local-event.js';
import { keyOf, type PartialWorld } from './partial-worlds.js';
import type { Relation } from './scenes.js';
import type { Origin, Stepping } from './stepping.js';
import { merges, spacings } from './weak-orders.js';

/** A message of which nothing is known. */
const any: Message = { type: outside };

/**
 * The views of two nodes that those of the start lead to, where numbers are compared by order. A step
 * of a node changes the views that it shares with each other node. What others have to do with each
 * other does not matter to that, and is not looked at.
 * @throws {Unprovable} where a step may fail, or views are too many.
 */
export function fixpointOfPairs(stepping: Stepping, starts: readonly number[]): Fixpoint {
  const { worlds, family, parts } = stepping;
  const known = new KnownViews(2);
  const { views, origins } = known;
  const effects = new ActorEffects(stepping);
  /** By actor and message in a view: how many effects were applied. */
  const applied = new Map<string, number>();
  const names = family.names(2);
  let steps = 0;
  /** The steps of both nodes in a view: their own, and with each message of the other. */
  const actions = (view: PartialWorld): readonly (readonly [number, Message | undefined])[] =>
    [0, 1].flatMap((position) => {
      const other = parts.at(view[1 - position] ?? 0);
      const messages = stepping.deliverable(other, names[position] ?? '');
      return [undefined, ...messages].map((message) => [position, message] as const);
    });
  const learn = (view: PartialWorld, origin?: Origin): void => {
    if (!known.learn(view, origin)) return;
    for (const [position, message] of actions(view))
      effects.learn(relationIn(stepping, view, position, message).relation);
  };
  for (const free of starts)
    for (const view of worlds.views(stepping.initial(free), 2)) learn(view);
  const expand = (view: PartialWorld): boolean =>
    actions(view)
      .map(([position, message], index) => {
        const { relation, values } = relationIn(stepping, view, position, message);
        const actor = names[position] ?? '';
        const arrival: LocalEvent = { kind: 'message', from: outside, message: message ?? any };
        let found: readonly Effect[] = [];
        explained(stepping, { world: view, actor, event: arrival }, () => {
          found = effects.of(relation);
        });
        const key = `${keyOf(view)} ${index}`;
        const before = applied.get(key) ?? 0;
        applied.set(key, found.length);
        for (const effect of found.slice(before)) {
          steps++;
          const origin = { world: view, actor, event: effect.event };
          explained(stepping, origin, () => {
            for (const next of changed(stepping, view, position, { effect, values, message }))
              learn(next, origin);
          });
        }
        return found.length > before;
      })
      .includes(true);
  for (let isNew = true; isNew; ) {
    isNew = false;
    for (const view of views.values()) if (expand(view)) isNew = true;
  }
  return {
    ...{ views, origins, steps, piled: 0 },
    worlds: [...views.values()],
    joined: effects.taken,
  };
}

/** What the node at a position knows in a view, and its numbers there. */
function relationIn(
  { parts, local }: Stepping,
  view: PartialWorld,
  position: number,
  message?: Message,
): { readonly relation: Relation; readonly values: readonly number[] } {
  const { role, state } = parts.at(view[position] ?? 0);
  const event = message && ({ kind: 'message', from: '', message } as const);
  const { cause, values } = local.ordered.ranked(role, [state, event]);
  const [rankedState, arrival] = cause;
  return {
    relation: {
      ...{ role, position, state: rankedState },
      ...(arrival?.kind === 'message' ? { message: arrival.message } : {}),
    },
    values,
  };
}

interface Applied {
  readonly effect: Effect;
  /** The numbers in the view of what the actor knows. */
  readonly values: readonly number[];
  /** Where it is one of the other node of the view. */
  readonly message: Message | undefined;
}

/** The views after a step: its numbers from elsewhere may stand anywhere among those of the view. */
function* changed(
  stepping: Stepping,
  view: PartialWorld,
  position: number,
  { effect, values, message }: Applied,
): Generator<PartialWorld> {
  const { family, local, parts, worlds } = stepping;
  const { ordered } = local;
  const names = family.names(2);
  const other = names[1 - position] ?? '';
  const { role } = parts.at(view[position] ?? 0);
  const all = ordered.valuesIn((see) => view.map((part) => ordered.part(parts.at(part), see)));
  const sends = effect.sent.map((sent) => ({ to: other, message: sent }));
  const made = { state: effect.state, sends };
  const grown = ordered.grownIn((see) => ordered.taken(role, made, see));
  const same = effect.known.map((rank, at) => [values[at] ?? 0, rank] as const);
  for (const merge of merges(all.length, effect.ranks, same))
    for (const numbers of spacings(
      merge.ranks,
      new Set([...grown].map((rank) => merge.other[rank] ?? 0)),
    )) {
      const placed = (rank: number) => numbers[merge.one[rank] ?? 0] ?? 0;
      const event: LocalEvent = message
        ? { kind: 'message', from: other, message: ordered.message(message, placed) }
        : { kind: 'message', from: outside, message: any };
      const before = view.map((part) => parts.numberOf(ordered.part(parts.at(part), placed)));
      const taken = ordered.taken(
        role,
        made,
        (value) => (numbers[merge.other[value >> 1] ?? 0] ?? 0) + (value & 1),
      );
      if (!taken.failure) yield worlds.ranked(stepping.after(before, position, event, taken));
    }
}
