import { badInput, ConclaveError } from '../../base/error.js';
import type { Json } from '../../protocol/node.js';
import { frozenData } from '../../protocol/plain-data.js';
import { enterUserCode, leaveUserCode } from '../../protocol/purity.js';
import { canonical } from '../worlds/canonical.js';

/**
 * A state of an orbit, with its text, and the symmetry and member that lead to it; −1 for the
 * first.
 */
interface Member<S> {
  readonly state: S;
  readonly text: string;
  readonly from: number;
  readonly by: number;
}

/** All images of a state under the group that the symmetries generate. */
export interface Orbit<S> {
  readonly members: readonly Member<S>[];
  /** The member with the least text: the representative. */
  readonly least: Member<S>;
  /** By member and symmetry: the image's index. */
  readonly images: readonly (readonly number[])[];
}

/** Larger orbits do not come from renamings, or take too long to enumerate for each state. */
const mostMembers = 100_000;
/** How many states are cached with their orbits. */
const mostKnown = 200_000;

/**
 * The symmetries of a plain system. They are checked: they must be bijective, keep the initial
 * states, and map the successors of each state to the successors of its image. So a search with one
 * representative for each orbit is exact.
 */
export class Orbits<S extends Json> {
  readonly #known = new Map<string, { readonly orbit: Orbit<S>; readonly at: number }>();

  /**
   * @throws {ConclaveError} `bad-input` for a symmetry that maps an initial state to one that is
   * not.
   */
  constructor(
    private readonly symmetries: readonly ((state: S) => S)[],
    initials: readonly S[],
  ) {
    const first = new Set(initials.map(canonical));
    for (const state of initials)
      for (const [index, symmetry] of symmetries.entries())
        if (!first.has(canonical(this.#image(symmetry, index, state))))
          throw refusal(
            `symmetries[${index}] maps an initial state to one that is not initial`,
            state,
            'A run must be able to begin in each image of an initial state: list them all in initials.',
          );
  }

  /**
   * @throws {ConclaveError} `bad-input` for a symmetry that is not bijective, or an orbit that is
   * too large.
   */
  of(state: S): Orbit<S> {
    return this.#place(state, canonical(state)).orbit;
  }

  /**
   * @param successors of a state; undefined for an action that throws
   * @throws {ConclaveError} `bad-input` if the successors of an image of `state` are not the images
   * of its successors.
   */
  requireAlike(state: S, successors: (state: S) => readonly (S | undefined)[]): void {
    const { members, images } = this.of(state);
    const after = members.map((member) =>
      successors(member.state).map((next) =>
        next === undefined ? undefined : this.#place(next, canonical(next)),
      ),
    );
    const texts = after.map((places) =>
      setOf(places.map((place) => place?.orbit.members[place.at]?.text)),
    );
    for (const [at, places] of after.entries())
      for (const index of this.symmetries.keys()) {
        const expected = setOf(
          places.map(
            (place) => place?.orbit.members[place.orbit.images[place.at]?.[index] ?? 0]?.text,
          ),
        );
        if (expected !== texts[images[at]?.[index] ?? 0])
          throw refusal(
            `symmetries[${index}] is not a symmetry: the successors of the image are not the images of the successors`,
            (members[at] as Member<S>).state, // `after` has a place for each
            'Leave it out, or find the action that treats the renamed state differently.',
          );
      }
  }

  /** `run`, renamed such that `is` is true of its last state. */
  renamed(run: readonly S[], is: (state: S) => boolean): readonly S[] {
    const { members } = this.#orbit(run.at(-1) as S); // a run has a first state
    const word: number[] = [];
    for (let at = members.findIndex(({ state }) => is(state)); at > 0; at = members[at]?.from ?? 0)
      word.push(members[at]?.by ?? 0);
    word.reverse();
    return run.map((state) =>
      word.reduce(
        (image, by) => this.#image(this.symmetries[by] as (state: S) => S, by, image),
        state,
      ),
    ); // one of the symmetries
  }

  /** An orbit, and the index of the state in it. */
  #place(state: S, text: string): { readonly orbit: Orbit<S>; readonly at: number } {
    const known = this.#known.get(text);
    if (known) return known;
    const orbit = this.#orbit(state);
    if (this.#known.size + orbit.members.length > mostKnown) this.#known.clear();
    for (const [at, member] of orbit.members.entries()) this.#known.set(member.text, { orbit, at });
    return { orbit, at: 0 };
  }

  #orbit(state: S): Orbit<S> {
    const first = { state, text: canonical(state), from: -1, by: -1 };
    const members: Member<S>[] = [first];
    const numbers = new Map([[first.text, 0]]);
    const images: number[][] = [];
    let least: Member<S> = first;
    for (let from = 0; from < members.length; from++) {
      const { state: at } = members[from] as Member<S>; // `from` is below its length
      images[from] = this.symmetries.map((symmetry, by) => {
        const image = this.#image(symmetry, by, at);
        const text = canonical(image);
        const known = numbers.get(text);
        if (known !== undefined) return known;
        const member = { state: image, text, from, by };
        if (text < least.text) least = member;
        numbers.set(text, members.length);
        if (members.push(member) > mostMembers)
          throw refusal(
            `symmetries map one state to more than ${mostMembers}`,
            state,
            'Give renamings that generate a small group.',
          );
        return members.length - 1;
      });
    }
    // Each symmetry permutes the members: the orbit does not depend on its first state.
    for (const index of this.symmetries.keys())
      if (new Set(images.map((to) => to[index])).size < members.length)
        throw refusal(
          `symmetries[${index}] maps two states to one`,
          state,
          'Give a renaming: it maps distinct states to distinct ones.',
        );
    return { members, least, images };
  }

  #image(symmetry: (state: S) => S, index: number, state: S): S {
    const before = enterUserCode('A symmetry');
    try {
      return frozenData(symmetry(state), 'state', () =>
        refusal(`symmetries[${index}] does not return plain data`, state, 'Return a state.'),
      );
    } catch (error) {
      if (error instanceof ConclaveError) throw error;
      throw refusal(
        `symmetries[${index}] fails: ${error instanceof Error ? error.message : String(error)}`,
        state,
        'Return a new state.',
      );
    } finally {
      leaveUserCode(before);
    }
  }
}

const refusal = (what: string, state: unknown, cure: string) =>
  badInput(`The system's ${what}; the state is ${canonical(state).slice(0, 200)}`, cure);

/**
 * A text that two lists share exactly if they contain the same states, and both or neither contain
 * an action that throws.
 */
const setOf = (texts: readonly (string | undefined)[]): string =>
  [...new Set(texts.map((text) => text ?? 'fails'))].sort().join('\n');
