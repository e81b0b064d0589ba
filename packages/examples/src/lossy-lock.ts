/**
 * A protocol relies on its channels: Ricart–Agrawala while one message in ten is lost, without and
 * with retransmission.
 */
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';

for (const reliable of [false, true]) {
  const result = simulate({
    protocol: ricartAgrawala,
    topology: complete(4),
    conditions: { loss: 0.1, delay: { kind: 'exponential', mean: 10 } },
    workload: closedLoop({ entries: 5 }),
    reliable,
  });
  const { exclusion, frames, lost, properties } = result;
  console.log(
    `${reliable ? 'with retransmission' : 'bare'}: ${exclusion.entries.length} of 20 entries, ${totalMessages(result)} messages`,
  );
  console.log(`  the channels carried ${frames ?? totalMessages(result)} frames and lost ${lost}`);
  for (const { name, verdict } of properties) console.log(`  ${name}: ${verdict}`);
}
