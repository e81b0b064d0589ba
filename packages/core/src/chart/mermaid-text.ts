import type { AnyStateNode } from 'xstate';

/**
 * Words that Mermaid's state diagrams do not take as the name of a state, in any case; `_start` and
 * `_end` name its own circles.
 */
const reserved =
  /^(accdescr|acctitle|as|class|classdef|click|default|href|note|root|scale|state|statediagram|style|__proto__)$|_(start|end)$/i;

/**
 * A Mermaid name for each state: its path, `up_idle`, as far as Mermaid allows and no other state
 * has it.
 */
export function mermaidIds(nodes: readonly AnyStateNode[]): (node: AnyStateNode) => string {
  const taken = new Map<string, AnyStateNode>();
  const ids = new Map(
    nodes.map((node) => {
      const path = pathOf(node).replace(/[^\p{L}\p{N}_]/gu, '_');
      let id = reserved.test(path) ? `${path}_` : path;
      for (let copy = 2; taken.has(id); copy++) id = `${path}_${copy}`;
      taken.set(id, node);
      return [node, id];
    }),
  );
  return (node) => ids.get(node) ?? '';
}

/** The path of a state: `up.idle`; the machine's id for the outermost one. */
export function pathOf(node: AnyStateNode): string {
  return node.path.join('.') || node.key;
}

/**
 * `text` as one line of a Mermaid label, with character codes for what Mermaid, its Markdown or
 * HTML would take as their own.
 */
export function escaped(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(
      /[#;:<>"%*_`$\\&]|(?<=\[)\[|(?<=direction) (?=tb|bt|rl|lr)|(?<=^end) (?=note)/gi,
      (special) => `#${special.charCodeAt(0)};`,
    );
}
