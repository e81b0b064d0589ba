import type { Action, World } from '@conclave/core/exploration';
import type { Worlds } from '@conclave/core/internal/exploration';
import type { NodeId } from '@conclave/core/protocol';
import { memo } from '../base/memo.js';
import { say } from '../texts/say.js';

/** A crash in the middle of a step. */
export type CrashInside = Extract<Action, { readonly type: 'crash'; readonly during: object }>;

export const isInside = (action: Action): action is CrashInside =>
  action.type === 'crash' && action.during !== undefined;

type Sends = readonly Extract<
  ReturnType<Worlds['perform']>['effects'][number],
  { readonly type: 'send' }
>[];

/** What a step sends. All crashes in its middle have the same. */
const sendsOf = memo(
  (during: CrashInside['during'], worlds: Worlds, world: World, node: NodeId): Sends => {
    const { effects } =
      during.type === 'start' ? worlds.startOf(node) : worlds.perform(world, during);
    return effects.filter((effect) => effect.type === 'send');
  },
);

/**
 * What leaves a node before it crashes: `leader sent to b, not to c`. `callOf` writes a message.
 */
export function fateWords(
  worlds: Worlds,
  world: World,
  action: CrashInside,
  callOf: (message: Sends[number]['message']) => string,
): string {
  const calls = new Map<string, { readonly sent: NodeId[]; readonly lost: NodeId[] }>();
  for (const [position, { to, message }] of sendsOf(
    action.during,
    worlds,
    world,
    action.node,
  ).entries()) {
    const call = callOf(message);
    const fate = calls.get(call) ?? { sent: [], lost: [] };
    calls.set(call, fate);
    fate[action.lost.includes(position) ? 'lost' : 'sent'].push(to);
  }
  if (action.lost.length === 0) return say('all is sent');
  const words = [...calls].map(([call, { sent, lost }]) => {
    if (sent.length === 0) return say('{call} not sent to {lost}', { call, lost: lost.join(', ') });
    return say('{call} sent to {sent}{rest}', {
      call,
      sent: sent.join(', '),
      rest: lost.length === 0 ? '' : say(', not to {lost}', { lost: lost.join(', ') }),
    });
  });
  return words.join('; ');
}
