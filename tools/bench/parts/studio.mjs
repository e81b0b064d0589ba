/**
 * The page of the studio in Chromium, opened from disk: until it can be used, a step of a world of
 * 20 nodes, and its size.
 */
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import {
  chromiumPath,
  launchChromium,
  noChromium,
} from '../../../packages/studio/dist/browser/chromium.js';
import { figure, inTurns } from '../measured.mjs';

const page = new URL('../../../packages/studio/dist/studio.html', import.meta.url);
const viewport = { width: 1280, height: 800 };

/** Twenty nodes each; geant has 34. */
const systems = [
  { name: 'A3', network: 'complete:20' },
  { name: 'B3', network: 'ring:20' },
  { name: 'A7', network: 'tree:2:20' },
  { name: 'A7', network: 'tree-over:geant' },
  { name: 'C2', network: 'geant' },
];
const steps = 60;

export async function measure({ runs, note, ...context }) {
  const size = sizeOf(readFileSync(page));
  if (chromiumPath === undefined) {
    note(`Only the size was measured. ${noChromium}.`);
    return [size];
  }
  const tools = [
    { name: 'catalogue', runs, measure: () => inBrowser('', untilCatalogue) },
    { name: 'world', runs, measure: () => inBrowser('#raymond', untilWorld) },
    ...systems.map(({ name, network }) => ({
      name: `${name}, ${network}`,
      runs,
      measure: () => inBrowser(`#${name}?topology=${network}`, stepping),
    })),
  ];
  const [catalogue, world, ...stepped] = await inTurns(tools, context);
  const start = (system, found) =>
    found.length === 0 ? [] : [{ system, tool: 'opened cold', figures: figuresOf(found) }];
  return [
    ...start('catalogue', catalogue),
    ...start('world of raymond', world),
    ...stepped.flatMap((found, index) => {
      if (found.length === 0) return [];
      return {
        system: tools[index + 2].name,
        tool: `${steps} steps by key`,
        figures: figuresOf(found),
      };
    }),
    size,
  ];
}

const figuresOf = (found) =>
  Object.fromEntries(
    Object.keys(found[0]).map((unit) => [unit, figure(found.map((one) => one[unit]))]),
  );

function sizeOf(text) {
  const kB = (bytes) => figure([bytes / 1000]);
  return {
    system: 'studio.html',
    tool: 'size',
    figures: {
      kB: kB(text.length),
      // its last element is the editor, which most readers never ask for
      'kB gzipped': kB(gzipSync(text.slice(0, text.indexOf('id="editor"')), { level: 9 }).length),
    },
  };
}

/** A browser of its own with nothing in its caches. Fails where the page throws. */
async function inBrowser(hash, work) {
  const browser = await launchChromium();
  try {
    const tab = await browser.newPage({ viewport });
    let thrown;
    tab.on('pageerror', (error) => {
      thrown ??= error;
    });
    const found = await work(tab, `${page.href}${hash}`);
    if (thrown) throw thrown;
    return found;
  } finally {
    await browser.close();
  }
}

/**
 * Until the list is painted, and until a click on a protocol has opened it. In ms from the
 * navigation on.
 */
async function untilCatalogue(tab, url) {
  const painted = await untilPainted(tab, url, '.catalogue a[href]');
  const opened = await tab.evaluate(async () => {
    document.querySelector('.catalogue a[href]').click();
    while (!document.querySelector('.world, .specification'))
      await new Promise((next) => setTimeout(next));
    return performance.now();
  });
  return { 'painted, ms': painted.at, 'used, ms': painted.at + opened - painted.seen };
}

/** Until the world is painted, and until a step has been taken in it. */
async function untilWorld(tab, url) {
  const painted = await untilPainted(tab, url, '.actions [role=option]');
  const taken = await tab.evaluate(async () => {
    const seen = performance.now();
    document.body.dispatchEvent(
      new KeyboardEvent('keydown', { key: '1', bubbles: true, cancelable: true }),
    );
    while (!document.querySelector('.trace [aria-current=step]'))
      await new Promise((next) => setTimeout(next));
    return performance.now() - seen;
  });
  return { 'painted, ms': painted.at, 'used, ms': painted.at + taken };
}

/**
 * When the first frame with such an element was painted: `at`, and when the page was asked again:
 * `seen`.
 */
async function untilPainted(tab, url, selector) {
  await tab.addInitScript((wanted) => {
    const look = () => {
      if (!document.querySelector(wanted)) requestAnimationFrame(look);
      else
        setTimeout(() => {
          globalThis.paintedAt = performance.now();
        }); // after the frame that this callback belongs to
    };
    requestAnimationFrame(look);
  }, selector);
  await tab.goto(url);
  await tab.waitForFunction(() => globalThis.paintedAt !== undefined);
  return tab.evaluate(() => ({ at: globalThis.paintedAt, seen: performance.now() }));
}

/**
 * Steps by pressing keys. A step lasts from before the key until all that follows from it is drawn
 * and laid out; then the page rests. `model`: the worlds of the same run and what can happen in
 * each, without the page.
 */
async function stepping(tab, url) {
  await tab.goto(url);
  await tab.waitForSelector('.actions [role=option]');
  await tab.waitForTimeout(500);
  const times = await tab.evaluate(async (count) => {
    const taken = [];
    let seed = 7;
    for (let step = 0; step < count; step++) {
      const options = document.querySelectorAll('.actions [role=option]').length;
      if (options === 0) break;
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      const key = String(1 + (seed % Math.min(9, options)));
      const start = performance.now();
      document.body.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }),
      );
      for (let turn = 0; turn < 20; turn++) await Promise.resolve(); // the page draws in microtasks
      document.body.getBoundingClientRect(); // lays out what is drawn
      taken.push(performance.now() - start);
      await new Promise((next) => setTimeout(next, 100));
    }
    return taken;
  }, steps);
  if (times.length < steps) throw new Error(`${url} ended after ${times.length} steps`);
  await tab.waitForTimeout(300); // then the address tells the last step
  const model = await tab.evaluate(modelAlone);
  if (model.count !== steps)
    throw new Error(`${url} took ${model.count} steps instead of ${steps}`);
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.ceil(share * steps) - 1];
  return {
    'step, ms': at(0.5),
    'p90, ms': at(0.9),
    'longest, ms': at(1),
    'model alone, ms': model.mean,
  };
}

/** In the page: the mean time that a step of the run of its address takes without any view. */
async function modelAlone() {
  const { modules } = globalThis.conclave;
  const { Worlds } = modules['@conclave/core/internal/exploration'];
  const [name, query] = location.hash.slice(1).split('?');
  const parameters = new URLSearchParams(query);
  const numbers = parameters.get('steps').split('.').map(Number);
  const { catalogue } = modules['@conclave/algorithms'];
  const protocol = catalogue.find((one) => one.id === name || one.name === name).make();
  const worlds = new Worlds(
    protocol,
    modules['@conclave/core/topology'].topology(parameters.get('topology')),
  );
  let world = worlds.initial;
  let actions = worlds.actions(world);
  const start = performance.now();
  for (const number of numbers) {
    world = worlds.next(world, actions[number]);
    actions = worlds.actions(world);
  }
  return { count: numbers.length, mean: (performance.now() - start) / numbers.length };
}
