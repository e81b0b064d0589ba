import type { NodeId } from '@conclave/core/protocol';
import { effect, useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Session } from '../../model/session.js';
import { pointed } from '../actions/offered.js';
import { Menu, type MenuItem } from '../parts/menu.js';
import { Panel } from '../parts/panel.js';
import { Drawing, DrawingProvider } from './drawing.js';
import { Edge } from './edges.js';
import { Flight } from './flights.js';
import { edgeItems, messageItems, nodeItems } from './menus.js';
import { Channel } from './messages.js';
import './network.css';
import { NodeMark } from './nodes.js';
import { Split } from './split.js';
import {
  focusNode,
  keyOf,
  moveFocus,
  receiverIn,
  type Spot,
  spotOf,
  targetOf,
  thenFocus,
} from './spots.js';

/** The nodes at their places, and the messages on their way. */
export function Network({ session }: { readonly session: Session }) {
  return (
    <Panel title="Network" note={<Counts session={session} />} class="network">
      <Picture session={session} />
    </Panel>
  );
}

function Counts({ session }: { readonly session: Session }) {
  const count = useComputed(() =>
    Object.values(session.now.value.world.channels).reduce(
      (sum, messages) => sum + messages.length,
      0,
    ),
  ).value;
  return (
    <>{`${session.system.topology.spec}, ${count === 0 ? 'no message' : count === 1 ? '1 message' : `${count} messages`} on the way`}</>
  );
}

interface Opened {
  readonly at: { readonly x: number; readonly y: number };
  readonly label: string;
  readonly items: readonly MenuItem[];
}

interface Splitting {
  readonly at: Opened['at'];
  readonly from: NodeId;
  readonly to: NodeId;
}

function Picture({ session }: { readonly session: Session }) {
  const drawing = useMemo(() => new Drawing(session), [session]);
  const box = useRef<HTMLDivElement>(null);
  const menu = useSignal<Opened | undefined>(undefined);
  const splitting = useSignal<Splitting | undefined>(undefined);
  useLayoutEffect(() => measure(box.current, drawing), [drawing]);
  useEffect(() => followSteps(drawing, box), [drawing]);

  const open = (spot: Spot, at: Opened['at']) => {
    if (spot.kind === 'node') session.node.value = spot.node;
    const items =
      spot.kind === 'node'
        ? nodeItems(session, spot.node)
        : spot.kind === 'message'
          ? messageItems(session, spot.from, spot.to, spot.position)
          : edgeItems(session, spot.from, spot.to, () => {
              splitting.value = { at, from: spot.from, to: spot.to };
            });
    menu.value = {
      at,
      items: items.map((item) => ({ ...item, run: () => thenFocus(spot, item.run) })),
      label: keyOf(spot),
    };
  };
  const onClick = (event: MouseEvent) => {
    const spot = spotOf(event.target);
    if (spot) open(spot, { x: event.clientX, y: event.clientY });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const spot = spotOf(event.target);
    if (!spot || event.ctrlKey || event.metaKey || event.altKey) return;
    if ((event.key === 'Enter' || event.key === ' ') && event.target instanceof Element) {
      const { left, bottom, width } = event.target.getBoundingClientRect();
      open(spot, { x: left + width / 2, y: bottom });
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp')
      moveFocus(box.current, event.target, event.key === 'ArrowDown' ? 1 : -1);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the same keys choose among what can happen elsewhere
  };
  const onFocus = (event: FocusEvent) => {
    const spot = spotOf(event.target);
    if (spot) drawing.roving.value = keyOf(spot);
  };
  const onOver = (event: PointerEvent) => {
    const spot = spotOf(event.target);
    const target = spot && targetOf(spot);
    if (JSON.stringify(target) !== JSON.stringify(pointed.peek())) pointed.value = target;
  };
  const onOut = () => {
    pointed.value = undefined;
  };
  return (
    <DrawingProvider value={drawing}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: one listener for all nodes, messages and edges, which have their roles */}
      <div
        ref={box}
        class="picture"
        onClick={onClick}
        onKeyDown={onKeyDown}
        onFocusIn={onFocus}
        onPointerOver={onOver}
        onPointerLeave={onOut}
      >
        <Scene drawing={drawing} />
      </div>
      {menu.value && (
        <Menu
          {...menu.value}
          onClose={() => {
            menu.value = undefined;
          }}
        />
      )}
      {splitting.value && (
        <Split
          {...splitting.value}
          session={session}
          onClose={() => {
            splitting.value = undefined;
          }}
        />
      )}
    </DrawingProvider>
  );
}

function Scene({ drawing }: { readonly drawing: Drawing }) {
  const { width, height, pairs, nodes } = drawing.scene.value;
  if (width === 0 || height === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no fieldset
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="group"
      aria-label={`Network ${drawing.session.system.topology.spec}`}
    >
      <g>
        {pairs.map((pair) => (
          <Edge key={`${pair.from}→${pair.to}`} pair={pair} />
        ))}
      </g>
      <g>
        {drawing.session.system.topology.links.map(({ from, to }) => (
          <Channel key={`${from}→${to}`} from={from} to={to} />
        ))}
      </g>
      <Flight />
      <g>
        {nodes.map((node) => (
          <NodeMark key={node.id} node={node} />
        ))}
      </g>
    </svg>
  );
}

function measure(box: HTMLElement | null, drawing: Drawing): (() => void) | undefined {
  if (!box) return undefined;
  const take = () => {
    const { clientWidth: width, clientHeight: height } = box;
    const { value: before } = drawing.size;
    if (before.width !== width || before.height !== height) drawing.size.value = { width, height };
  };
  take();
  const observer = new ResizeObserver(take);
  observer.observe(box);
  return () => observer.disconnect();
}

/** Notices single steps forward, which move; and keeps the focus where its message was. */
function followSteps(drawing: Drawing, box: { readonly current: HTMLElement | null }): () => void {
  const { session } = drawing;
  let before = session.now.peek();
  drawing.roving.value = `node ${session.node.peek()}`;
  return effect(() => {
    const { value: now } = session.now;
    drawing.stepped.value = now !== before && now.step?.from === before ? now : undefined;
    const hadFocus = box.current?.contains(document.activeElement) ?? false;
    before = now;
    setTimeout(() => {
      if (box.current?.querySelector('[tabindex="0"]')) return;
      const to = receiverIn(drawing.roving.peek()) ?? session.node.peek();
      drawing.roving.value = `node ${to}`;
      if (hadFocus && document.activeElement === document.body) focusNode(to);
    });
  });
}
