import type { NodeId } from '@conclave/core/protocol';
import type { Target } from '../../model/possible.js';

/** What of the network the user has clicked, or has the focus on. */
export type Spot =
  | { readonly kind: 'node'; readonly node: NodeId }
  | {
      readonly kind: 'message';
      readonly from: NodeId;
      readonly to: NodeId;
      readonly position: number;
    }
  | { readonly kind: 'edge'; readonly from: NodeId; readonly to: NodeId };

export function spotOf(element: EventTarget | null): Spot | undefined {
  const found =
    element instanceof Element
      ? element.closest<SVGElement>('[data-node], [data-channel], [data-edge]')
      : undefined;
  const { node, channel, position, edge } = found?.dataset ?? {};
  if (node !== undefined) return { kind: 'node', node };
  const [from = '', to = ''] = (channel ?? edge ?? '').split('→');
  if (channel !== undefined) return { kind: 'message', from, to, position: Number(position) };
  return edge === undefined ? undefined : { kind: 'edge', from, to };
}

/** Names a spot among those of one network. */
export const keyOf = (spot: Spot): string =>
  spot.kind === 'node'
    ? `node ${spot.node}`
    : spot.kind === 'message'
      ? `message ${spot.from}→${spot.to} ${spot.position}`
      : `${spot.from}→${spot.to}`;

export function targetOf(spot: Spot): Target | undefined {
  if (spot.kind === 'node') return spot;
  return spot.kind === 'message'
    ? { kind: 'message', from: spot.from, to: spot.to, positions: [spot.position] }
    : undefined;
}

/** Focuses the next node or message: each node, then the messages on their way to it. */
export function moveFocus(box: HTMLElement | null, from: EventTarget | null, by: 1 | -1): void {
  const all = [...(box?.querySelectorAll<SVGElement>('[data-node], [data-channel]') ?? [])];
  const nodes = all.flatMap(({ dataset }) => dataset.node ?? []);
  const place = ({ dataset }: SVGElement): number =>
    dataset.node === undefined
      ? nodes.indexOf(dataset.channel?.split('→')[1] ?? '') + 0.5
      : nodes.indexOf(dataset.node);
  const ordered = all.toSorted((one, other) => place(one) - place(other));
  const at = from instanceof SVGElement ? ordered.indexOf(from) : -1;
  ordered.at((at + by) % ordered.length)?.focus();
}

/** The receiver of the message that a key names; undefined for the key of a node. */
export const receiverIn = (key: string): NodeId | undefined =>
  /^message .*→(.*) \d+$/.exec(key)?.[1];

export function focusNode(id: NodeId): void {
  for (const node of document.querySelectorAll<SVGElement>('.network [data-node]'))
    if (node.dataset.node === id) node.focus();
}

function focusMessage({ from, to, position }: Extract<Spot, { readonly kind: 'message' }>): void {
  for (const token of document.querySelectorAll<SVGElement>('.network [data-channel]'))
    if (token.dataset.channel === `${from}→${to}` && token.dataset.position === String(position))
      token.focus();
}

/**
 * Runs what was chosen from the menu of a spot, and returns the focus there; to its receiver where
 * no message is at that position any more.
 */
export async function thenFocus(spot: Spot, run: () => void | Promise<void>): Promise<void> {
  await run();
  setTimeout(() => {
    const isLost = () => document.activeElement === document.body;
    if (isLost() && spot.kind === 'message') focusMessage(spot);
    if (isLost() && spot.kind !== 'edge') focusNode(spot.kind === 'node' ? spot.node : spot.to);
  });
}
