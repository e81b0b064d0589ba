import { protocolOf } from '@conclave/algorithms';
import { conform } from '@conclave/core/trace';
import { expect, it } from 'vitest';
import { isStep, journalMutants, linesOf, sourceOf } from './journal-mutants.contract.js';
import { recordedRun } from './recorded-run.contract.js';

const systems = [['A3', 50, 0], ['A2', 40, 0], ['A7', 50, 0], ['B15', 30, 0], ['A14', 50, 0], ['C4', 40, 0], ['A3', 50, 2]] as const;
it.each(systems)('mutants of %s', async (id, steps, restarts) => {
  const protocol = protocolOf(id);
  const net = protocol.topology.example(3);
  const { channels } = protocol;
  const journals = (await recordedRun(protocol, net, { seed: 1, steps, restarts, losses: channels.loss ? 100 : 0, duplications: channels.duplication ? 100 : 0 })).map(linesOf);
  const base = conform(protocol, net, journals.map(sourceOf), { cuts: 0 });
  console.log(id, base.verdict, base.steps, JSON.stringify(base.complaints), base.notes);
  const noticed = new Map<string, number>();
  const t = performance.now();
  let n = 0;
  for (const m of journalMutants(journals, net.nodes)) {
    n++;
    let verdict: string;
    try { verdict = conform(protocol, net, m.journals.map(sourceOf), { cuts: 0 }).verdict; } catch (e) { verdict = 'refused'; if ((e as any).code !== 'bad-trace') console.log((e as Error).stack); }
    noticed.set(`${m.kind} ${verdict}`, (noticed.get(`${m.kind} ${verdict}`) ?? 0) + 1);
    if (verdict === 'conforms') console.log(m.kind, m.what);
  }
  console.log(id, n, (performance.now() - t).toFixed(0), JSON.stringify([...noticed]));
});
