/** `npm run torture -- --mistakes`: runs each mistake over each transport, and prints a table. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mistakes } from './mistakes.mjs';
import { Site } from './site.mjs';

/** The results, one of each run. @param show called with what is under way */
export async function runMistakes({ media, short, numbers, folder = mkdtempSync(join(tmpdir(), 'conclave-mistakes-')) }, show = () => {}) {
  const results = [];
  for (const medium of media)
    for (const [index, mistake] of mistakes.entries()) {
      if (numbers && !numbers.includes(mistake.number)) continue;
      show(`${medium}: ${mistake.name}`);
      results.push({
        medium,
        number: mistake.number,
        mistake: mistake.name,
        ...(await outcome(mistake, medium, join(folder, `${medium}-${index}`), { short })),
      });
    }
  if (results.every(isGood)) rmSync(folder, { recursive: true, force: true });
  return { folder, results };
}

async function outcome({ common, run }, medium, folder, options) {
  const site = new Site(medium, folder, common);
  try {
    await site.open();
    const expected = await run(site, options);
    return {
      ...site.judged(),
      missing: Object.keys(expected).filter((what) => !expected[what]),
      outcome: 'refused by name' in expected ? 'refused' : 'tolerated',
    };
  } catch (error) {
    return { entries: 0, overlaps: 0, repeated: 0, smaller: 0, missing: [error.stack ?? String(error)], outcome: 'failed' };
  } finally {
    await site.close();
  }
}

export const isGood = ({ overlaps, repeated, smaller, missing }) => overlaps + repeated + smaller + missing.length === 0;
