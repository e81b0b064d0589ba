/** The panel of the network, and where the pointer and the keys are in it. */
import type { NodeId } from '@conclave/core/protocol';
import { effect, type Signal, useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { counted } from '../../base/numbers.js';
import type { Target } from '../../model/possible.js';
import type { Session } from '../../model/session.js';
import { say } from '../../texts/say.js';
import { pointed } from '../actions.js';
import { assign, useSize } from '../parts/dom.js';
import { Menu, type MenuProps } from '../parts/floating.js';
import { Panel } from '../parts/panel.js';
import type { SessionProps } from '../studio.js';
import { Drawing, DrawingProvider, NodeMark } from './drawing.js';
import { edgeItems, messageItems, nodeItems, Split, type SplitProps } from './menus.js';
import { Channels, Edge, Flight, Lost } from './messages.js';

/** The nodes at their places, and the messages on their way. */
export function Network({ session }: SessionProps) {
  const drawing = useMemo(() => new Drawing(session), [session]);
  return (
    <Panel title={say('Network')} note={<Counts drawing={drawing} />} class="network">
      <DrawingProvider value={drawing}>
        <Picture drawing={drawing} />
      </DrawingProvider>
    </Panel>
  );
}

interface DrawingProps {
  readonly drawing: Drawing;
}

function Counts({ drawing: { session, count } }: DrawingProps) {
  const messages = count.value === 0 ? say('no message') : counted(count.value, 'message');
  return (
    <>
      {say('{network}, {messages} on the way', { network: session.system.topology.spec, messages })}
    </>
  );
}

type Opened = Omit<MenuProps, 'onClose'>;
type Splitting = Pick<SplitProps, 'at' | 'from' | 'to'>;

function Picture({ drawing }: DrawingProps) {
  const { session } = drawing;
  const box = useRef<HTMLDivElement>(null);
  const menu = useSignal<Opened | undefined>(undefined);
  const splitting = useSignal<Splitting | undefined>(undefined);
  useSize(
    box,
    ({ clientWidth: width, clientHeight: height }) => {
      const { value: before } = drawing.size;
      if (before.width !== width || before.height !== height)
        drawing.size.value = { width, height };
    },
    [drawing],
  );
  useEffect(() => followSteps(drawing, box), [drawing]);
  const open = (spot: Spot, at: Opened['at']) => {
    if (spot.kind === 'node') session.node.value = spot.node;
    const items = itemsOf(session, spot, at, splitting);
    menu.value = {
      at,
      items: items.map((item) => ({ ...item, run: () => thenFocus(spot, item.run) })),
      label: keyOf(spot),
    };
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    const spot = spotOf(target);
    if (!spot || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((key === 'Enter' || key === ' ') && target instanceof Element) {
      const { left, bottom, width } = target.getBoundingClientRect();
      open(spot, { x: left + width / 2, y: bottom });
    } else if (key === 'ArrowDown' || key === 'ArrowUp')
      moveFocus(box.current, target, key === 'ArrowDown' ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the same keys choose among what can happen elsewhere
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one listener for all nodes, messages and edges, which have their roles */}
      <div
        ref={box}
        class="picture"
        onClick={({ target, clientX: x, clientY: y }) => {
          const spot = spotOf(target);
          if (spot) open(spot, { x, y });
        }}
        onKeyDown={onKeyDown}
        onFocusIn={({ target }) => {
          const spot = spotOf(target);
          if (spot) drawing.roving.value = keyOf(spot);
        }}
        onPointerOver={(event) => {
          const target = targetOf(spotOf(event.target));
          if (JSON.stringify(target) !== JSON.stringify(pointed.peek())) pointed.value = target;
        }}
        onPointerLeave={assign(pointed, undefined)}
      >
        <Scene drawing={drawing} />
      </div>
      {menu.value && <Menu {...menu.value} onClose={assign(menu, undefined)} />}
      {splitting.value && (
        <Split {...splitting.value} session={session} onClose={assign(splitting, undefined)} />
      )}
    </>
  );
}

function itemsOf(
  session: Session,
  spot: Spot,
  at: Opened['at'],
  splitting: Signal<Splitting | undefined>,
): Opened['items'] {
  if (spot.kind === 'node') return nodeItems(session, spot.node);
  const { from, to } = spot;
  return spot.kind === 'message'
    ? messageItems(session, from, to, spot.position)
    : edgeItems(session, from, to, assign(splitting, { at, from, to }));
}

function Scene({ drawing: { scene, session } }: DrawingProps) {
  const { width, height, pairs, nodes } = scene.value;
  if (width === 0 || height === 0) return null;
  const { spec } = session.system.topology;
  const keyOf = ({ from, to }: { readonly from: NodeId; readonly to: NodeId }) => `${from}→${to}`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label={say('Network {spec}', { spec })}
    >
      <g>
        {pairs.map((pair) => (
          <Edge key={keyOf(pair)} pair={pair} />
        ))}
      </g>
      <Channels />
      <Flight />
      <Lost />
      <g>
        {nodes.map((node) => (
          <NodeMark key={node.id} node={node} />
        ))}
      </g>
    </svg>
  );
}

/** Keeps the focus where its message was. */
function followSteps(drawing: Drawing, box: RefObject<HTMLElement | null>): () => void {
  const { session, roving } = drawing;
  roving.value = `node ${session.node.peek()}`;
  return effect(() => {
    session.now.value; // after each step
    const hadFocus = box.current?.contains(document.activeElement) ?? false;
    setTimeout(() => {
      if (box.current?.querySelector('[tabindex="0"]')) return;
      const to = receiverIn(roving.peek()) ?? session.node.peek();
      roving.value = `node ${to}`;
      if (hadFocus && document.activeElement === document.body) focusNode(to);
    });
  });
}

/** What of the network the user has clicked, or has the focus on. */
type Spot =
  | { readonly kind: 'node'; readonly node: NodeId }
  | {
      readonly kind: 'message';
      readonly from: NodeId;
      readonly to: NodeId;
      readonly position: number;
    }
  | { readonly kind: 'edge'; readonly from: NodeId; readonly to: NodeId };

function spotOf(element: EventTarget | null): Spot | undefined {
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
function keyOf(spot: Spot): string {
  if (spot.kind === 'node') return `node ${spot.node}`;
  const channel = `${spot.from}→${spot.to}`;
  return spot.kind === 'message' ? `message ${channel} ${spot.position}` : channel;
}

function targetOf(spot: Spot | undefined): Target | undefined {
  if (spot?.kind === 'edge') return undefined;
  return spot?.kind === 'message' ? { ...spot, positions: [spot.position] } : spot;
}

/** Focuses the next node or message: each node, then the messages on their way to it. */
function moveFocus(box: HTMLElement | null, from: EventTarget | null, by: 1 | -1): void {
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
const receiverIn = (key: string): NodeId | undefined => /^message .*→(.*) \d+$/.exec(key)?.[1];

const focus = (selector: string): void =>
  document.querySelector<SVGElement>(`.network ${selector}`)?.focus();

const focusNode = (id: NodeId): void => focus(`[data-node="${CSS.escape(id)}"]`);

/** Runs a choice from the menu of a spot, and returns the focus there, or to its receiver. */
async function thenFocus(spot: Spot, run: () => void | Promise<void>): Promise<void> {
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
