import type { Message } from '../../protocol/node.js';
import { calledAs, crowdsOf } from './crowds.js';
import { memoized } from './parts.js';
import {
  neverFails,
  PropertyJudge,
  type SeenNode,
  type StateProperty,
  tooWide,
} from './property-judge.js';
import { filled, renamed, renamingOf, starsIn } from './ring-names.js';
import type { RingViews } from './ring-views.js';
import {
  choices,
  nextOf,
  type Place,
  type RingWorld,
  type RingWorlds,
  ringKey,
} from './ring-world.js';

/** Judges a property on rings, and on views of rings. */
export class RingProperty {
  readonly #judge: PropertyJudge;
  readonly #known = new Map<string, boolean>();

  constructor(
    private readonly worlds: RingWorlds,
    forgotten: ReadonlySet<string>,
    private readonly views: RingViews,
    property: StateProperty,
  ) {
    const piling = new Set(views.about.map(({ type }) => type));
    this.#judge = new PropertyJudge(worlds.family.protocol, property, { forgotten, piling });
  }

  /** @throws {Unprovable} where the property reads what views do not have. */
  holdsOn(world: RingWorld): boolean {
    const { role } = this.worlds;
    return this.#judge.holdsFor(
      world.map(({ id, state, sent }, index) =>
        this.#judge.seenNode({ role, state, out: { [nextOf(world, index).id]: sent } }, id),
      ),
    );
  }

  /** Whether it holds on a view, whatever the nodes outside are called that the view mentions. */
  holdsOnView(view: RingWorld): boolean {
    return memoized(this.#known, ringKey(view), () => {
      const stars = starsIn(view.map(({ state }) => state.context));
      const { free } = this.worlds.family;
      const { chosen, others } = this.worlds.guesses(view.length, stars);
      const away = renamingOf(new Map(chosen.map((name, index) => [free[index] ?? '', name])));
      return others.every((tuple) => {
        const names = tuple.values();
        return this.holdsOn(
          view.map(({ id, state, sent }) => {
            const [{ context }] = renamed(state, undefined, away);
            return {
              id: away.names.get(id) ?? id,
              state: { ...state, context: filled(context, names) as typeof context }, // a record
              sent: sent.map((message) => renamed(state, message, away)[1] as Message), // it has one
            };
          }),
        );
      });
    });
  }

  /** Whether the crowds of a view fulfil it, or `k` of their nodes do not. */
  #decidesCrowds(view: RingWorld, k: number): boolean {
    const { role, family } = this.worlds;
    const names = family.free.slice(view.length);
    const any = { next: () => ({ done: false as const, value: names.at(-1) ?? '' }) };
    const seen = ({ id, state, sent }: Place, other = id): SeenNode => {
      const context = filled(state.context, any) as typeof state.context; // a record stays one
      const part = { role, state: { ...state, context }, out: { [names[0] ?? '']: sent } };
      return this.#judge.seenNode(calledAs(part, id, other), other);
    };
    return [...crowdsOf(view, names, seen)].every(({ nodes }) => this.#judge.isDecidedBy(k, nodes));
  }

  /**
   * Why it is not decided by views of `k` nodes: it must fail on a view of each world on which it
   * fails.
   */
  notLocal(tried: Iterable<RingWorld>, k: number): string | undefined {
    if (![...this.views.views.values()].every((view) => this.#decidesCrowds(view, k)))
      return tooWide(k);
    let failing = 0;
    for (const world of tried) {
      if (this.holdsOn(world)) continue;
      failing++;
      const groups = choices(
        world.map(({ id }) => id),
        k,
      );
      if (!groups.some((group) => !this.holdsOnView(this.worlds.seen(world, group))))
        return tooWide(k);
    }
    return failing > 0 ? undefined : neverFails;
  }
}
