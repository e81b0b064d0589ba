/** Elections in one process, for tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { memoryNetwork, type Transport } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { complete, ring } from '@conclave/core/topology';
import { election } from './election.js';
import type { Election, Leader } from './shared-election.js';

export const abc = ring(3);

/** Suspects a node after a silence of 200 ms. */
export const watching = heartbeat({ period: 40, timeout: 200 });

/** The elections of all nodes of a ring, in this process; `c` wins. */
export function three(
  options: {
    readonly via?: (transport: Transport) => Transport;
    readonly detector?: Protocol;
  } = {},
): [Election, Election, Election] {
  const { via = (transport) => transport, ...detecting } = options;
  const network = memoryNetwork(complete(abc.nodes));
  const [a, b, c] = abc.nodes.map((self) =>
    election(lelannChangRoberts, {
      self,
      topology: abc,
      transport: via(network.transport(self)),
      ...detecting,
    }),
  );
  if (!a || !b || !c) throw new Error('unreachable: three were made');
  return [a, b, c];
}

/** The elections of a ring of two whose messages and timers the test moves. */
export function twoByHand() {
  const network = handStepped(['a', 'b']);
  const [a, b] = ['a', 'b'].map((self) =>
    election(lelannChangRoberts, {
      self,
      topology: ring(2),
      transport: network.transport(self),
      clock: network.clock(self),
    }),
  );
  if (!a || !b) throw new Error('unreachable: two were made');
  const settle = async () => {
    for (let [next] = network.inFlight; next; [next] = network.inFlight)
      network.deliver(next.from, next.to);
    await sleep(0);
  };
  return { network, a, b, settle };
}

export const refusal = (attempt: Promise<unknown>): Promise<ConclaveError> =>
  attempt.then(
    () => Promise.reject(new Error('nothing was refused')),
    (error: unknown) => (error instanceof ConclaveError ? error : Promise.reject(error)),
  );

/** The first leader of this node, from now on, for which this holds. */
export async function later(
  one: Election,
  holds: (leader: Leader | undefined) => boolean,
): Promise<Leader | undefined> {
  for await (const leader of one) if (holds(leader)) return leader;
  throw new Error('it was closed before');
}
