import { pageStyle, spaceTimeView } from '@conclave/core/trace';
import { useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { looksOf } from '../../model/looks.js';
import type { Session } from '../../model/session.js';
import { Button } from '../parts/button.js';
import { Icon } from '../parts/icon.js';
import { Panel } from '../parts/panel.js';
import { neighbour, show } from './drawing.js';
import { useLate } from './late.js';
import { fateText, faultAt, linesUpTo, lineText, partAround, repeatsFrom } from './lines.js';
import './space-time.css';

/** To place texts takes the square of their number. */
const mostLabels = 24;

/** The branch that is shown as a space-time diagram, around the moment that is shown. */
export function SpaceTime({ session }: { readonly session: Session }) {
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
  const drawn = useComputed(() => {
    const trace = {
      header: run.trace(run.start).header,
      lines: lines.value.map(({ line }) => line),
    };
    const repeats = repeatsFrom(lines.value, tip.value, loop.value);
    const options = {
      from: from.value,
      to: to.value,
      height: height.value,
      looks: looksOf(system),
      mostLabels,
    };
    return spaceTimeView(trace, { ...options, repeats, fault: faultAt(tip.value) });
  }).value;
  const go = (blocks: number) => () => {
    moved.value = { at: now.peek(), by: by.peek() + blocks };
  };
  const { length } = lines.value;
  const isPart = to.value - from.value < length;
  const actions = isPart && (
    <>
      <Button kind="quiet" title="Earlier steps" disabled={from.value === 0} onClick={go(-2)}>
        <Icon name="back" />
      </Button>
      <Button kind="quiet" title="Later steps" disabled={to.value === length} onClick={go(2)}>
        <Icon name="forward" />
      </Button>
    </>
  );
  const frame = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const hint = useRef<HTMLParagraphElement>(null);

  useLayoutEffect(() => {
    const { current: box } = frame;
    if (!box) return;
    const take = () => {
      height.value = box.clientHeight;
    };
    take();
    const observer = new ResizeObserver(take);
    observer.observe(box);
    return () => observer.disconnect();
  }, [height]);

  useLayoutEffect(() => {
    if (picture.current) picture.current.innerHTML = drawn.svg; // its texts are escaped
    if (hint.current) hint.current.hidden = true;
  }, [drawn]);

  useLayoutEffect(() => {
    if (!frame.current || !picture.current) return;
    const { value: lineCount } = present;
    const isFault = now.value.step?.fault !== undefined;
    const line = isFault
      ? length
      : lines.value.findLastIndex(({ moment }) => moment === now.value && moment.depth > 0);
    show({
      frame: frame.current,
      picture: picture.current,
      line,
      edge: drawn.edge(lineCount),
      width: drawn.width,
      follow: by.value === 0,
    });
  }, [drawn, now.value, present.value, by.value, length, lines]);

  const momentOf = (target: EventTarget | null) => {
    const line = target instanceof SVGElement ? target.dataset.line : undefined;
    if (line === undefined) return undefined;
    return Number(line) === lines.value.length ? tip.value : lines.value[Number(line)]?.moment;
  };
  const textOf = (part: SVGElement): string => {
    const { line, arrow } = part.dataset;
    const message = arrow === undefined ? undefined : drawn.arrows[Number(arrow)];
    if (message) return fateText(lines.value, message);
    const runLine = lines.value[Number(line)];
    return runLine ? lineText(runLine) : (faultAt(tip.value)?.text ?? '');
  };
  const hide = () => {
    if (hint.current) hint.current.hidden = true;
  };
  const tell = ({ target }: Event) => {
    const part =
      target instanceof Element ? target.closest<SVGElement>('[data-line], [data-arrow]') : null;
    const { current } = hint;
    if (!current) return;
    current.hidden = part === null;
    if (part) current.textContent = textOf(part);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key, target } = event;
    const moment = momentOf(target);
    if (!moment || !(target instanceof SVGElement)) return;
    const next = neighbour(target, key);
    if (next) next.focus();
    else if (key === 'Enter' || key === ' ') session.goTo(moment);
    else if (!key.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation(); // elsewhere, arrows step and choose
  };
  const onClick = ({ target }: MouseEvent) => {
    const moment = momentOf(target);
    if (moment) session.goTo(moment);
  };
  const note = isPart
    ? `lines ${from.value + 1}–${to.value} of ${length.toLocaleString('en')}`
    : length === 0
      ? 'nothing has happened yet'
      : '';
  return (
    <Panel title="Space-time diagram" class="space-time-view" note={note} actions={actions}>
      <style>{pageStyle}</style>
      <div class="frame" ref={frame}>
        <Names session={session} lanes={drawn.lanes} height={drawn.height} />
        {/* biome-ignore lint/a11y/useKeyWithMouseEvents: focus does the same */}
        {/* biome-ignore lint/a11y/noStaticElementInteractions: its parts are buttons */}
        <div
          class="picture"
          ref={picture}
          onClick={onClick}
          onKeyDown={onKeyDown}
          onMouseOver={tell}
          onFocusIn={tell}
          onMouseLeave={tell}
          onFocusOut={hide}
        />
      </div>
      <p class="hint" ref={hint} hidden />
    </Panel>
  );
}

interface NamesProps {
  readonly session: Session;
  readonly lanes: readonly { readonly id: string; readonly y: number }[];
  readonly height: number;
}

/** The nodes at the beginnings of their lanes; a click chooses one. */
function Names({ session, lanes, height }: NamesProps) {
  const { node } = session;
  const width = Math.max(...lanes.map(({ id }) => id.length), 1);
  return (
    <div
      class="names"
      style={{ width: `calc(${Math.min(width, 14)}ch + 18px)`, height: `${height}px` }}
    >
      {lanes.map(({ id, y }) => (
        <button
          key={id}
          type="button"
          style={{ top: `${y - 11}px` }}
          aria-pressed={id === node.value}
          title={`Choose ${id}`}
          onClick={() => {
            node.value = id;
          }}
        >
          {id}
        </button>
      ))}
    </div>
  );
}
