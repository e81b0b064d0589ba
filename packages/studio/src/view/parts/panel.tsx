import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { say } from '../../texts/say.js';
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
