import type { ComponentChildren } from 'preact';
import type { Conclusion as Said } from '../../model/conclusion.js';
import { toneIcons } from '../parts/badge.js';
import { Icon } from '../parts/icon.js';

export interface ConclusionProps extends Said {
  /** Of what is read aloud at once. */
  readonly role?: 'alert';
  /** Below its text. */
  readonly children?: ComponentChildren;
  /** What can be done with it. */
  readonly action?: ComponentChildren;
}

/** What a check, or a judge, says as a whole. */
export const Conclusion = ({ tone, title, text, role, children, action }: ConclusionProps) => (
  <div class={`conclusion ${tone}`} role={role}>
    <Icon name={toneIcons[tone]} />
    <div>
      <h3>{title}</h3>
      {text && <p>{text}</p>}
      {children}
    </div>
    {action}
  </div>
);
