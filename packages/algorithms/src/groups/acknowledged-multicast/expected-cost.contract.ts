/**
 * The expected cost of a multicast where each message is lost with some probability: exact, from
 * all runs of a small system.
 */
import { model } from '@conclave/check';
import type { NodeId, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

type World = ReturnType<typeof model>['worlds']['initial'];

/** How long each message takes, in milliseconds. */
export const delay = 100;

/**
 * The expected number of messages of one multicast of `sender`, for each probability in `losses`
 * that a message is lost. At one moment time-outs come before messages, as in the simulator where
 * time-outs are longer than delays.
 */
export function expectedMessages(
  protocol: Protocol,
  topology: Topology,
  sender: NodeId,
  losses: readonly number[],
): readonly number[] {
  const { worlds } = model(protocol, topology, {
    initiators: [sender],
    losses: 1,
    time: { kind: 'exact', delay: [delay, delay] },
  });
  const known = new Map<string, readonly number[]>();

  /**
   * The messages sent from `world` on. A loss leaves the budget as it was, so that there may be any
   * number.
   */
  function onward(world: World): readonly number[] {
    const key = JSON.stringify([world.nodes, world.channels, world.clocks]);
    const expected = known.get(key) ?? after(world);
    known.set(key, expected);
    return expected;
  }

  function after(world: World): readonly number[] {
    const actions = worlds.actions(world);
    const first = ['command', 'timeout', 'deliver', 'tick'].flatMap(
      (type) => actions.find((action) => action.type === type) ?? [],
    );
    const [next] = first;
    if (!next) return losses.map(() => 0);
    const { world: reached, effects } = worlds.perform(world, next);
    const sent = effects.filter(({ type }) => type === 'send').length;
    const arrived = onward(reached).map((count) => count + sent);
    if (next.type !== 'deliver') return arrived;
    const lost = onward({
      ...worlds.next(world, { ...next, type: 'drop' }),
      remaining: world.remaining,
    });
    return losses.map(
      (loss, index) => (1 - loss) * (arrived[index] ?? 0) + loss * (lost[index] ?? 0),
    );
  }
  return onward(worlds.initial);
}
