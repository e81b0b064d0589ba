/** Uses two protocols in every way: simulates, explores, mutates and embeds them. */

import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { explore, mutate } from '@conclave/check';
import { lock } from '@conclave/coordination/lock';
import { embed, memoryNetwork } from '@conclave/core/embedding';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete, ring } from '@conclave/core/topology';
import { pingPong } from './ping-pong.js';

const simulated = simulate({
  protocol: ricartAgrawala,
  topology: complete(4),
  workload: closedLoop({ entries: 3 }),
  seed: 1,
});
console.log('simulated:', simulated.messages);

for (const [protocol, network] of [
  [ricartAgrawala, complete(2)] as const,
  [pingPong, ring(2)] as const,
]) {
  const { states, properties } = explore(protocol, network);
  console.log(
    `explored: ${protocol.name}, ${states} states, ${properties.map(({ verdict }) => verdict).join(' ')}`,
  );
}

console.log('mutated:', mutate(pingPong, { limits: { states: 1000 } }).counts);

const peers = ['a', 'b'];
const links = memoryNetwork(peers);
const [a, b] = peers.map((self) =>
  lock(ricartAgrawala, { self, peers, transport: links.transport(self) }),
);
await a?.run(() => console.log('locked by a'));
await b?.run(() => console.log('locked by b'));

const court = memoryNetwork(ring(2));
const [first, second] = ring(2).nodes.map((self) =>
  embed(pingPong, { self, topology: ring(2), transport: court.transport(self) }),
);
await first?.admitted; // at once in memory; between machines, its peers admit it first
first?.send({ type: 'serve' });
await new Promise((resolve) => setTimeout(resolve, 20));
console.log('embedded:', first?.state.value, second?.state.value);
