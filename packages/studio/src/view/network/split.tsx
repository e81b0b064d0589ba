import type { NodeId } from '@conclave/core/protocol';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { insideWindow } from '../parts/inside-window.js';
import { splitsBetween } from './menus.js';

interface SplitProps {
  readonly session: Session;
  readonly at: { readonly x: number; readonly y: number };
  readonly from: NodeId;
  readonly to: NodeId;
  readonly onClose: () => void;
}

/** Chooses the two sides of a split between two nodes. */
export function Split({ session, at, from, to, onClose }: SplitProps) {
  const box = useRef<HTMLDivElement>(null);
  const { nodes } = session.system.topology;
  const side = useSignal<readonly NodeId[]>([to]);
  useLayoutEffect(() => {
    if (box.current) insideWindow(box.current, at.x, at.y);
  });
  useEffect(() => {
    const before = document.activeElement;
    box.current?.querySelector('button')?.focus();
    const outside = (event: Event) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) onClose();
    };
    addEventListener('pointerdown', outside, true);
    return () => {
      removeEventListener('pointerdown', outside, true);
      if ((before instanceof HTMLElement || before instanceof SVGElement) && before.isConnected)
        before.focus();
    };
  }, []);
  const [first = ''] = nodes;
  const chosen = side.value.includes(first)
    ? nodes.filter((id) => !side.value.includes(id))
    : nodes.filter((id) => side.value.includes(id));
  const split = splitsBetween(session, from, to).find(
    ({ target }) => target.kind === 'network' && target.side.join() === chosen.join(),
  );
  return (
    <div
      ref={box}
      class="popover split"
      role="dialog"
      aria-label={`Split the network between ${from} and ${to}`}
      onKeyDown={(event) => {
        event.stopPropagation(); // the keys of the page do not act in here
        if (event.key === 'Escape') onClose();
      }}
    >
      <h3>Which nodes are on the side of {to}?</h3>
      <div class="sides">
        {nodes.map((id) => (
          <Button
            key={id}
            pressed={side.value.includes(id)}
            disabled={id === from || id === to}
            onClick={() => {
              side.value = side.value.includes(id)
                ? side.value.filter((other) => other !== id)
                : [...side.value, id];
            }}
          >
            {id}
          </Button>
        ))}
      </div>
      <Button
        kind="primary"
        disabled={!split}
        onClick={() => {
          onClose();
          if (split) session.take(split.number);
        }}
      >
        {`Cut off ${side.value.join(', ')}`}
      </Button>
    </div>
  );
}
