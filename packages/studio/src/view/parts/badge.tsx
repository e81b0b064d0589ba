import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.js';
import './parts.css';

export interface BadgeProps {
  /** A verdict has a shape of its own, beside its colour; `plain` is a label. */
  readonly tone?: 'true' | 'false' | 'undecided' | 'plain' | undefined;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

const icons: Readonly<Record<string, IconName>> = {
  true: 'check',
  false: 'cross',
  undecided: 'undecided',
};

export function Badge({ tone = 'plain', title, children }: BadgeProps) {
  const icon = icons[tone];
  return (
    <span class={`badge ${tone}`} title={title}>
      {icon && <Icon name={icon} />}
      {children}
    </span>
  );
}
