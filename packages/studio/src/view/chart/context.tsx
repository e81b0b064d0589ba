import { useComputed } from '@preact/signals';
import { actorOf } from '../../model/last-step.js';
import { timerOf } from '../../model/words.js';
import { say } from '../../texts/say.js';
import type { SessionProps } from '../studio.js';
import { shownNode } from './follow.js';

/** The context of the node, with what its step changes, and its armed timers. */
export function Context({ session }: SessionProps) {
  const { now, system } = session;
  const node = shownNode(session);
  const { fields, timers } = useComputed(() => {
    const { value: id } = node;
    const local = now.value.world.nodes[id];
    const { step } = now.value;
    const before = step && actorOf(step) === id ? step.from.world.nodes[id]?.context : undefined;
    return {
      fields: Object.entries(local?.context ?? {}).map(([name, value]) => {
        const text = JSON.stringify(value) ?? '';
        const was = before && (JSON.stringify(before[name]) ?? '');
        return { name, text, was: was === text ? undefined : was };
      }),
      timers: (local?.timers ?? []).map(({ id: timer }) =>
        timerOf(system.protocol, system.topology, { node: id, timer }),
      ),
    };
  }).value;
  if (fields.length + timers.length === 0) return null;
  return (
    <dl class="chart-context small" aria-label={say('Context of {node}', { node: node.value })}>
      {fields.map(({ name, text, was }) => (
        <div
          key={name}
          {...(was !== undefined && { class: 'changed', title: say('before: {was}', { was }) })}
        >
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {timers.length > 0 && (
        <div>
          <dt>{say('timers')}</dt>
          <dd>{timers.join(', ')}</dd>
        </div>
      )}
    </dl>
  );
}
