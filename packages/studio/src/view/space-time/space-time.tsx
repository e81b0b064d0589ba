import { spaceTimeSvg } from '@conclave/core/trace';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { looksOf } from '../../model/looks.js';
import type { Session } from '../../model/session.js';
import { Panel } from '../parts/panel.js';
import './space-time.css';

/** To place texts takes the square of their number. */
const mostLabels = 24;

/** Drawing a run takes time with its length: more steps than this are not drawn. */
const longest = 120;

/** The run up to the moment that is shown, as a space-time diagram. */
export function SpaceTime({ session }: { readonly session: Session }) {
  const { value: now } = session.now;
  const holder = useRef<HTMLDivElement>(null);
  const isDrawn = now.depth <= longest;

  useLayoutEffect(() => {
    if (!holder.current) return;
    const options = { title: session.system.protocol.title, looks: looksOf(session.system), colours: 'page', mostLabels } as const;
    holder.current.innerHTML = isDrawn ? spaceTimeSvg(session.run.trace(now), options) : ''; // its texts are escaped
    for (const [line, { moment }] of session.run.lines(now).entries())
      if (moment === now && now.depth > 0) holder.current.querySelector(`[data-line="${line}"]`)?.classList.add('now');
    holder.current.scrollLeft = holder.current.scrollWidth;
  }, [session, now, isDrawn]);

  /** A click on a step goes to the moment after it; by keyboard the trace, the same run as text, does. */
  useLayoutEffect(() => {
    const { current } = holder;
    const goTo = ({ target }: MouseEvent) => {
      const line = target instanceof SVGElement ? target.dataset.line : undefined;
      const moment = line === undefined ? undefined : session.run.lines(session.now.value)[Number(line)]?.moment;
      if (moment) session.goTo(moment);
    };
    current?.addEventListener('click', goTo);
    return () => current?.removeEventListener('click', goTo);
  }, [session]);

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
