import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { Button } from './button.js';
import { Icon } from './icon.js';
import './parts.css';

/** The title of the panel that fills the page; undefined where each has its own place. */
export const enlarged = signal<string | undefined>(undefined);

export interface PanelProps {
  readonly title: string;
  /** At the end of its heading: buttons, a choice. */
  readonly actions?: ComponentChildren | undefined;
  /** One line beside the title, such as a count. */
  readonly note?: ComponentChildren | undefined;
  /** The view's own class; its style sheet has its rules below it. */
  readonly class?: string | undefined;
  /** No: the panel is a list at the side, which would not gain. */
  readonly canEnlarge?: boolean | undefined;
  readonly children: ComponentChildren;
}

/**
 * The frame of a view: heading, actions, content that scrolls by itself. It fills the place that
 * the page gives it.
 */
export function Panel({
  title,
  actions,
  note,
  class: own = '',
  canEnlarge = true,
  children,
}: PanelProps) {
  const id = useId();
  const isLarge = enlarged.value === title;
  return (
    <section class={`panel ${own} ${isLarge ? 'enlarged' : ''}`} aria-labelledby={id}>
      <header class="panel-head">
        <h2 id={id}>{title}</h2>
        {note !== undefined && <span class="panel-note">{note}</span>}
        <div class="panel-actions">
          {actions}
          {canEnlarge && (
            <Button
              kind="quiet"
              title={isLarge ? `${title}: back to its place` : `${title}: fill the page`}
              pressed={isLarge}
              onClick={() => {
                enlarged.value = isLarge ? undefined : title;
              }}
            >
              <Icon name={isLarge ? 'reduce' : 'enlarge'} />
            </Button>
          )}
        </div>
      </header>
      <div class="panel-body">{children}</div>
    </section>
  );
}
