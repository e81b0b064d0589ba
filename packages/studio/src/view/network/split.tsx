import type { NodeId } from '@conclave/core/protocol';
import { useSignal } from '@preact/signals';
import { say } from '../../texts/say.js';
import { Button } from '../parts/button.js';
import { Floating, type FloatingProps } from '../parts/floating.js';
import type { SessionProps } from '../studio.js';
import { splitsBetween } from './menus.js';

export interface SplitProps extends SessionProps {
  readonly at: ReturnType<FloatingProps['at']>;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly onClose: () => void;
}

/** Chooses the two sides of a split between two nodes. */
export function Split({ session, at, from, to, onClose }: SplitProps) {
  const { nodes } = session.system.topology;
  const side = useSignal<readonly NodeId[]>([to]);
  const isIn = (id: NodeId) => side.value.includes(id);
  const [first = ''] = nodes;
  // a split is named by the side without the first node
  const named = nodes.filter((id) => isIn(id) !== isIn(first)).join();
  const split = splitsBetween(session, from, to).find(
    ({ target }) => target.kind === 'network' && target.side.join() === named,
  );
  return (
    <Floating
      at={() => at}
      role="dialog"
      class="popover split stack"
      label={say('Split the network between {from} and {to}', { from, to })}
      onClose={onClose}
    >
      <h3>{say('Which nodes are on the side of {to}?', { to })}</h3>
      <div class="flow wraps">
        {nodes.map((id) => (
          <Button
            key={id}
            pressed={isIn(id)}
            disabled={id === from || id === to}
            onClick={() => {
              side.value = isIn(id)
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
        {say('Cut off {nodes}', { nodes: side.value.join(', ') })}
      </Button>
    </Floating>
  );
}
