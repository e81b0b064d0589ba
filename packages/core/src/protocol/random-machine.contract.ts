/** Random statecharts with everything that a node may use, from a row of draws: see `makeUp`. */
import fc from 'fast-check';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  and,
  createMachine,
  type StateValue,
  stateIn,
} from 'xstate';
import { Dice, type Draw } from './dice.contract.js';
import {
  action,
  burn,
  type Context,
  eventTypes,
  guard,
  type Happening,
  hasFuel,
  implementations,
  isOurs,
  type Kind,
} from './random-actions.contract.js';

const descriptors = [...eventTypes, 'job.*', 'job.a.*', '*'];
const escaped = (name: string) => name.replace(/[\\.]/g, '\\$&');
const relative = (path: readonly string[]) => path.map(escaped).join('.');

/** A state node that is being made. */
interface Place {
  readonly key: string;
  readonly path: readonly string[];
  readonly parent?: Place;
  /** Undefined: XState makes one of the path. */
  readonly id?: string;
  readonly config: Record<string, unknown>;
  readonly inside: Place[];
  type: 'atomic' | 'compound' | 'parallel' | 'history' | 'final';
}

const within = (inner: Place, outer: Place): boolean =>
  inner !== outer && outer.path.every((key, index) => inner.path[index] === key);

class Maker {
  readonly #dice: Dice;
  readonly #id: string;
  readonly #all: Place[] = [];
  readonly #root: Place;
  /** From this many state nodes on, all are atomic. */
  readonly #enough: number;

  constructor(
    draw: Draw,
    private readonly kind: Kind,
  ) {
    this.#dice = new Dice(draw);
    this.#id = this.#dice.oneOf(['m', 'a machine. v1', 'm.1']);
    this.#enough = this.#dice.oneOf([0, 1, 2, 3, 6]);
    this.#root = {
      key: this.#id,
      path: [],
      config: { id: this.#id },
      inside: [],
      type: 'compound',
    };
  }

  machine(): AnyStateMachine {
    const dice = this.#dice;
    this.#all.push(this.#root);
    // First the tree, then its transitions: their targets may be anywhere.
    if (dice.seldom(6)) this.#regions(this.#root, 2);
    else this.#alternatives(this.#root, 2, dice.upTo(1));
    for (const place of this.#all) this.#fillIn(place);
    const { config } = this.#root;
    const fuel = 2 + dice.upTo(5);
    const first = { n: 0, h: 1, fuel };
    config.context = dice.seldom(3)
      ? ({ input }: { input: unknown }) => ({ ...first, input })
      : first;
    config.options = { maxIterations: 25 };
    config.on = { ...(config.on as object | undefined), chosen: { actions: 'count' } };
    const machine = createMachine(
      config,
      implementations(
        and([guard(dice, this.#whereabouts, this.kind, 0), this.#whereabouts()] as never),
      ),
    );
    return Object.defineProperty(machine, fc.toStringMethod, { value: () => text(machine) });
  }

  #add(key: string, parent: Place): Place {
    const dice = this.#dice;
    const number = this.#all.length;
    const id = dice.seldom(2)
      ? dice.oneOf([`s${number}`, `s.${number}`, `s ${number}`])
      : undefined;
    const place: Place = {
      key,
      path: [...parent.path, key],
      parent,
      config: id === undefined ? {} : { id },
      inside: [],
      type: 'atomic',
      ...(id !== undefined && { id }),
    };
    this.#all.push(place);
    parent.inside.push(place);
    parent.config.states = { ...(parent.config.states as object | undefined), [key]: place.config };
    return place;
  }

  #state(place: Place, depth: number): void {
    const dice = this.#dice;
    if (depth === 0 || this.#all.length > this.#enough || !dice.seldom(2)) return;
    if (dice.seldom(3)) this.#regions(place, depth - 1);
    else this.#alternatives(place, depth - 1, dice.upTo(1));
  }

  #alternatives(place: Place, depth: number, more: number): void {
    const dice = this.#dice;
    place.type = 'compound';
    const first = this.#add('x', place);
    this.#state(first, depth);
    for (let index = 0; index <= more; index++) {
      const inner = this.#add(
        dice.oneOf([`y${index}`, `y.${index}`, `${index}`, `y ${index}`]),
        place,
      );
      if (dice.seldom(4)) this.#end(inner);
      else this.#state(inner, depth);
    }
    place.config.initial = 'x';
    if (dice.seldom(3)) this.#history(place);
  }

  #regions(place: Place, depth: number): void {
    const dice = this.#dice;
    place.type = 'parallel';
    place.config.type = 'parallel';
    for (const key of ['z', 'a', 'm.1'].slice(0, dice.oneOf([2, 2, 3, 1]))) {
      const region = this.#add(key, place);
      if (dice.seldom(6)) this.#end(region);
      if (region.type === 'final' || dice.seldom(6) || this.#all.length > this.#enough) continue;
      if (dice.seldom(5)) this.#regions(region, Math.max(0, depth - 1));
      else this.#alternatives(region, depth, dice.upTo(1));
    }
    if (dice.seldom(4)) this.#history(place);
  }

  #end(place: Place): void {
    const dice = this.#dice;
    place.type = 'final';
    const output = dice.upTo(3);
    Object.assign(place.config, { type: 'final' });
    if (dice.seldom(2))
      place.config.output = dice.seldom(2)
        ? ({ context }: { context: Context }) => context.n + output
        : output;
  }

  #history(place: Place): void {
    const history = this.#add('h', place);
    history.type = 'history';
    Object.assign(history.config, {
      type: 'history',
      history: this.#dice.oneOf(['shallow', 'deep', true]),
    });
  }

  #guard = (): unknown => guard(this.#dice, this.#whereabouts, this.kind);

  #whereabouts = (): unknown => {
    const place = this.#dice.oneOf(this.#all.filter(({ type }) => type !== 'history'));
    if (place.id !== undefined && this.#dice.seldom(2)) return stateIn(`#${escaped(place.id)}`);
    if (place.parent === undefined) return stateIn(`#${escaped(this.#id)}`);
    if (this.#dice.seldom(2)) return stateIn(relative(place.path));
    const [last = '', ...outer] = [...place.path].reverse();
    return stateIn(outer.reduce<StateValue>((inner, key) => ({ [key]: inner }), last));
  };

  #actions(): unknown {
    const dice = this.#dice;
    const all = dice
      .list(dice.oneOf([0, 1, 1, 2]), () => action(dice, this.#guard, this.kind))
      .flat();
    return all.length === 1 && dice.seldom(2) ? all[0] : all;
  }

  /** One of the notations of `target` as seen from `source`. */
  #name(source: Place, target: Place): string {
    const to = (prefix: string, from: Place) => () =>
      prefix + relative(target.path.slice(from.path.length));
    const byId = (id: string, from: Place) =>
      to(target === from ? `#${escaped(id)}` : `#${escaped(id)}.`, from);
    const notations = [byId(this.#id, this.#root)];
    if (source.parent && within(target, source.parent)) notations.push(to('', source.parent));
    // XState does not escape the key of the source: `.x` in a state `y.1` looks for `y`.
    if (within(target, source) && (!source.parent || !source.key.includes('.')))
      notations.push(to('.', source));
    for (let outer: Place | undefined = target; outer; outer = outer.parent)
      if (outer.id !== undefined) notations.push(byId(outer.id, outer));
    return this.#dice.oneOf(notations)();
  }

  #target(source: Place): string | string[] {
    const dice = this.#dice;
    const forks = this.#all.filter(({ type, inside }) => type === 'parallel' && inside.length > 1);
    if (forks.length > 0 && dice.seldom(4)) {
      const regions = dice.oneOf(forks).inside.filter(({ type }) => type !== 'history');
      return regions.map((region) =>
        this.#name(
          source,
          dice.oneOf(this.#all.filter((place) => place === region || within(place, region))),
        ),
      );
    }
    const ends = this.#all.filter(({ type }) => type === 'final');
    if (ends.length > 0 && dice.seldom(5)) return this.#name(source, dice.oneOf(ends));
    return this.#name(source, dice.seldom(30) ? this.#root : dice.oneOf(this.#all.slice(1)));
  }

  #transition(source: Place): unknown {
    const dice = this.#dice;
    if (dice.seldom(10)) return this.#name(source, dice.oneOf(this.#all.slice(1)));
    return {
      ...(dice.seldom(4) ? {} : { target: this.#target(source) }),
      ...(dice.seldom(2) && { guard: this.#guard() }),
      ...(dice.seldom(4) ? {} : { actions: this.#actions() }),
      ...(dice.seldom(3) && { reenter: true }),
    };
  }

  #on(source: Place, type: string): unknown {
    const dice = this.#dice;
    if (dice.seldom(10)) return dice.oneOf([{}, undefined, []]);
    const all = dice.list(dice.oneOf([1, 1, 1, 2, 3]), () => this.#transition(source));
    if (type === '*' && !dice.seldom(6))
      return all.map((one) => ({
        ...(typeof one === 'string' ? { target: one } : (one as object)),
        guard: isOurs,
      }));
    return all.length === 1 ? all[0] : all;
  }

  /** Never a mere name: in a list under `after`, XState spreads those into letters. */
  #inObjects(source: Place): Readonly<Record<string, unknown>> {
    const made = this.#transition(source);
    return typeof made === 'string' ? { target: made } : { ...(made as object) };
  }

  /** A transition without an event: most have fuel, which they burn, so that they end. */
  #inner(source: Place): object {
    const dice = this.#dice;
    const transition = this.#inObjects(source);
    if (this.kind !== 'plain' && dice.seldom(8))
      return { ...transition, guard: ({ event }: { event: Happening }) => event.type === 'e' };
    if (this.kind !== 'plain' && dice.seldom(12)) return transition;
    return { ...transition, guard: hasFuel, actions: [burn, transition.actions ?? []].flat() };
  }

  #fillInHistory({ config, parent }: Place): void {
    const siblings = this.#all.filter(
      (other) => parent && other.type !== 'history' && within(other, parent),
    );
    if (this.#dice.seldom(2))
      config.target = relative(this.#dice.oneOf(siblings).path.slice((parent?.path ?? []).length));
  }

  #fillIn(place: Place): void {
    const dice = this.#dice;
    const { config, type } = place;
    if (type === 'history') return this.#fillInHistory(place);
    if (dice.seldom(2))
      config.tags = dice.seldom(2)
        ? [`t${9 - (this.#all.indexOf(place) % 4)}`, 'shared']
        : `t${this.#all.indexOf(place) % 4}`;
    if (dice.seldom(3)) config.entry = this.#actions();
    if (dice.seldom(3)) config.exit = this.#actions();
    if (type === 'final') return;
    const events = dice.list(dice.oneOf([1, 2, 2, 0]), () => dice.oneOf(descriptors));
    if (events.length > 0)
      config.on = Object.fromEntries(events.map((type) => [type, this.#on(place, type)]));
    if (dice.seldom(4))
      config.after = {
        [dice.oneOf(['5', '20', 'slow', 'dynamic'])]: dice.seldom(3)
          ? [this.#inObjects(place), this.#inner(place)]
          : this.#transition(place),
      };
    if (dice.seldom(5))
      config.always = dice.seldom(3)
        ? [this.#inner(place), this.#inner(place)]
        : this.#inner(place);
    if (type === 'atomic') return;
    if (dice.seldom(2))
      config.onDone =
        this.kind !== 'plain' && dice.seldom(2) ? this.#transition(place) : this.#inner(place);
    if (type === 'compound' && dice.seldom(3))
      config.initial = { target: 'x', actions: this.#actions() };
  }
}

/** A random machine. */
export const makeUp = (draw: Draw, kind: Kind = 'plain'): AnyStateMachine =>
  new Maker(draw, kind).machine();

/** For people: fast-check would print the whole object graph of a machine. */
export const text = ({ config }: AnyStateMachine): string =>
  JSON.stringify(config, (_key, value) => (typeof value === 'function' ? nameOf(value) : value), 1);

/**
 * What there is to know about a function: its own text, or what XState's makers of actions and
 * guards have kept of it.
 */
const nameOf = (made: object): string => {
  const kept = Object.entries(made).filter(
    ([key]) => key !== 'type' && key !== 'resolve' && key !== 'execute' && key !== 'check',
  );
  if (kept.length === 0) return String(made);
  const parts = kept.map(
    ([key, value]) =>
      `${key}: ${JSON.stringify(value, (_, inner) => (typeof inner === 'function' ? nameOf(inner) : inner))}`,
  );
  return `${'name' in made ? made.name : ''}(${parts.join(', ')})`;
};

export const randomMachine: fc.Arbitrary<AnyStateMachine> = fc
  .gen()
  .map((g) => makeUp((most) => g(fc.nat, { max: most })));

/**
 * Whether the active states form a legal configuration: each inside an active one, one inside each
 * compound one. After some transitions out of nested parallel regions XState 5.33 leaves illegal
 * ones; steps after that have no meaning.
 */
export const isLegal = ({ _nodes }: AnyMachineSnapshot): boolean =>
  _nodes.every((node) => {
    const inside = _nodes.filter(({ parent }) => parent === node).length;
    const expected =
      node.type === 'compound'
        ? 1
        : node.type === 'parallel'
          ? Object.values(node.states).filter(({ type }) => type !== 'history').length
          : 0;
    return inside === expected && (!node.parent || _nodes.includes(node.parent));
  });
