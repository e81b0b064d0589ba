import { spaceTimeSvg } from '@conclave/core/trace';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { looksOf } from '../../model/looks.js';
import type { Session } from '../../model/session.js';
import { Panel } from '../parts/panel.js';
import './space-time.css';

/** Drawing a run takes time with its length: more steps than this are not drawn. */
const longest = 120;

/** The run up to the moment that is shown, as a space-time diagram. */
export function SpaceTime({ session }: { readonly session: Session }) {
  const { value: now } = session.now;
  const holder = useRef<HTMLDivElement>(null);
  const isDrawn = now.depth <= longest;

  useLayoutEffect(() => {
    if (!holder.current) return;
    const options = { title: session.system.protocol.title, looks: looksOf(session.system), colours: 'page' } as const;
    holder.current.innerHTML = isDrawn ? spaceTimeSvg(session.run.trace(now), options) : ''; // its texts are escaped
    holder.current.scrollLeft = holder.current.scrollWidth;
  }, [session, now, isDrawn]);

  const { value: loop } = session.loop;
  const note = loop
    ? loop.depth < session.tip.value.depth
      ? `repeats forever from step ${loop.depth + 1}`
      : 'then nothing more happens'
    : '';
  return (
    <Panel title="Space-time diagram" class="space-time-view" note={note}>
      {!isDrawn && (
        <p>
          The run has {now.depth} steps. The diagram shows runs of up to {longest}; go back to see one.
        </p>
      )}
      <div class="drawing" ref={holder} />
    </Panel>
  );
}
