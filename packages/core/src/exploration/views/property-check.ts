import { Random } from '../../base/random.js';
import { answerOf } from '../../protocol/answer.js';
import { systemViewOf, viewOfNode } from '../../protocol/check-properties.js';
import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { InFlight, NodeView, PropertyOf } from '../../protocol/property.js';
import type { LocalState } from '../../protocol/step.js';
import type { Abstraction } from './abstraction.js';
import { outside } from './data.js';
import { subsets } from './family.js';
import type { NodeCheck } from './node-check.js';
import type { PartialWorld } from './partial-worlds.js';
import { memoized } from './parts.js';
import type { Stepping } from './stepping.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

/** A property of states. */
export type StateProperty = PropertyOf<'always'> | PropertyOf<'never'>;

interface Seen {
  readonly node: NodeView;
  readonly sent: readonly InFlight[];
}

/** Judges a property on worlds and views, in which forgotten numbers cannot be read. */
export class PropertyCheck {
  #unseen: string | undefined;
  readonly #nodes = new Map<string, Seen>();
  readonly #alone = new Map<string, boolean>();

  constructor(
    private readonly stepping: Stepping,
    readonly property: StateProperty,
  ) {}

  /** @throws {Unprovable} where the property reads what views do not have. */
  isFulfilled(world: PartialWorld): boolean {
    const { family, worlds } = this.stepping;
    const names = family.names(worlds.freeIn(world));
    const nodes = world.map((number, position) => this.#node(number, names[position] ?? ''));
    return this.#isFulfilledBy(
      nodes.map(({ node }) => node),
      nodes.flatMap(({ sent }) => sent),
    );
  }

  /** Whether it is fulfilled where there is only this node, and no message. */
  ofNode(role: string, state: LocalState): boolean {
    return memoized(this.#alone, `${role} ${textOf(state)}`, () => {
      const number = this.stepping.parts.numberOf({ role, state, out: {} });
      return this.#isFulfilledBy([this.#node(number, '').node], []);
    });
  }

  /** Whether it is fulfilled where there is only this message, and no node. */
  ofMessage(message: Message): boolean {
    return memoized(this.#alone, textOf(message), () =>
      this.#isFulfilledBy([], [this.#inFlight('', '', message)]),
    );
  }

  #isFulfilledBy(nodes: readonly NodeView[], sent: readonly InFlight[]): boolean {
    const { protocol } = this.stepping.family;
    const system = systemViewOf(protocol, nodes, () => sent);
    const seen = {
      ...system,
      inFlight: (type?: string) => {
        const piling = [...this.stepping.detail.piling];
        const messages = system.inFlight(type);
        return piling.some((each) => type === undefined || type === each)
          ? this.#unseenAs(messages, `how many messages '${piling}' are on their way`)
          : messages;
      },
    };
    Object.defineProperty(seen, 'live', {
      get: () => this.#unseenAs(nodes.length, 'how many nodes there are, which no view shows'),
    });
    const { property } = this;
    this.#unseen = undefined;
    const answer = answerOf(property, property.holds, seen);
    // also where the property itself has caught what the field has thrown
    if (this.#unseen !== undefined) throw new Unprovable(this.#unseen);
    return property.kind === 'always' ? answer : !answer;
  }

  /** A node with the part of this number, and what it has sent. */
  #node(number: number, id: NodeId): Seen {
    return memoized(this.#nodes, `${number} ${id}`, () => {
      const { protocol } = this.stepping.family;
      const { role, state, out } = this.stepping.parts.at(number);
      const seen = { ...state, context: this.#guarded(state.context, role) };
      const sent = Object.entries(out).flatMap(([to, messages]) =>
        to === outside ? [] : messages.map((message) => this.#inFlight(id, to, message)),
      );
      return { node: viewOfNode(protocol, id, role, seen, undefined), sent };
    });
  }

  #inFlight(from: NodeId, to: NodeId, message: Message): InFlight {
    const fields = message as unknown as LocalState['context']; // it is a record
    return { from, to, message: this.#guarded(fields, message.type) as never };
  }

  #unseenAs<T>(value: T, what: string): T {
    this.#unseen = `it reads ${what}`;
    return value;
  }

  /** A record that notes when a field with forgotten numbers is read. */
  #guarded(fields: LocalState['context'], path: string): LocalState['context'] {
    const { forgotten } = this.stepping.local.numbers;
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
          get: () => this.#unseenAs(0, `'${key}', a number that views forget`),
        });
    }
    return guarded;
  }
}

const samples = 150;

/**
 * Worlds of all kinds: those that were put together of views, those of runs, and random ones, also
 * unreachable ones, of states that the nodes of a network may have.
 */
export const everyWorld = (
  { stepping, fixpoint, networks, runs }: Abstraction,
  holds: (world: PartialWorld) => boolean,
): boolean =>
  [
    () => fixpoint.worlds,
    () => networks.flatMap(randomWorlds(stepping)),
    () => runs.flatMap(mixed),
  ].every((make) => make().every(holds));

/**
 * Why a property is not decided by views of `k` nodes: it must fail on a view of each world on which
 * it fails.
 */
export function notLocal(check: PropertyCheck, found: Abstraction, k: number): string | undefined {
  const { worlds } = found.stepping;
  let failing = 0;
  const isShown = (world: PartialWorld): boolean => {
    if (check.isFulfilled(world)) return true;
    failing++;
    return subsets(worlds.freeIn(world), k).some(
      (mask) => !check.isFulfilled(worlds.seen(world, mask)),
    );
  };
  if (!everyWorld(found, isShown))
    return `it fails in worlds of which each ${k} nodes look right: it speaks of more than ${k} nodes; try --views ${k + 1}`;
  return failing > 0
    ? undefined
    : 'it fails in no world at all that was tried, so that nothing shows how many nodes it speaks of';
}

/** The worlds of a run, and such in which each node is as in one of a few of them. */
function mixed(run: readonly PartialWorld[]): readonly PartialWorld[] {
  const random = new Random(1);
  const others = Array.from({ length: samples }, () => {
    const chosen = Array.from({ length: 1 + random.below(3) }, () => random.pick(run));
    return (run[0] ?? []).map((_, position) => random.pick(chosen)[position] ?? 0);
  });
  return [...run, ...others];
}

/** Of a network: worlds with each state of each node at least once, and some more. */
const randomWorlds =
  (stepping: Stepping) =>
  ({ free, nodes }: Abstraction['networks'][number]): readonly PartialWorld[] => {
    const random = new Random(1);
    const kinds = kindsOf(nodes);
    const worlds = Array.from({ length: samples }, () =>
      worldOf(stepping, free, nodes, kinds, random),
    );
    const { parts, family } = stepping;
    const ofStates = family.names(free).flatMap((id, position) =>
      [...(nodes.states.get(id)?.values() ?? [])].map((state) => {
        const world = random.pick(worlds);
        const part = parts.numberOf({ role: family.roleOf(id, free), state, out: {} });
        return world.map((number, index) => (index === position ? part : number));
      }),
    );
    return [...worlds, ...ofStates];
  };

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
function worldOf(
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
