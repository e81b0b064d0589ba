/** The expected cost of a multicast where each message is lost with some probability: exact, from all runs of a small system. */
import { model } from '@conclave/core/exploration';
import type { NodeId, Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';

type Worlds = ReturnType<typeof model>['worlds'];
type World = Worlds['initial'];

/**
 * The expected number of messages of one multicast of `sender`, if each message takes the same time, and each is lost with probability `loss`.
 * At one moment time-outs come before messages, as in the simulator where time-outs are longer than delays.
 */
export function expectedMessages(protocol: Protocol, topology: Topology, sender: NodeId, loss: number): number {
  const { worlds, options } = model(protocol, topology, { initiators: [sender], losses: 1, time: { kind: 'exact', delay: [100, 100] } });
  const known = new Map<string, number>();
  const isSend = ({ type }: { readonly type: string }) => type === 'send';

  /** The messages sent from `world` on. A loss costs nothing of the budget, so that there may be any number. */
  function onward(world: World): number {
    const [command, timeout, deliver, tick] = (['command', 'timeout', 'deliver', 'tick'] as const).map((type) =>
      worlds.actions(world).find((action) => action.type === type),
    );
    const next = command ?? timeout ?? deliver ?? tick;
    if (!next) return 0;
    const key = options.serializeState({ status: 'active', output: undefined, error: undefined, world });
    const before = known.get(key);
    if (before !== undefined) return before;
    const taken = worlds.perform(world, next);
    const goesOn = taken.effects.filter(isSend).length + onward(taken.world);
    const isLost =
      next.type === 'deliver' ? onward({ ...worlds.next(world, { ...next, type: 'drop' }), remaining: world.remaining }) : goesOn;
    const expected = next.type === 'deliver' ? (1 - loss) * goesOn + loss * isLost : goesOn;
    known.set(key, expected);
    return expected;
  }
  return onward(worlds.initial);
}
