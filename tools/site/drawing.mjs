/** How statecharts are drawn: as in the studio. */
import { existsSync } from 'node:fs';
import { SiteProblem } from './problem.mjs';

const folder = new URL('../../packages/studio/dist/chart/', import.meta.url);

/** Machine and title to SVG. */
export async function drawing() {
  if (!existsSync(new URL('svg.js', folder)))
    throw new SiteProblem('The studio is not built. Run npm run build.');
  const modules = ['graph', 'layout', 'svg'].map(
    (name) => import(new URL(`${name}.js`, folder).href),
  );
  const [{ graphOf }, { layOut }, { chartSvg }] = await Promise.all(modules);
  return async (machine, title) => {
    const graph = graphOf(machine);
    return chartSvg(graph, await layOut(graph), title);
  };
}
