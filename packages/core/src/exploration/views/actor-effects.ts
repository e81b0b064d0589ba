import type { Message } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import { outside } from './data.js';
import type { LocalEvent } from './local-event.js';
import { messageIn, stateIn } from './part.js';
import { type Relation, relationKey, type Scene, Scenes } from './scenes.js';
import type { Stepping } from './stepping.js';
import { Unprovable } from './unprovable.js';

/** What a step of the node makes of its part of the view. */
export interface Effect {
  readonly event: LocalEvent;
  readonly state: LocalState;
  /** To the other node of the view. */
  readonly sent: readonly Message[];
  /**
   * Its numbers are doubled ranks, or one larger, of an order of so many ranks, which has the numbers
   * of the relation, and some that the node has from others.
   */
  readonly ranks: number;
  /** Where the ranks of the relation are in that order. */
  readonly known: readonly number[];
}

interface Known {
  readonly effects: Effect[];
  readonly keys: Set<string>;
  /** How many relations were looked at. */
  senders: number;
  others: number;
}

/**
 * What the steps of a node make of a view of two nodes. The node may know a third one, and a fourth
 * one may have sent it something. What these two know, also of each other, is not looked at.
 */
export class ActorEffects {
  readonly #keys = new Set<string>();
  /** By what a node has without the other one. */
  readonly #plain = new Map<string, Relation[]>();
  readonly #senders = new Map<string, Relation[]>();
  readonly #known = new Map<string, Known>();
  readonly #scenes: Scenes;
  /** How many states of a few nodes were put together. */
  taken = 0;

  constructor(private readonly stepping: Stepping) {
    this.#scenes = new Scenes(stepping);
  }

  /** From now on, a node may know this of any other. */
  learn(relation: Relation): void {
    const key = relationKey(relation);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    const lists = relation.message ? this.#senders : this.#plain;
    const core = this.#scenes.coreOf(this.#scenes.base(relation)).key;
    lists.set(core, [...(lists.get(core) ?? []), relation]);
  }

  /** The effects of all steps, in the order in which they were found. */
  of(relation: Relation): readonly Effect[] {
    const base = this.#scenes.base(relation);
    const core = this.#scenes.coreOf(base).key;
    const senders = relation.message ? [] : (this.#senders.get(core) ?? []);
    const others = this.#plain.get(core) ?? [];
    const key = relationKey(relation);
    const known = this.#known.get(key) ?? { effects: [], keys: new Set(), senders: 0, others: 0 };
    if (!this.#known.has(key)) this.#take(known, base);
    this.#known.set(key, known);
    for (const other of others.slice(known.others))
      for (const scene of this.#scenes.withThird(base, other)) this.#take(known, scene);
    for (const [index, sender] of senders.entries()) {
      const isOld = index < known.senders;
      const news = isOld ? others.slice(known.others) : others;
      for (const scene of this.#scenes.withThird(base, sender)) {
        const wider = news.flatMap((other) => this.#scenes.withFourth(base, scene, other));
        for (const each of isOld ? wider : [scene, ...wider]) this.#take(known, each);
      }
    }
    known.senders = senders.length;
    known.others = others.length;
    return known.effects;
  }

  #take(known: Known, scene: Scene): void {
    this.taken++;
    const { family, local, detail } = this.stepping;
    const { role, free, actor, other } = scene;
    const names = family.names(free);
    const id = names[actor] ?? '';
    const doubled = local.ordered.state(role, scene.state, (rank) => 2 * rank);
    const { arriving } = scene;
    const events: readonly LocalEvent[] = arriving
      ? [
          {
            kind: 'message',
            from: names[arriving.from] ?? '',
            message: local.ordered.message(arriving.message, (rank) => 2 * rank),
          },
        ]
      : local.ownEvents(role, id, doubled);
    const renaming = family.renaming(free, (1 << actor) | (1 << other));
    for (const event of events)
      for (const taken of local.takeDoubled(role, doubled, event)) {
        if (taken.failure) {
          if (canonical([doubled.context, event]).includes(`"${outside}"`)) continue;
          throw new Unprovable(`a step may fail: ${taken.failure.message}`);
        }
        const sent = taken.sends
          .filter(({ to }) => to === names[other])
          .map(({ message }) => messageIn(message, renaming, detail));
        const state = stateIn(role, taken.state, renaming, detail);
        const effect = this.#compact(
          { event, state, sent, ranks: scene.ranks, known: scene.known },
          role,
        );
        const key = canonical([event.kind, effect.state, effect.sent, effect.known, effect.ranks]);
        if (!known.keys.has(key)) known.effects.push(effect);
        known.keys.add(key);
      }
  }

  /** Without the ranks of numbers that the view does not have afterwards either. */
  #compact(effect: Effect, role: string): Effect {
    const { ordered } = this.stepping.local;
    const changed = (change: (value: number) => number) => ({
      state: ordered.state(role, effect.state, change),
      sent: effect.sent.map((message) => ordered.message(message, change)),
    });
    const made = ordered.valuesIn(changed).map((value) => value >> 1);
    const used = [...new Set([...effect.known, ...made])].sort((one, two) => one - two);
    return {
      event: effect.event,
      ...changed((value) => 2 * used.indexOf(value >> 1) + (value & 1)),
      ranks: used.length,
      known: effect.known.map((rank) => used.indexOf(rank)),
    };
  }
}
