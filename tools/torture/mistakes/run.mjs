/** Runs each mistake over each transport. */
import { join } from 'node:path';
import { mistakes } from './mistakes.mjs';
import { ports, Site } from './site.mjs';

/** The transports over which they run, where none are named. */
const usual = ['tcp', 'nats', 'websocket'];

/** By what must happen. */
const outcomes = { 'refused by name': 'refused', 'waits, and names it': 'waits' };

/** Those that are meant; `numbers`: only these. */
export const chosenMistakes = ({ short, numbers }) =>
  mistakes.filter(
    (mistake) => (!short || mistake.short) && (numbers?.includes(mistake.number) ?? true),
  );

/** @param chosen the transports that were named, if any */
export async function runMistakes({ chosen, short, numbers, minutes, folder, show }) {
  const runs = [];
  for (const medium of chosen ?? [...usual, ports])
    for (const mistake of chosenMistakes({ short, numbers })) {
      const { number, name, common, media = chosen ?? usual } = mistake;
      if (!media.includes(medium)) continue;
      const title = `${medium}, ${common.protocol}: ${name}`;
      show(title);
      const its = join(folder, `mistake-${runs.length}`);
      const found = await outcome(mistake, medium, its, { short, minutes });
      runs.push({ medium, number, of: common.protocol, mistake: name, ...found });
      for (const missing of found.missing) console.error(`${title}: missing: ${missing}`);
    }
  return runs;
}

async function outcome({ common, run }, medium, folder, options) {
  const site = new Site(medium, folder, common);
  try {
    await site.open(['Z', 'a', 'b', 'c', 'd', 'e', 'z']);
    const expected = await run(site, options);
    return {
      ...{ ...site.judged(), operated: site.operated },
      judges: common.judges ?? ['overlaps', 'repeated', 'smaller'],
      missing: Object.keys(expected).filter((what) => !expected[what]),
      outcome: Object.entries(outcomes).find(([what]) => what in expected)?.[1] ?? 'tolerated',
    };
  } catch (error) {
    return {
      entries: 0,
      overlaps: 0,
      repeated: 0,
      smaller: 0,
      missing: [error.stack ?? String(error)],
      outcome: 'failed',
    };
  } finally {
    await site.close();
  }
}

/** Whether all has happened that must, and nothing else. */
export const isGood = ({ judges = [], missing, ...found }) =>
  missing.length === 0 && judges.every((what) => found[what] === 0);
