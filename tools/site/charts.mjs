/**
 * The statecharts of the pages, drawn. A page has each as Mermaid text; the machine whose chart is
 * this text is drawn.
 */
import { chart } from '@conclave/core/chart';
import { escaped } from './code.mjs';
import { picture } from './render.mjs';
import { between, svgSize } from './targets.mjs';

/**
 * By Mermaid text: the machines of the catalogue, with the options whose charts the pages show. The
 * text folds regions that have a page of their own.
 */
export function machinesByText(catalogue) {
  const machines = new Map();
  const titleOf = (id) =>
    catalogue.filter((entry) => entry.id === id).map(({ make }) => `${id} ${make().title}`)[0];
  for (const { make, charted, name, parts } of catalogue) {
    const folded = Object.fromEntries(
      Object.entries(parts).map(([region, id]) => [region, titleOf(id)]),
    );
    for (const options of [{}, ...charted]) {
      const { title, roles } = make(options);
      const many = Object.keys(roles).length > 1;
      for (const [role, { machine }] of Object.entries(roles)) {
        const text = chart(machine, folded).trimEnd();
        if (!machines.has(text))
          machines.set(text, { machine, name, title: many ? `${title}, ${role}` : title });
      }
    }
  }
  return machines;
}

/**
 * @param {(machine: object, title: string) => Promise<string>} [draw] the SVG of a machine; without
 * it, charts stay text
 * @returns drawings of those charts that `texts` has; `problems`: the charts that are none of a
 * machine
 */
export async function chartsOf(texts, catalogue, draw, onDrawn = () => {}) {
  const machines = machinesByText(catalogue);
  const drawings = new Map();
  const files = new Map();
  const problems = [];
  const wanted = [...new Set(texts.map(({ text }) => text.trimEnd()))];
  for (const [done, text] of wanted.entries()) {
    const found = machines.get(text);
    if (!found)
      problems.push(`${texts.find((one) => one.text.trimEnd() === text).where}: ${refusal(text)}`);
    if (!found || !draw) continue;
    const { machine, name, title } = found;
    let url = `charts/${name}.svg`;
    for (let number = 2; files.has(url); number++) url = `charts/${name}-${number}.svg`;
    const svg = await draw(machine, title);
    files.set(url, svg);
    drawings.set(text, { url, title, size: svgSize(svg) });
    onDrawn(done + 1, wanted.length);
  }
  /** A drawing, and below it the text, which also has the numbers of the rules. */
  function html(page, text) {
    const drawing = drawings.get(text.trimEnd());
    if (!drawing) return undefined;
    const { url, title, size } = drawing;
    return `<figure class="chart">${picture(between(page.url, url), `Statechart of ${title}; its text follows`, size, 0.75)}
<details><summary class="as-text">The statechart as text, with the numbers of the rules</summary>
<pre tabindex="0"><code>${escaped(text.trimEnd())}</code></pre></details></figure>\n`;
  }
  return { html, files, problems };
}

const refusal = (text) =>
  text.startsWith('stateDiagram-v2')
    ? 'this chart is that of no machine. Run npm run generate.'
    : 'a Mermaid diagram of this kind is not drawn. Write it as text, or as an SVG file.';
