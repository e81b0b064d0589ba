import { effect, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Badge, badges } from '../../model/properties.js';
import { say } from '../../texts/say.js';
import { Icon } from '../parts/icon.js';
import type { SessionProps } from '../studio.js';
import './properties.css';

/** The name of the list where it is one of several tabs: with a mark while a property is false. */
export function PropertiesLabel({ session }: SessionProps) {
  const wrong = badges(session).value.filter(({ value }) => value === 'false').length;
  if (wrong === 0) return <>{say('Properties')}</>;
  return (
    <span class="properties-label alarm" title={say('{wrong} false', { wrong })}>
      {say('Properties')}
      <Icon name="cross" />
      {wrong}
      <span class="unseen">{say('false')}</span>
    </span>
  );
}

/**
 * Reads aloud which properties have become false, or are so no longer; whether or not they are
 * shown.
 */
export function PropertyNews({ session }: SessionProps) {
  const text = useSignal('');
  const before = useRef<ReadonlyMap<string, Badge['value']>>(new Map());
  const tell = () => {
    const now = new Map(badges(session).value.map(({ name, value }) => [name, value]));
    const changed = [...now].flatMap(([name, value]) => {
      const was = before.current.get(name) ?? value;
      return was === value ? [] : [{ name, value, was }];
    });
    before.current = now;
    if (changed.length === 0) return;
    const news = changed.filter(({ value, was }) => value === 'false' || was === 'false');
    const sentence = news.map(({ name, value }) => `${say(value)}: ${name}`).join('; ');
    text.value = sentence && `${sentence}.`;
  };
  useEffect(() => effect(tell), [session]);
  return (
    <p class="unseen" aria-live="polite">
      {text}
    </p>
  );
}
