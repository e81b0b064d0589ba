import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Badge, badges } from '../../model/properties.js';
import type { Session } from '../../model/session.js';
import { Icon } from '../parts/icon.js';
import './properties.css';

/** The name of the list where it is one of several tabs: with a mark while a property is false. */
export function PropertiesLabel({ session }: { readonly session: Session }) {
  const wrong = badges(session).value.filter(({ value }) => value === 'false').length;
  if (wrong === 0) return <>Properties</>;
  return (
    <span class="properties-label" title={`${wrong} false`}>
      Properties
      <Icon name="cross" />
      {wrong}
      <span class="unseen">false</span>
    </span>
  );
}

/**
 * Reads aloud which properties have become false, or are so no longer; whether or not they are
 * shown.
 */
export function PropertyNews({ session }: { readonly session: Session }) {
  const text = useSignal('');
  const before = useRef(new Map<string, Badge['value']>());
  const news = () => {
    const now = new Map(badges(session).value.map(({ name, value }) => [name, value] as const));
    const changed = [...now].filter(
      ([name, value]) => before.current.has(name) && before.current.get(name) !== value,
    );
    const told = changed.filter(
      ([name, value]) => value === 'false' || before.current.get(name) === 'false',
    );
    before.current = now;
    if (told.length > 0)
      text.value = `${told.map(([name, value]) => `${value}: ${name}`).join('; ')}.`;
    else if (changed.length > 0) text.value = '';
  };
  useEffect(() => effect(news), [session]);
  return (
    <p class="unseen" aria-live="polite">
      {text}
    </p>
  );
}
