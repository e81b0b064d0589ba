import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';

export interface ButtonProps {
  readonly onClick: (event: MouseEvent) => void;
  /** What it does, where the content does not say it; shown while the pointer rests on it. */
  readonly title?: string | undefined;
  /** Before its words, or alone. */
  readonly icon?: IconName | undefined;
  readonly disabled?: boolean | undefined;
  /**
   * Like `disabled`, but it can have the focus: for a button that is often inactive only until the
   * next click elsewhere.
   */
  readonly inactive?: boolean | undefined;
  /** Of a switch: whether it is on. */
  readonly pressed?: boolean | undefined;
  /** Of a button that opens something: whether that is open. */
  readonly expanded?: boolean | undefined;
  /** `primary`: the one thing most people want here; `quiet`: without a frame. */
  readonly kind?: 'plain' | 'primary' | 'quiet' | undefined;
  readonly children?: ComponentChildren;
}

export function Button({ kind = 'plain', title, icon, inactive, children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind}`}
      onClick={inactive ? undefined : props.onClick}
      aria-disabled={inactive || undefined}
      title={title}
      aria-label={children ? undefined : title}
      disabled={props.disabled}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
