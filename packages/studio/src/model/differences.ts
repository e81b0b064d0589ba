import type { World } from '@conclave/check';
import { stateText } from '@conclave/core/internal';
import { say } from '../texts/say.js';
import type { System } from './system.js';
import { callOf } from './words.js';

/**
 * In what two worlds of a system differ, a line for each node, and one for each message that only
 * one of them has on its way; `here` and `there` are what they are called.
 */
export function differences(
  { protocol, topology }: System,
  [here, there]: readonly [World, World],
): readonly string[] {
  const nodes = topology.nodes.flatMap((id) => {
    const [one, other] = [here, there].map((world) => factsOf(world, id));
    const different = Object.keys({ ...one, ...other }).filter(
      (key) => one?.[key] !== other?.[key],
    );
    const texts = different.map((key) =>
      say('{key}{one} here, {other} there', {
        key,
        one: one?.[key] ?? say('none'),
        other: other?.[key] ?? say('none'),
      }),
    );
    return texts.length === 0 ? [] : [`${id}: ${texts.join('; ')}`];
  });
  const [mine, others] = [here, there].map(({ channels }) =>
    Object.entries(channels).flatMap(([channel, messages]) =>
      messages.map((message) => `${callOf(protocol, message, channel.split('→')[0])} ${channel}`),
    ),
  );
  return [
    ...nodes,
    ...without(mine, others).map((text) => say('{text}: on its way here only', { text })),
    ...without(others, mine).map((text) => say('{text}: on its way there only', { text })),
  ];
}

/** State and fields of a node, as texts. */
function factsOf({ nodes, crashed }: World, id: string): Readonly<Record<string, string>> {
  const { value, context } = nodes[id] ?? { value: '', context: {} };
  const fields = Object.entries(context).map(([key, field]) => [`${key} `, JSON.stringify(field)]);
  return {
    '': crashed.includes(id) ? say('crashed') : stateText(value),
    ...Object.fromEntries(fields),
  };
}

/** What of a list is not in another, each as often as it is in more. */
function without(list: readonly string[] = [], others: readonly string[] = []): readonly string[] {
  const left = [...others];
  return list.filter((text) => {
    const at = left.indexOf(text);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}
