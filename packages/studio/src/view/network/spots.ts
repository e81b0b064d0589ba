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
export function keyOf(spot: Spot): string {
  if (spot.kind === 'node') return `node ${spot.node}`;
  const channel = `${spot.from}→${spot.to}`;
  return spot.kind === 'message' ? `message ${channel} ${spot.position}` : channel;
}

export function targetOf(spot: Spot | undefined): Target | undefined {
  if (spot?.kind === 'edge') return undefined;
  return spot?.kind === 'message' ? { ...spot, positions: [spot.position] } : spot;
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

const focus = (selector: string): void =>
  document.querySelector<SVGElement>(`.network ${selector}`)?.focus();

export const focusNode = (id: NodeId): void => focus(`[data-node="${CSS.escape(id)}"]`);

/**
 * Runs what was chosen from the menu of a spot, and returns the focus there; to its receiver where
 * no message is at that position any more.
 */
export async function thenFocus(spot: Spot, run: () => void | Promise<void>): Promise<void> {
  await run();
  setTimeout(() => {
    const isLost = () => document.activeElement === document.body;
    if (isLost() && spot.kind === 'message')
      focus(
        `[data-channel="${CSS.escape(`${spot.from}→${spot.to}`)}"][data-position="${spot.position}"]`,
      );
    if (isLost() && spot.kind !== 'edge') focusNode(spot.kind === 'node' ? spot.node : spot.to);
  });
}
