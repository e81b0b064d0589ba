import { ConclaveError } from '../../protocol/error.js';
import type { Json } from '../../protocol/node.js';
import { frozenData } from '../../protocol/plain-data.js';
import { answered, asking } from '../../protocol/purity.js';
import { canonical } from '../worlds/canonical.js';

/** A state of an orbit, with its text and how it was come by: the symmetry that leads to it, and from which member; −1 for the first. */
interface Member<S> {
  readonly state: S;
  readonly text: string;
  readonly from: number;
  readonly by: number;
}

/** All states that symmetries, one after another, make of one. */
export interface Orbit<S> {
  readonly members: readonly Member<S>[];
  /** The one of the least text: it stands for all. */
  readonly least: Member<S>;
  /** By member, and by symmetry: the member that it leads to. */
  readonly images: readonly (readonly number[])[];
}

/** More than that is no group of renamings, or one that is too large to go through for each state. */
const mostMembers = 100_000;
/** How many states are remembered with their orbits: a state is met again and again, and mostly soon. */
const mostKnown = 200_000;

/**
 * Symmetries of a plain system, checked and not trusted: that they only rename, that they keep the initial states, and that in each image of a
 * state the images of its successors follow. So what is found with one state in place of its orbit is exact.
 */
export class Orbits<S extends Json> {
  readonly #known = new Map<string, { readonly orbit: Orbit<S>; readonly at: number }>();

  /** @throws {ConclaveError} `bad-input` for a symmetry that makes another state of an initial one. */
  constructor(
    private readonly symmetries: readonly ((state: S) => S)[],
    initials: readonly S[],
  ) {
    const first = new Set(initials.map(canonical));
    for (const state of initials)
      for (const [index, symmetry] of symmetries.entries())
        if (!first.has(canonical(this.#image(symmetry, index, state))))
          throw refused(
            `symmetries[${index}] makes a state of the initial one that is not initial`,
            state,
            'A run must be able to begin in each image of an initial state: list them all in initials.',
          );
  }

  /** @throws {ConclaveError} `bad-input` for a symmetry that does not only rename, or symmetries that make too many states of this one. */
  of(state: S): Orbit<S> {
    return this.#place(state, canonical(state)).orbit;
  }

  /**
   * @param successors what follows a state, undefined for a step that fails
   * @throws {ConclaveError} `bad-input` where what follows an image of `state` is not the image of what follows `state`.
   */
  requireAlike(state: S, successors: (state: S) => readonly (S | undefined)[]): void {
    const { members, images } = this.of(state);
    const after = members.map((member) =>
      successors(member.state).map((next) => (next === undefined ? undefined : this.#place(next, canonical(next)))),
    );
    const texts = after.map((places) => setOf(places.map((place) => place?.orbit.members[place.at]?.text)));
    for (const [at, places] of after.entries())
      for (const index of this.symmetries.keys()) {
        const expected = setOf(places.map((place) => place?.orbit.members[place.orbit.images[place.at]?.[index] ?? 0]?.text));
        if (expected !== texts[images[at]?.[index] ?? 0])
          throw refused(
            `symmetries[${index}] is no symmetry: what follows the image is not the image of what follows`,
            (members[at] as Member<S>).state, // `after` has a place for each
            'Leave it out, or look for what treats the renamed differently.',
          );
      }
  }

  /** The run that the symmetries make of `run` on their way from its last state to the nearest state of that orbit for which `is` holds. */
  renamed(run: readonly S[], is: (state: S) => boolean): readonly S[] {
    const { members } = this.#orbit(run.at(-1) as S); // a run has a first state
    const word: number[] = [];
    for (let at = members.findIndex(({ state }) => is(state)); at > 0; at = members[at]?.from ?? 0) word.push(members[at]?.by ?? 0);
    word.reverse();
    return run.map((state) => word.reduce((image, by) => this.#image(this.symmetries[by] as (state: S) => S, by, image), state)); // one of the symmetries
  }

  /** An orbit, and where in it the state is. */
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
          throw refused(`symmetries make more than ${mostMembers} states of one`, state, 'Give renamings of which there are few.');
        return members.length - 1;
      });
    }
    // Each is a permutation of the members then: whichever one begins with, the orbit is the same.
    for (const index of this.symmetries.keys())
      if (new Set(images.map((to) => to[index])).size < members.length)
        throw refused(`symmetries[${index}] makes one state of two`, state, 'A symmetry renames: it loses nothing.');
    return { members, least, images };
  }

  #image(symmetry: (state: S) => S, index: number, state: S): S {
    const before = asking('A symmetry');
    try {
      return frozenData(symmetry(state), 'state', () => refused(`symmetries[${index}] makes no plain data`, state, 'Return a state.'));
    } catch (error) {
      if (error instanceof ConclaveError) throw error;
      throw refused(`symmetries[${index}] fails: ${error instanceof Error ? error.message : String(error)}`, state, 'Return a new state.');
    } finally {
      answered(before);
    }
  }
}

const refused = (what: string, state: unknown, cure: string) =>
  new ConclaveError('bad-input', `The system's ${what}; the state is ${canonical(state).slice(0, 200)}`, cure);

/** A text that two lists of states share exactly if they have the same states in them, and steps that fail either both or neither. */
const setOf = (texts: readonly (string | undefined)[]): string => [...new Set(texts.map((text) => text ?? 'fails'))].sort().join('\n');
