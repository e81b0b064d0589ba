/** The panel of the space-time diagram. */
import { pageStyle, spaceTimeView } from '@conclave/core/internal/trace';
import { spaceTimeSvg } from '@conclave/core/trace';
import { signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { numeral } from '../../base/numbers.js';
import { looksOf } from '../../model/looks.js';
import type { Session } from '../../model/session.js';
import { say } from '../../texts/say.js';
import { shownNode } from '../chart.js';
import { Button, Turn } from '../parts/controls.js';
import { assign, useSize } from '../parts/dom.js';
import { SaveChoice } from '../parts/floating.js';
import { Panel } from '../parts/panel.js';
import { lastDrawn, type SessionProps } from '../studio.js';
import { causesOf, faultAt, linesUpTo, Picture, partAround, repeatsFrom } from './picture.js';

/** Whether only the causal past of the present step is drawn in full. */
const showsCauses = signal(false);

/** To place texts takes the square of their number. */
const mostLabels = 24;

/** The branch that is shown as a space-time diagram, around the moment that is shown. */
export function SpaceTime({ session }: SessionProps) {
  const { run, system } = session;
  const { now, tip, loop } = useLate(session);
  const height = useSignal(220);
  /** How far the user went to earlier or later lines, from which moment. */
  const moved = useSignal({ at: now.peek(), by: 0 });
  const lines = useComputed(() => run.lines(tip.value));
  const present = useComputed(() => linesUpTo(lines.value, now.value));
  const by = useComputed(() => (moved.value.at === now.value ? moved.value.by : 0));
  const part = useComputed(() => partAround(present.value, lines.value.length, by.value));
  const from = useComputed(() => part.value.from);
  const to = useComputed(() => part.value.to);
  const diagram = useComputed(() => {
    const { header } = run.trace(run.start);
    const trace = { header, lines: lines.value.map(({ line }) => line) };
    return spaceTimeView(trace, {
      ...{ from: from.value, to: to.value, height: height.value, mostLabels },
      looks: looksOf(system.protocol),
      repeats: repeatsFrom(lines.value, tip.value, loop.value),
      fault: faultAt(tip.value),
    });
  }).value;
  const { length } = lines.value;
  const isPart = to.value - from.value < length;
  const causes = useComputed(() => {
    const line = present.value - 1;
    return showsCauses.value && line >= 0 ? causesOf(run.trace(tip.value), line) : undefined;
  }).value;
  const note = partNote(from.value, to.value, length);
  const frame = useRef<HTMLDivElement>(null);
  useSize(frame, ({ clientHeight }) => {
    height.value = clientHeight;
  });
  return (
    <Panel
      title={say('Space-time diagram')}
      class="space-time-view"
      note={note}
      actions={
        <>
          {isPart && (
            <Turn
              titles={[say('Earlier steps'), say('Later steps')]}
              isFirst={from.value === 0}
              isLast={to.value === length}
              onTurn={(blocks) => {
                moved.value = { at: now.peek(), by: by.peek() + 2 * blocks };
              }}
            />
          )}
          <Tools session={session} />
        </>
      }
    >
      <style>{pageStyle}</style>
      <div class="frame" ref={frame}>
        <Names session={session} lanes={diagram.lanes} height={diagram.height} />
        <Picture
          {...{ session, frame, now, tip, lines, present, diagram }}
          isAway={by.value !== 0}
          causes={causes}
        />
      </div>
    </Panel>
  );
}

function partNote(from: number, to: number, all: number): string {
  if (all === 0) return say('nothing has happened yet');
  const part = { first: from + 1, last: to, all: numeral(all) };
  return to - from < all ? say('lines {first}–{last} of {all}', part) : '';
}

/** Shows causes, and saves the picture. */
function Tools({ session: { run, system, tip } }: SessionProps) {
  const file = (ending: string, animated: boolean) => ({
    name: `${system.protocol.name}${ending}`,
    text: () => spaceTimeSvg(run.trace(tip.peek()), { animated }),
    type: 'image/svg+xml',
  });
  return (
    <>
      <Button
        kind="quiet"
        title={say(
          'Causes: dim what did not happen before the step that is shown, by its node or by messages',
        )}
        pressed={showsCauses.value}
        onClick={assign(showsCauses, !showsCauses.value)}
      >
        {say('Causes')}
      </Button>
      <SaveChoice
        title={say('Save the diagram of this branch')}
        disabled={tip.value === run.start}
        files={[
          {
            ...file('.svg', false),
            label: say('Picture'),
            title: say('Save it as a picture, for paper and slides'),
          },
          {
            ...file('.animated.svg', true),
            label: say('Moving picture'),
            title: say('Save it as a picture in which time goes by and messages move, for slides'),
          },
        ]}
      />
    </>
  );
}

interface NamesProps extends SessionProps {
  readonly lanes: readonly { readonly id: string; readonly y: number }[];
  readonly height: number;
}

/** The nodes at the beginnings of their lanes; a click chooses one. */
function Names({ session, lanes, height }: NamesProps) {
  const { value: shown } = shownNode(session);
  const width = Math.min(Math.max(...lanes.map(({ id }) => id.length), 1), 14);
  return (
    <div class="names" style={{ width: `calc(${width}ch + 18px)`, height: `${height}px` }}>
      {lanes.map(({ id, y }) => (
        <button
          key={id}
          type="button"
          class="bare small ellipsis"
          style={{ top: `${y - 11}px` }}
          aria-pressed={id === shown}
          title={say('Choose {id}', { id })}
          onClick={assign(session.node, id)}
        >
          {id}
        </button>
      ))}
    </div>
  );
}

/** What is shown, once the other views are painted: no step waits for the diagram. */
function useLate(session: Session) {
  const drawn = lastDrawn(session);
  const late = useSignal({ now: session.now.peek(), tip: drawn.peek(), loop: session.loop.peek() });
  useSignalEffect(() => {
    const { value: tip } = drawn;
    const loop = tip === session.tip.value ? session.loop.value : undefined;
    const next = { now: session.now.value, tip, loop };
    const timer = setTimeout(() => {
      late.value = next;
    });
    return () => clearTimeout(timer);
  });
  return {
    now: useComputed(() => late.value.now),
    tip: useComputed(() => late.value.tip),
    loop: useComputed(() => late.value.loop),
  };
}
