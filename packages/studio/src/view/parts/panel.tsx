/** What holds the views: panels, the borders between them, tabs. */
import { type Signal, signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { say } from '../../texts/say.js';
import { recall, remember } from '../preferences.js';
import { Button } from './controls.js';
import { assign, moveFocus } from './dom.js';

/** The class of the panel that fills the page; undefined where each has its own place. */
export const enlarged = signal<string | undefined>(undefined);

interface PanelProps {
  readonly title: string;
  readonly actions?: ComponentChildren | undefined;
  readonly note?: ComponentChildren | undefined;
  /** The view's own class; its style sheet has its rules below it. */
  readonly class: string;
  readonly canEnlarge?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** The frame of a view: heading, actions, content that scrolls; it fills its place. */
export function Panel({ title, note, canEnlarge = true, ...props }: PanelProps) {
  const id = useId();
  const isLarge = enlarged.value === props.class;
  return (
    <section class={`panel card ${props.class} ${isLarge ? 'enlarged' : ''}`} aria-labelledby={id}>
      <header class="panel-head flow">
        <h2 id={id} class="ellipsis">
          {title}
        </h2>
        {note !== undefined && <small class="ellipsis">{note}</small>}
        <div class="panel-actions flow end">
          {props.actions}
          {canEnlarge && (
            <Button
              icon={isLarge ? 'reduce' : 'enlarge'}
              title={
                isLarge
                  ? say('{title}: back to its place', { title })
                  : say('{title}: fill the page', { title })
              }
              pressed={isLarge}
              onClick={assign(enlarged, isLarge ? undefined : props.class)}
            />
          )}
        </div>
      </header>
      <div class="panel-body">{props.children}</div>
    </section>
  );
}

/** The borders between panels: where each may be, in hundredths of all, from the left or the top. */
const borders = {
  across: { label: 'Width of the panels at the left', least: 15, usual: 40, most: 60 },
  down: { label: 'Height of the upper panels', least: 15, usual: 55, most: 85 },
  side: { label: 'Width of the panels beside the lists', least: 65, usual: 77, most: 90 },
} as const;
type Border = keyof typeof borders;

const places = new Map<string, Signal<string | undefined>>();

/** Where a border was put, which the browser remembers; undefined: where it usually is. */
function placeOf(key: string): Signal<string | undefined> {
  const place = places.get(key) ?? signal(recall(key));
  places.set(key, place);
  return place;
}

interface QuartersProps {
  /** Under which the places of its borders are remembered. */
  readonly name: string;
  /** Up to four: two beside each other, or below. */
  readonly parts: readonly ComponentChildren[];
  /** At the right of all. */
  readonly side?: ComponentChildren;
}

/** Panels beside each other, with borders that are moved by dragging and by arrows. */
export function Quarters({ name, parts, side }: QuartersProps) {
  const keyOf = (border: Border) => `border-${name}-${border}`;
  const put = (border: Border, usual: string) => {
    const { value: place } = placeOf(keyOf(border));
    return place === undefined ? usual : `${border === 'side' ? 100 - Number(place) : place}%`;
  };
  const rest = 'var(--border) minmax(0, 1fr)';
  const upper = `minmax(0, ${side ? 1.3 : 1}fr)`;
  const tracks = {
    down: parts.length > 2 && `${put('down', upper)} ${rest}`,
    across: parts.length > 1 && `${put('across', 'minmax(0, 1fr)')} ${rest}`,
    side: side !== undefined && `var(--border) ${put('side', '292px')}`,
  };
  const { down, across } = tracks;
  const grid = `${down || 'minmax(0, 1fr)'} / ${across || 'minmax(0, 1fr)'} ${tracks.side || ''}`;
  return (
    <div class={`views quarters ${parts.length === 3 ? 'three' : ''}`} style={`--tracks: ${grid}`}>
      {parts}
      {side}
      {(['across', 'down', 'side'] as const).map(
        (border) => tracks[border] && <Separator key={border} {...{ border }} at={keyOf(border)} />,
      )}
    </div>
  );
}

const arrows: Readonly<Record<string, number>> = {
  ...{ ArrowLeft: -2, ArrowUp: -2 },
  ...{ ArrowRight: 2, ArrowDown: 2 },
};

function Separator({ border, at }: { readonly border: Border; readonly at: string }) {
  const { label, least, usual, most } = borders[border];
  const isUpright = border !== 'down';
  const put = ({ parentElement }: Element, x: number, y: number, by = 0) => {
    const all = parentElement?.getBoundingClientRect();
    if (!all) return;
    const part = 100 * (isUpright ? (x - all.x) / all.width : (y - all.y) / all.height) + by;
    const place = Math.min(most, Math.max(least, part)).toFixed(1);
    placeOf(at).value = place;
    remember(at, place);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: hr takes no keys
    <div
      class={`separator ${border}`}
      role="separator"
      tabIndex={0}
      aria-label={say(label)}
      title={say('Drag it, or move it by arrows')}
      aria-orientation={isUpright ? 'vertical' : 'horizontal'}
      aria-valuenow={Number(placeOf(at).value ?? usual)}
      aria-valuemin={least}
      aria-valuemax={most}
      onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
      onPointerMove={({ currentTarget, pointerId, clientX, clientY }) => {
        if (currentTarget.hasPointerCapture(pointerId)) put(currentTarget, clientX, clientY);
      }}
      onKeyDown={(event) => {
        const { x, y } = event.currentTarget.getBoundingClientRect();
        const by = arrows[event.key];
        if (by === undefined) return;
        put(event.currentTarget, x, y, by);
        event.preventDefault();
        event.stopPropagation(); // elsewhere, arrows step
      }}
    />
  );
}

interface TabsProps<T extends string> {
  /** What is chosen among, read aloud. */
  readonly label: string;
  readonly tabs: readonly { readonly id: T; readonly label: ComponentChildren }[];
  readonly chosen: { value: T };
}

/** One of several views: arrows, Home and End move, and choose at once. */
export const Tabs = <T extends string>({ label, tabs, chosen }: TabsProps<T>) => (
  <div
    class="tabs"
    role="tablist"
    aria-label={label}
    onKeyDown={(event) => moveFocus(event, '[role=tab]', ['ArrowLeft', 'ArrowRight'])?.click()}
  >
    {tabs.map((tab) => (
      <button
        key={tab.id}
        type="button"
        role="tab"
        aria-selected={tab.id === chosen.value}
        tabIndex={tab.id === chosen.value ? 0 : -1}
        onClick={assign(chosen, tab.id)}
      >
        {tab.label}
      </button>
    ))}
  </div>
);
