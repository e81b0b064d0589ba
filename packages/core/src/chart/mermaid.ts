import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { ConclaveError } from '../base/error.js';
import { stateNodes } from '../protocol/regions.js';
import { actionsText, pathOf, type Reaction, reactions } from './reactions.js';

type Ids = (node: AnyStateNode) => string;

/** How states are named, and the words for those that are drawn without what is in them. */
interface Drawing {
  readonly ids: Ids;
  readonly fold: (node: AnyStateNode) => string | undefined;
}

interface Arrow {
  readonly target: AnyStateNode;
  readonly line: string;
}

/**
 * Some lines of a chart, and the arrows that lead out of what they draw, to be written further out.
 */
interface Part {
  readonly lines: readonly string[];
  readonly leaving: readonly Arrow[];
}

/**
 * A statechart as Mermaid `stateDiagram-v2` text, in the order of its config.
 *
 * What leads to another state is an arrow. What a state does while it stays is written into its
 * box, and so are its «tags» and the events it ignores; for a compound state they are in a note. A
 * transition from a state to one inside or around it, or out of or into a parallel region, is there
 * too, as `reset → up.idle`: Mermaid cannot draw that.
 *
 * @param folded regions that are machines of their own, each drawn as one box with this text.
 * @throws {ConclaveError} `bad-input` for a folded region that the machine does not have.
 * @example chart(machine) // … released --> wanted : acquire / stamp, requestAll
 */
export function chart(
  machine: AnyStateMachine,
  folded: Readonly<Record<string, string>> = {},
): string {
  const { root } = machine;
  requireRegions(machine, folded);
  const fold = (node: AnyStateNode) =>
    node.parent === root && Object.hasOwn(folded, node.key) ? folded[node.key] : undefined;
  const drawing = { ids: mermaidIds(stateNodes(machine)), fold };
  const boxed =
    root.type !== 'compound' || root.description !== undefined || reactionLines(root).length > 0;
  const { lines, leaving } = boxed ? box(root, drawing) : inside(root, drawing);
  return `${['stateDiagram-v2', ...indented([...lines, ...leaving.map(({ line }) => line)])].join('\n')}\n`;
}

function requireRegions(
  { id, root }: AnyStateMachine,
  folded: Readonly<Record<string, string>>,
): void {
  const regions = root.type === 'parallel' ? Object.keys(root.states) : [];
  const unknown = Object.keys(folded).find((name) => !regions.includes(name));
  if (unknown === undefined) return;
  const has = regions.length > 0 ? `It has ${regions.join(', ')}.` : 'It has no regions.';
  throw new ConclaveError('bad-input', `Machine '${id}' has no region '${unknown}' to fold`, has);
}

/** One state with all that is in it, or with the text of a folded one. */
function box(node: AnyStateNode, drawing: Drawing): Part {
  const { ids, fold } = drawing;
  const id = ids(node);
  const title = `state "${escaped(titleOf(node))}" as ${id}`;
  const text = fold(node);
  if (text !== undefined) return { lines: [title, `${id} : ${escaped(text)}`], leaving: [] };
  const own = reactionLines(node);
  const description = node.description?.split('\n') ?? [];
  const arrows = arrowsFrom(node, ids);
  if (node.type !== 'compound' && node.type !== 'parallel')
    return {
      lines: [title, ...own.map((line) => `${id} : ${escaped(line)}`), ...note(id, description)],
      leaving: arrows,
    };
  const { lines, leaving } = inside(node, drawing);
  return {
    lines: [`${title} {`, ...indented(lines), '}', ...note(id, [...description, ...own])],
    leaving: [...leaving, ...arrows],
  };
}

/**
 * The states of `node`, and the arrows among them: Mermaid puts a state where it first meets its
 * name, so other arrows must wait.
 */
function inside(node: AnyStateNode, drawing: Drawing): Part {
  const { ids } = drawing;
  const parts = Object.values(node.states).map((child) => ({ child, ...box(child, drawing) }));
  if (node.type === 'parallel')
    return {
      lines: parts.flatMap(({ lines }, index) => (index === 0 ? lines : ['--', ...lines])),
      leaving: [],
    };
  const stays = ({ target }: Arrow) => isWithin(target, node);
  const lines = parts.flatMap(({ child, lines, leaving }) => [
    ...lines,
    ...leaving.filter(stays).map(({ line }) => line),
    ...(child.type === 'final' ? [`${ids(child)} --> [*]`] : []),
  ]);
  const { target, actions } = node.initial;
  const starts = target.map((first) =>
    arrow('[*]', ids(first), actions.length > 0 ? `/ ${actionsText(actions)}` : ''),
  );
  return {
    lines: [...starts, ...lines],
    leaving: parts.flatMap(({ leaving }) => leaving.filter((one) => !stays(one))),
  };
}

/**
 * What `node` does without an arrow: tags, entry and exit, reactions by which it stays, events it
 * ignores.
 */
function reactionLines(node: AnyStateNode): readonly string[] {
  const lines: string[] = [];
  const ignored: string[] = [];
  if (node.tags.length > 0) lines.push(node.tags.map((tag) => `«${tag}»`).join(' '));
  for (const boundary of ['entry', 'exit'] as const) {
    // not node.entry: XState adds its timers there
    const actions = actionsText(node.config[boundary]);
    if (actions) lines.push(`${boundary} / ${actions}`);
  }
  for (const reaction of reactions(node)) {
    const { trigger, actions, targets, description } = reaction;
    const near = targets.filter((target) => !isDrawn(node, target, reaction));
    if (targets.length === 0 && !actions)
      ignored.push(description ? `${trigger} (${description})` : trigger);
    else if (targets.length === 0 || near.length > 0) lines.push(labelOf(reaction, near));
  }
  return ignored.length > 0 ? [...lines, `ignores ${ignored.join(', ')}`] : lines;
}

function arrowsFrom(node: AnyStateNode, ids: Ids): readonly Arrow[] {
  return reactions(node).flatMap((reaction) =>
    reaction.targets
      .filter((target) => isDrawn(node, target, reaction))
      .map((target) => ({ target, line: arrow(ids(node), ids(target), labelOf(reaction)) })),
  );
}

function labelOf(
  { trigger, actions, description, reenter }: Reaction,
  near: readonly AnyStateNode[] = [],
): string {
  const does = actions ? ` / ${actions}` : '';
  const leads =
    near.length > 0 ? ` → ${near.map(pathOf).join(', ')}${reenter ? ' (reenter)' : ''}` : '';
  return `${trigger}${does}${leads}${description ? ` — ${description}` : ''}`;
}

function titleOf({ key, type, history }: AnyStateNode): string {
  return type === 'history' ? `${key} (${history === 'deep' ? 'H*' : 'H'})` : key;
}

/**
 * Whether a reaction is an arrow: between states apart in one region, or out of a state and into it
 * again.
 */
function isDrawn(source: AnyStateNode, target: AnyStateNode, { reenter }: Reaction): boolean {
  if (source === target) return reenter && source.parent?.type !== 'parallel';
  if (isWithin(source, target) || isWithin(target, source)) return false;
  return keepsRegion(source, target) && keepsRegion(target, source);
}

/** Whether one gets from `node` out to where `other` is too without leaving a parallel region. */
function keepsRegion(node: AnyStateNode, other: AnyStateNode): boolean {
  if (isWithin(other, node)) return true;
  return (
    node.parent !== undefined && node.parent.type !== 'parallel' && keepsRegion(node.parent, other)
  );
}

function isWithin(inner: AnyStateNode, outer: AnyStateNode): boolean {
  return inner === outer || (inner.parent !== undefined && isWithin(inner.parent, outer));
}

const arrow = (from: string, to: string, label: string) =>
  `${from} --> ${to}${label ? ` : ${escaped(label)}` : ''}`;

const note = (id: string, lines: readonly string[]) =>
  lines.length === 0 ? [] : [`note right of ${id}`, ...indented(lines.map(escaped)), 'end note'];

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

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
function mermaidIds(nodes: readonly AnyStateNode[]): (node: AnyStateNode) => string {
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

/**
 * `text` as one line of a Mermaid label, with character codes for what Mermaid, its Markdown or
 * HTML would take as their own.
 */
function escaped(text: string): string {
  return text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(
      /[#;:<>"%*_`$\\&]|(?<=\[)\[|(?<=direction) (?=tb|bt|rl|lr)|(?<=^end) (?=note)/gi,
      (special) => `#${special.charCodeAt(0)};`,
    );
}
