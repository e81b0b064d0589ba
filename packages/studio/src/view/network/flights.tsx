import { stepOf } from '@conclave/core/exploration';
import type { Message, NodeId } from '@conclave/core/protocol';
import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { channelLine, queueOn } from '../../model/channel-lines.js';
import { shortened } from '../../model/node-label.js';
import type { Moment } from '../../model/run.js';
import { callOf, plainMessage } from '../../model/words.js';
import { useDrawing } from './drawing.js';
import { TokenShape, widthOf } from './messages.js';
import { animates, arrive } from './motion.js';

/** The message that the last step delivered or dropped, on its way into its node. */
export function Flight() {
  const drawing = useDrawing();
  const moment = useComputed(() => drawing.stepped.value).value;
  const taken = moment?.step?.action;
  // also where the receiver crashes in the middle of it
  const action = taken && (stepOf(taken) ?? taken);
  if (!moment || !animates() || (action?.type !== 'deliver' && action?.type !== 'drop'))
    return null;
  return (
    <Flying
      key={moment.id}
      moment={moment}
      from={action.from}
      to={action.to}
      message={action.message}
      isLost={action.type === 'drop'}
    />
  );
}

interface FlyingProps {
  readonly moment: Moment;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly message: Message;
  readonly isLost: boolean;
}

function Flying({ from, to, message, isLost }: FlyingProps) {
  const drawing = useDrawing();
  const element = useRef<SVGGElement>(null);
  const [isDone, setDone] = useState(false);
  const { places, radius } = drawing.scene.value;
  const [a, b] = [places.get(from), places.get(to)];
  const text = shortened(callOf(drawing.session.system.protocol, plainMessage(message), from), 16);
  useLayoutEffect(() => {
    if (!element.current || !a || !b) return;
    const [start = a] = queueOn(channelLine(a, b, radius, 0), 1, {
      width: widthOf(text),
      height: 17,
    }).places;
    const end = isLost ? { x: start.x, y: start.y + 24 } : b;
    const animation = arrive(element.current, start, end, () => setDone(true));
    return () => animation.cancel();
  }, []);
  if (isDone) return null;
  return (
    <g
      ref={element}
      class={`token flying ${isLost ? 'lost' : ''}`}
      style={`--look: var(--${drawing.looks.message(message.type)})`}
    >
      <TokenShape text={text} heading={a && b ? Math.atan2(b.y - a.y, b.x - a.x) : 0} />
    </g>
  );
}
