import { useComputed } from '@preact/signals';
import { lastStepOf } from '../../model/last-step.js';
import type { Session } from '../../model/session.js';
import { timerOf } from '../../model/words.js';

/** The context of the chosen node, with what its last step changed, and its armed timers. */
export function Context({ session }: { readonly session: Session }) {
  const { now, node, system } = session;
  const { fields, timers } = useComputed(() => {
    const id = node.value;
    const local = now.value.world.nodes[id];
    const before = lastStepOf(id, now.value)?.from.world.nodes[id]?.context ?? {};
    const isPresent = now.value.step !== undefined && lastStepOf(id, now.value) === now.value.step;
    return {
      fields: Object.entries(local?.context ?? {}).map(([name, value]) => {
        const text = JSON.stringify(value) ?? '';
        const was = JSON.stringify(before[name]) ?? '';
        return { name, text, was: isPresent && was !== text ? was : undefined };
      }),
      timers: (local?.timers ?? []).map(({ id: timer }) =>
        timerOf(system.protocol, system.topology, { node: id, timer }),
      ),
    };
  }).value;
  if (fields.length + timers.length === 0) return null;
  return (
    <dl class="chart-context" aria-label={`Context of ${node.value}`}>
      {fields.map(({ name, text, was }) => (
        <div
          key={name}
          class={was === undefined ? '' : 'changed'}
          title={was === undefined ? undefined : `before: ${was}`}
        >
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {timers.length > 0 && (
        <div>
          <dt>timers</dt>
          <dd>{timers.join(', ')}</dd>
        </div>
      )}
    </dl>
  );
}
