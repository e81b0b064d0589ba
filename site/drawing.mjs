/** How statecharts are drawn: as in the studio. */
import { existsSync } from 'node:fs';

const folder = new URL('../packages/studio/dist/chart/', import.meta.url);

/** Machine and title to SVG; undefined where the studio does not draw statecharts. */
export async function drawing() {
  if (!existsSync(new URL('svg.js', folder))) return undefined;
  const [{ graphOf }, { layOut }, { chartSvg }] = await Promise.all(
    ['graph', 'layout', 'svg'].map((name) => import(new URL(`${name}.js`, folder).href)),
  );
  return async (machine, title) => {
    const graph = graphOf(machine);
    return chartSvg(graph, await layOut(graph), title);
  };
}
