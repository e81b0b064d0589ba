import type { Json } from '../../protocol/node.js';
import { canonical } from '../worlds/canonical.js';
import { outside } from './data.js';
import type { PartialWorld } from './partial-worlds.js';
import { eventText } from './sight.js';
import type { Origin, Stepping } from './stepping.js';

const plain = (data: Json | object): string => canonical(data).replaceAll('"', '');

/** A view or a world of a few nodes in one line. */
export function worldText({ family, parts, worlds }: Stepping, world: PartialWorld): string {
  const names = family.names(worlds.freeIn(world));
  return world
    .map((number, position) => {
      const { state, out } = parts.at(number);
      const sent = Object.entries(out).map(
        ([to, messages]) => `→${to === outside ? 'others' : to} ${messages.map(plain).join(' ')}`,
      );
      return [`${names[position]} ${plain(state.value)} ${plain(state.context)}`, ...sent].join(
        ' ',
      );
    })
    .join('; ');
}

/** The world and the step that have shown something first. */
export const originLines = (
  stepping: Stepping,
  { world, actor, event }: Origin,
): readonly string[] => [
  `from: ${worldText(stepping, world)}`,
  `step: ${actor}: ${eventText(event).replaceAll('"', '')}`,
];
