import { ConclaveError } from '../../protocol/error.js';
import { type Json, notPlain } from '../../protocol/node.js';
import { canonical } from '../worlds/canonical.js';

/** A state of an orbit, with its text and how it was come by: the symmetry that leads to it, and from which member; −1 for the first. */
interface Member<S> {
  readonly state: S;
  readonly text: string;
  readonly from: number;
  readonly by: number;
}

/** All states that symmetries, one after another, make of one; that one first. */
export interface Orbit<S> {
  readonly members: readonly Member<S>[];
  /** The one of the least text: it stands for all. */
  readonly least: Member<S>;
  /** By member, and by symmetry: the member that it leads to. */
  readonly images: readonly (readonly number[])[];
}

/** More than that is no group of renamings, or one that is too large to go through for each state. */
const mostMembers = 100_000;

/**
 * Symmetries of a plain system, checked and not trusted: that they only rename, that they keep the initial states, and that in each image of a
 * state the images of its successors follow. So what is found with one state in place of its orbit is exact.
 */
export class Orbits<S extends Json> {
  readonly #sizes = new Map<string, number>();

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

  /** @throws {ConclaveError} `bad-input` for symmetries that do not only rename: from some image there is no way back. */
  of(state: S): Orbit<S> {
    const { symmetries } = this;
    const members: Member<S>[] = [{ state, text: canonical(state), from: -1, by: -1 }];
    const numbers = new Map([[(members[0] as Member<S>).text, 0]]); // it was put there
    const images: number[][] = [];
    let [least] = members as [Member<S>];
    for (let from = 0; from < members.length; from++) {
      const { state: at } = members[from] as Member<S>; // `from` is below its length
      images[from] = symmetries.map((symmetry, by) => {
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
    const size = this.#sizes.get(least.text) ?? members.length;
    this.#sizes.set(least.text, size);
    if (size !== members.length)
      throw refused(
        'symmetries make states that they do not make this one of',
        state,
        'A symmetry renames: it loses nothing, and leads back.',
      );
    return { members, least, images };
  }

  /**
   * @param successors what follows a state, undefined for a step that fails
   * @throws {ConclaveError} `bad-input` where what follows an image of `state` is not the image of what follows `state`.
   */
  requireAlike(state: S, successors: (state: S) => readonly (S | undefined)[]): void {
    const { members, images } = this.of(state);
    const after = members.map((member) => successors(member.state));
    const texts = after.map((states) => setOf(states));
    for (const [at, states] of after.entries())
      for (const [index, symmetry] of this.symmetries.entries()) {
        const image = images[at]?.[index] ?? at;
        const expected = setOf(states.map((one) => (one === undefined ? undefined : this.#image(symmetry, index, one))));
        if (expected !== texts[image])
          throw refused(
            `symmetries[${index}] is no symmetry: what follows the image is not the image of what follows`,
            (members[at] as Member<S>).state, // `after` has a place for each
            'Leave it out, or look for what treats the renamed differently.',
          );
      }
  }

  /** The run that the symmetries make of `run` on their way from its last state to the first state of that orbit for which `is` holds. */
  renamed(run: readonly S[], is: (state: S) => boolean): readonly S[] {
    const { members } = this.of(run.at(-1) as S); // a run has a first state
    const word: number[] = [];
    for (let at = members.findIndex(({ state }) => is(state)); at > 0; at = members[at]?.from ?? 0) word.push(members[at]?.by ?? 0);
    word.reverse();
    return run.map((state) => word.reduce((image, by) => this.#image(this.symmetries[by] as (state: S) => S, by, image), state)); // one of the symmetries
  }

  #image(symmetry: (state: S) => S, index: number, state: S): S {
    const image = symmetry(state);
    if (notPlain(image, 'state') !== undefined) throw refused(`symmetries[${index}] makes no plain data`, state, 'Return a state.');
    return image;
  }
}

const refused = (what: string, state: unknown, cure: string) =>
  new ConclaveError('bad-input', `The system's ${what}; the state is ${canonical(state).slice(0, 200)}`, cure);

/** A text that two lists of states share exactly if they have the same states in them, and steps that fail either both or neither. */
function setOf(states: readonly unknown[]): string {
  return [...new Set(states.map((state) => (state === undefined ? 'fails' : canonical(state))))].sort().join('\n');
}
