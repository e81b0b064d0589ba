import { writeFileSync } from 'node:fs';
import { catalogue, protocolOf } from '@conclave/algorithms';
import { topology } from '@conclave/core/topology';
import { conform } from '@conclave/core/trace';
import { expect, it } from 'vitest';
import { recordedRun } from './recorded-run.contract.js';

it('all', async () => {
  const out: string[] = [];
  for (const entry of catalogue) {
    const protocol = protocolOf(entry.id);
    const net = protocol.topology.example(3);
    for (const seed of [1, 2]) {
      try {
        const { channels } = protocol;
        const journals = await recordedRun(protocol, net, {
          seed,
          steps: 300,
          losses: channels.loss ? 100 : 0,
          duplications: channels.duplication ? 100 : 0,
        });
        const t = performance.now();
        const r = conform(protocol, net, journals);
        out.push(
          `${entry.id} ${protocol.name} ${r.verdict} steps ${r.steps} cuts ${r.cuts} ${(performance.now() - t).toFixed(0)}ms ${JSON.stringify(r.messages)} ${JSON.stringify(r.complaints.slice(0, 2))} ${r.notes.slice(0, 2)}`,
        );
      } catch (e) {
        out.push(`${entry.id} ${protocol.name} threw ${(e as Error).stack?.slice(0, 600)}`);
      }
    }
  }
  writeFileSync('/tmp/wt/journal.out', out.join('\n'));
});
