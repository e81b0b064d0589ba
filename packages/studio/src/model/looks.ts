/** How states and messages look, the same in all views, and short texts for them. */
import { roleOf, start, stateText } from '@conclave/core/internal';
import type { Protocol } from '@conclave/core/protocol';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { memo } from '../base/collections.js';

/** How a state is drawn, as the name of a custom property: `var(--state-2)`. */
type StateLook = 'initial' | `state-${number}` | `strong-${number}`;
/** How a message is drawn, likewise. */
type MessageLook = `message-${number}`;

/** What states and messages of a protocol look like. */
export interface Looks {
  /** Of the text of a state: `wanted`, `client.wanted & voter.free`. */
  state(text: string): StateLook;
  /** Of a type of message: `request`. */
  message(type: string): MessageLook;
}

const stateLooks = 6;
const messageLooks = 5;

/** Tags of the states that a protocol is for, the strongest first. */
const strongTags: readonly (readonly string[])[] = [
  ['critical', 'leader'],
  ['decided', 'terminated', 'done'],
  ['sequencer'],
];

/**
 * The looks of a protocol's states and messages: the same in each run and on each network.
 *
 * States in which nodes start, on the smallest usual network, are `initial`; those with a tag such
 * as `critical` are strong; those with the tag `waiting` are `state-0` in every protocol; the
 * others have a number from 1 on, in the order of the statechart. Of parallel
 * regions the strongest state counts, then the first that is not initial; regions with tags come
 * first.
 */
export const looksOf = memo((protocol: Protocol): Looks => {
  const leaves = Object.values(protocol.roles).flatMap(({ machine }) => leavesOf(machine));
  const starts = new Set(startTexts(protocol).flatMap(leafPaths));
  const strength = new Map<string, number>();
  const numbers = new Map<string, number>();
  const tagged = new Map<string, boolean>();
  for (const { path, strong, isTagged } of leaves) {
    if (!tagged.get(path)) tagged.set(path, isTagged);
    if (strong >= 0) strength.set(path, Math.min(strong, strength.get(path) ?? strong));
  }
  let others = 0;
  for (const { path, isWaiting } of leaves)
    if (!starts.has(path) && !strength.has(path) && !numbers.has(path))
      numbers.set(path, isWaiting ? 0 : 1 + (others++ % (stateLooks - 1)));
  const texts = new Map<string, StateLook>();
  const lookOf = (text: string): StateLook => {
    const paths = leafPaths(text);
    const strongest = Math.min(...paths.map((path) => strength.get(path) ?? Infinity));
    if (strongest < Infinity) return `strong-${strongest}`;
    const moved = paths.filter((path) => numbers.has(path));
    const number = numbers.get(moved.find((path) => tagged.get(path)) ?? moved[0] ?? '');
    return number === undefined ? 'initial' : `state-${number}`;
  };
  const types = Object.keys(protocol.messages);
  return {
    state(text) {
      const look = texts.get(text) ?? lookOf(text);
      texts.set(text, look);
      return look;
    },
    message: (type) => `message-${Math.max(types.indexOf(type), 0) % messageLooks}`,
  };
});

interface Leaf {
  readonly path: string;
  /** The position of its strongest tag, or of a state around it; −1 without one. */
  readonly strong: number;
  readonly isWaiting: boolean;
  /** Whether its region has tags of its own, and not only of a part, `within:waiting`. */
  readonly isTagged: boolean;
}

/** The innermost states of a machine, in its order. */
function leavesOf({ root }: AnyStateMachine): readonly Leaf[] {
  const visit = (
    node: AnyStateNode,
    around: readonly string[],
    isTagged: boolean,
  ): readonly Leaf[] => {
    const tags = [...around, ...node.tags];
    const states = Object.values(node.states).filter(({ type }) => type !== 'history');
    if (states.length > 0)
      return states.flatMap((inner) =>
        visit(inner, tags, node.type === 'parallel' ? hasTags(inner) : isTagged),
      );
    const strong = strongTags.findIndex((names) => names.some((name) => tags.includes(name)));
    const isWaiting = tags.includes('waiting');
    return [{ path: node.path.join('.'), strong, isWaiting, isTagged }];
  };
  return visit(root, [], hasTags(root));
}

const hasTags = (node: AnyStateNode): boolean =>
  node.tags.some((tag) => !tag.includes(':')) || Object.values(node.states).some(hasTags);

/** The texts of the states in which the nodes of the smallest usual network start. */
function startTexts(protocol: Protocol): readonly string[] {
  const network = protocol.topology.example(3);
  return network.nodes.map((id) => {
    const { machine, input } = roleOf(protocol, id, network);
    return stateText(start(machine, id, input(id, network)).state.value);
  });
}

/** The innermost states in a text: `client.wanted`, `voter.free` of both joined by ` & `. */
export function leafPaths(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    else if (depth === 0 && text.startsWith(' & ', at)) {
      parts.push(text.slice(from, at));
      from = at + 3;
    }
  }
  parts.push(text.slice(from));
  return parts.flatMap((part) => {
    const open = part.indexOf('.(');
    return open < 0
      ? [part]
      : leafPaths(part.slice(open + 2, -1)).map((inner) => `${part.slice(0, open)}.${inner}`);
  });
}

/** The state of a node in a few letters: the innermost one that gives it its look. */
export function shortState(looks: Looks, text: string, most: number): string {
  const leaves = leafPaths(text);
  const look = looks.state(text);
  const leaf =
    leaves.length > 1
      ? (leaves.find((path) => looks.state(path) === look) ?? leaves[0] ?? text)
      : text;
  const short =
    leaf.length > most || leaves.length > 1 ? leaf.slice(leaf.lastIndexOf('.') + 1) : leaf;
  return shortened(short, most);
}

export const shortened = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

/** For each type a shortest prefix that no other begins with, of at least `least` letters. */
export function abbreviations(types: readonly string[], least = 3): ReadonlyMap<string, string> {
  return new Map(
    types.map((type) => {
      let length = least;
      while (
        length < type.length &&
        types.some((other) => other !== type && other.startsWith(type.slice(0, length)))
      )
        length++;
      return [type, type.slice(0, length)];
    }),
  );
}
