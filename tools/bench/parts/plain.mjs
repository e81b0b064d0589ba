/**
 * A system of plain functions: two-phase commit of N resource managers, explored with one property,
 * beside a search that only keeps the JSON of each state in a map.
 */
import { figure, measured, rowsInTurns } from '../measured.mjs';

export async function measure({ runs, quick, ...context }) {
  const rows = [];
  for (const count of quick ? [5] : [5, 6]) {
    const tools = ['exploreSystem', 'JSON.stringify and a Map'].map((name) => ({
      name,
      runs,
      measure: () => measured('plain.run.mjs', [name, count]),
    }));
    const found = await rowsInTurns(tools, context, (tool, results) => ({
      system: `N = ${count}`,
      tool,
      states: results[0].states,
      transitions: results[0].transitions,
      figures: {
        'search, s': figure(results.map(({ seconds }) => seconds)),
        MB: figure(results.map(({ peak }) => peak)),
      },
    }));
    rows.push(...found);
  }
  return rows;
}
