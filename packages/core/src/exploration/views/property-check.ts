import { Random } from '../../base/random.js';
import { answerOf } from '../../protocol/answer.js';
import { systemViewOf, viewOfNode } from '../../protocol/check-properties.js';
import type { Json, NodeId } from '../../protocol/node.js';
import type { InFlight, NodeView, PropertyOf } from '../../protocol/property.js';
import type { LocalState } from '../../protocol/step.js';
import { outside } from './data.js';
import { subsets } from './family.js';
import type { NodeCheck } from './node-check.js';
import type { PartialWorld } from './partial-worlds.js';
import type { Stepping } from './stepping.js';
import { Unprovable } from './unprovable.js';

/** A property of states. */
export type StateProperty = PropertyOf<'always'> | PropertyOf<'never'>;

/** Judges a property on worlds and views, in which forgotten numbers cannot be read. */
export class PropertyCheck {
  #unseen: string | undefined;

  constructor(
    private readonly stepping: Stepping,
    readonly property: StateProperty,
  ) {}

  /** @throws {Unprovable} where the property reads what views do not have. */
  isFulfilled(world: PartialWorld): boolean {
    const { family, parts, worlds } = this.stepping;
    const names = family.names(worlds.freeIn(world));
    const nodes = world.map((number, position): NodeView => {
      const { role, state } = parts.at(number);
      const seen = { ...state, context: this.#guarded(state.context, role) };
      return viewOfNode(family.protocol, names[position] ?? '', role, seen, undefined);
    });
    const inFlight = (): readonly InFlight[] =>
      world.flatMap((number, position) =>
        Object.entries(parts.at(number).out).flatMap(([to, messages]) =>
          to === outside
            ? []
            : messages.map((message) => ({
                from: names[position] ?? '',
                to,
                message: {
                  ...this.#guarded(message as unknown as LocalState['context'], message.type),
                  type: message.type,
                },
              })),
        ),
      );
    const { property } = this;
    const seen = systemViewOf(family.protocol, nodes, inFlight);
    this.#unseen = undefined;
    const answer = answerOf(property, property.holds, seen);
    // also where the property itself has caught what the field has thrown
    if (this.#unseen !== undefined) throw new Unprovable(this.#unseen);
    return property.kind === 'always' ? answer : !answer;
  }

  /** A record that notes when a field with forgotten numbers is read. */
  #guarded(fields: LocalState['context'], path: string): LocalState['context'] {
    const { forgotten } = this.stepping.local;
    const guarded: Record<string, Json> = {};
    for (const [key, value] of Object.entries(fields)) {
      const at = `${path}.${key}`;
      const isForgotten = [...forgotten].some(
        (known) => known === at || known.startsWith(`${at}.`) || known.startsWith(`${at}[`),
      );
      if (!isForgotten) guarded[key] = value;
      else
        Object.defineProperty(guarded, key, {
          enumerable: true,
          get: () => {
            this.#unseen = `it reads '${key}', a number that views forget`;
            return 0;
          },
        });
    }
    return guarded;
  }
}

const samples = 150;

/**
 * Why a property is not decided by views of `k` nodes: on random worlds, also unreachable ones, of
 * states that the nodes of a network may have, it must fail exactly where it fails on a view.
 */
export function notLocal(
  check: PropertyCheck,
  stepping: Stepping,
  networks: readonly { readonly free: number; readonly nodes: NodeCheck }[],
  k: number,
): string | undefined {
  const random = new Random(1);
  let failing = 0;
  for (const { free, nodes } of networks) {
    const kinds = kindsOf(nodes);
    for (let sample = 0; sample < samples; sample++) {
      const world = randomWorld(stepping, free, nodes, kinds, random);
      if (check.isFulfilled(world)) continue;
      failing++;
      const masks = subsets(free, k);
      if (masks.every((mask) => check.isFulfilled(stepping.worlds.seen(world, mask))))
        return `it fails in worlds of which each ${k} nodes look right: it speaks of more than ${k} nodes; try --views ${k + 1}`;
    }
  }
  return failing > 0
    ? undefined
    : 'it fails in no world at all that was tried, so that nothing shows how many nodes it speaks of';
}

/** The states that each node may have, by what the statechart is in. */
type Kinds = ReadonlyMap<NodeId, ReadonlyMap<string, readonly LocalState[]>>;

function kindsOf(nodes: NodeCheck): Kinds {
  const kinds = new Map<NodeId, Map<string, LocalState[]>>();
  for (const [id, states] of nodes.states) {
    const byKind = new Map<string, LocalState[]>();
    for (const state of states.values()) {
      const kind = JSON.stringify(state.value);
      byKind.set(kind, [...(byKind.get(kind) ?? []), state]);
    }
    kinds.set(id, byKind);
  }
  return kinds;
}

/** Nodes in any of their states, few different ones at a time, with some of their messages. */
function randomWorld(
  stepping: Stepping,
  free: number,
  nodes: NodeCheck,
  kinds: Kinds,
  random: Random,
): PartialWorld {
  const names = stepping.family.names(free);
  const chosen = Array.from({ length: 1 + random.below(3) }, () =>
    random.pick([...(kinds.get(random.pick(names))?.keys() ?? [])]),
  );
  return names.map((id: NodeId) => {
    const byKind = kinds.get(id) ?? new Map<string, readonly LocalState[]>();
    const known = chosen.filter((kind) => byKind.has(kind));
    const kind = random.pick(known.length > 0 ? known : [...byKind.keys()]);
    return stepping.parts.numberOf({
      role: stepping.family.roleOf(id, free),
      state: random.pick(byKind.get(kind) ?? []),
      out: nodes.randomMessages(id, random),
    });
  });
}
