import type { ComponentChildren } from 'preact';
import { Icon } from './icon.js';

/** A verdict has a shape of its own, beside its colour. */
export const toneIcons = { true: 'check', false: 'cross', undecided: 'undecided' } as const;

export interface BadgeProps {
  /** `plain` is a label. */
  readonly tone?: keyof typeof toneIcons | 'plain' | undefined;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

export const Badge = ({ tone = 'plain', title, children }: BadgeProps) => (
  <span class={`badge ${tone}`} title={title}>
    {tone !== 'plain' && <Icon name={toneIcons[tone]} />}
    {children}
  </span>
);
