import type { Action } from '@conclave/core/exploration';
import { stepOf } from '@conclave/core/internal/exploration';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { channelLine, queueOn } from '../../model/channel-lines.js';
import { shortened } from '../../model/node-label.js';
import { callOf } from '../../model/words.js';
import { useDrawing } from './drawing.js';
import { animates, arrive } from './motion.js';
import { TokenShape, widthOf } from './token-shape.js';

/** The message that the last step delivered or dropped, on its way into its node. */
export function Flight() {
  const { stepped, player } = useDrawing();
  const { value: moment } = stepped;
  const taken = moment?.step?.action;
  // also where the receiver crashes in the middle of it
  const action = taken && (stepOf(taken) ?? taken);
  // while a run with times plays, messages are under way until they arrive
  const isTimed = player.playing.peek() && moment?.step?.time !== undefined;
  if (!moment || isTimed || !animates() || (action?.type !== 'deliver' && action?.type !== 'drop'))
    return null;
  return <Flying key={moment.id} {...action} />;
}

/** A delivery or a loss. */
type FlyingProps = Extract<Action, { readonly type: 'deliver' | 'drop' }>;

function Flying({ type, from, to, message }: FlyingProps) {
  const { scene, session, looks, player } = useDrawing();
  const element = useRef<SVGGElement>(null);
  const [isDone, setDone] = useState(false);
  const { places, radius } = scene.value;
  const [a, b] = [places.get(from), places.get(to)];
  const text = shortened(callOf(session.system.protocol, message, from), 16);
  const isLost = type === 'drop';
  useLayoutEffect(() => {
    if (!element.current || !a || !b) return;
    const size = { width: widthOf(text), height: 17 };
    const [start = a] = queueOn(channelLine(a, b, radius, 0), 1, size).places;
    const end = isLost ? { x: start.x, y: start.y + 24 } : b;
    const time = player.arrival.peek() || player.motion.peek();
    const animation = arrive(element.current, [start, end], time, () => setDone(true));
    return () => animation.cancel();
  }, []);
  if (isDone) return null;
  return (
    <g
      ref={element}
      class={`token flying ${isLost ? 'lost' : ''}`}
      style={`--look: var(--${looks.message(message.type)})`}
    >
      <TokenShape text={text} heading={a && b ? Math.atan2(b.y - a.y, b.x - a.x) : 0} />
    </g>
  );
}
