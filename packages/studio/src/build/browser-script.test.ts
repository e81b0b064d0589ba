/**
 * The core and the algorithms run in browsers: bundled as one classic script, they need nothing
 * that only Node has.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { loadProtocol } from '@conclave/algorithms/load';
import { explore } from '@conclave/check';
import { chart } from '@conclave/core/chart';
import { compile } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { topology } from '@conclave/core/topology';
import { traceText } from '@conclave/core/trace';
import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { buildSync } from 'esbuild';
import { beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
/** Entries for Node only, and for tests. */
const notForBrowsers = [
  './embedding/node',
  './embedding/testing',
  './internal/embedding/node',
  './internal/servers',
  './worker',
  './node',
  './vitest',
];

/** The entries of a package that a browser may import: `@conclave/core/trace`. */
function entriesOf(folder: string): readonly string[] {
  const { name, exports } = JSON.parse(
    readFileSync(`${root}packages/${folder}/package.json`, 'utf8'),
  ) as {
    readonly name: string;
    readonly exports: Readonly<Record<string, unknown>>;
  };
  return Object.keys(exports)
    .filter((entry) => !notForBrowsers.includes(entry))
    .map((entry) => name + entry.slice(1));
}

const entries = [
  ...entriesOf('core'),
  ...entriesOf('check'),
  ...entriesOf('algorithms'),
  ...entriesOf('coordination'),
];

/** What a page and its workers have, besides the language itself. */
const {
  performance,
  TextEncoder,
  TextDecoder,
  structuredClone,
  queueMicrotask,
  atob,
  btoa,
  crypto,
  console,
} = globalThis;
const {
  setTimeout,
  clearTimeout,
  setInterval,
  clearInterval,
  URL: Url,
  URLSearchParams,
  Blob,
  Event,
  EventTarget,
} = globalThis;
const {
  AbortController,
  AbortSignal,
  BroadcastChannel,
  MessageChannel,
  CompressionStream,
  DecompressionStream,
  Response,
} = globalThis;
const browser = {
  ...{
    performance,
    TextEncoder,
    TextDecoder,
    structuredClone,
    queueMicrotask,
    atob,
    btoa,
    crypto,
    console,
  },
  ...{
    setTimeout,
    clearTimeout,
    setInterval,
    clearInterval,
    URL: Url,
    URLSearchParams,
    Blob,
    Event,
    EventTarget,
  },
  ...{
    AbortController,
    AbortSignal,
    BroadcastChannel,
    MessageChannel,
    CompressionStream,
    DecompressionStream,
    Response,
  },
};

/** How many worlds the kernel of a context has found, and how often it was called to search. */
interface Kernel {
  readonly runs: number;
  readonly states: number;
}

/** In the context: counts what the instances of WebAssembly do. */
const watchKernel = `
  const kernel = { runs: 0, states: 0 };
  const { Instance } = WebAssembly;
  WebAssembly.Instance = function (module, imports) {
    const { exports } = new Instance(module, imports);
    const run = () => {
      const result = exports.run();
      kernel.runs++;
      kernel.states = exports.size.value;
      return result;
    };
    return { exports: { ...exports, run } };
  };
`;

/** A script of the page, that uses the bundle. */
const explored = `
  (async () => {
    const protocol = await entries['@conclave/algorithms/load'].loadProtocol('ricart-agrawala');
    const found = entries['@conclave/check'].explore(protocol, entries['@conclave/core/topology'].topology('complete:3'));
    const { states, transitions, depth, complete, properties } = found;
    return JSON.stringify({ states, transitions, depth, complete, properties });
  })()
`;
const explored24MB = `
  (async () => {
    const protocol = await entries['@conclave/algorithms/load'].loadProtocol('causal-fairness');
    const topology = entries['@conclave/core/topology'].topology('complete:3');
    const found = entries['@conclave/check'].explore(protocol, topology, { commands: 2, limits: { memory: 24 } });
    const { limit, complete, steps, properties } = found;
    return JSON.stringify({ limit, complete, distinct: steps.distinct, verdicts: properties.map(({ verdict }) => verdict) });
  })()
`;
const simulated = `
  (async () => {
    const protocol = await entries['@conclave/algorithms/load'].loadProtocol('ricart-agrawala');
    const { closedLoop, simulate } = entries['@conclave/core/simulation'];
    const topology = entries['@conclave/core/topology'].topology('complete:4');
    const { trace } = simulate({ protocol, topology, seed: 7, workload: closedLoop({ entries: 2 }), record: true });
    return entries['@conclave/core/trace'].traceText(trace);
  })()
`;

const charts = `
  const { catalogue } = entries['@conclave/algorithms'];
  const { chart } = entries['@conclave/core/chart'];
  const { compile } = entries['@conclave/core/protocol'];
  const machines = catalogue.flatMap(({ make }) => Object.values(make().roles).map(({ machine }) => machine));
  JSON.stringify(machines.map((machine) => [chart(machine), compile(machine).uncompiled]));
`;

let inPage: (script: string) => unknown;
let built: ReturnType<typeof buildSync>;

beforeAll(() => {
  const imports = entries
    .map((entry, index) => `import * as entry${index} from '${entry}';\n`)
    .join('');
  const all = entries.map((entry, index) => `'${entry}': entry${index}`).join(', ');
  built = buildSync({
    stdin: {
      contents: `${imports}globalThis.entries = { ${all} };`,
      resolveDir: `${root}packages/studio`,
    },
    tsconfig: `${root}tsconfig.json`, // its paths lead to the sources
    bundle: true,
    minify: true, // as in the page: the names of functions change
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    logLevel: 'silent',
    metafile: true,
  });
  const page = createContext(browser);
  inPage = (script) => runInContext(script, page);
  inPage(watchKernel);
  for (const { text } of built.outputFiles ?? []) inPage(text);
});

it('each entry for browsers is bundled from its sources, without a warning', () => {
  expect(entries.length).toBeGreaterThan(12);
  expect(built.warnings).toEqual([]);
  const inputs = Object.keys(built.metafile?.inputs ?? {});
  expect(inputs.filter((path) => path.startsWith('node:'))).toEqual([]);
  expect(inputs.filter((path) => /packages\/(core|algorithms)\/dist\//.test(path))).toEqual([]);
  expect(
    inputs.filter((path) => /packages\/(core|check|algorithms)\/src\//.test(path)).length,
  ).toBeGreaterThan(400);
  expect(inPage('Object.keys(entries)')).toHaveLength(entries.length);
});

it('the context has nothing that only Node has', () => {
  expect(
    inPage(
      '[typeof process, typeof Buffer, typeof require, typeof module, typeof global, typeof setImmediate].join()',
    ),
  ).toBe('undefined,undefined,undefined,undefined,undefined,undefined');
});

it('A3 is explored there by the WebAssembly kernel, with the counts and verdicts of Node', async () => {
  const { states, transitions, depth, complete, properties } = explore(
    await loadProtocol('ricart-agrawala'),
    topology('complete:3'),
  );
  expect(states).toBe(6644);
  expect(await inPage(explored)).toBe(
    JSON.stringify({ states, transitions, depth, complete, properties }),
  );
  const { runs, states: found } = JSON.parse(String(inPage('JSON.stringify(kernel)'))) as Kernel;
  expect(runs).toBeGreaterThan(0);
  expect(found).toBe(6644);
});

proof(
  'a search ends before its objects fill the heap, although a page cannot ask how full that is',
  async () => {
    const found = JSON.parse(String(await inPage(explored24MB))) as Readonly<
      Record<string, unknown>
    >;
    expect(found).toMatchObject({ limit: 'memory', complete: false });
    expect(found.distinct).toBeGreaterThan(1000);
    expect(found.distinct).toBeLessThan(24 * 270); // of 4 kB
    expect(found.verdicts).not.toContain('holds');
  },
);

proof('the charts of all algorithms are those of Node, and the same machines are compiled', () => {
  const machines = catalogue.flatMap(({ make }) =>
    Object.values(make().roles).map(({ machine }) => machine),
  );
  expect(machines.length).toBeGreaterThan(40);
  expect(inPage(charts)).toBe(
    JSON.stringify(machines.map((machine) => [chart(machine), compile(machine).uncompiled])),
  );
});

it('a simulated run has the bytes of Node', async () => {
  const workload = closedLoop({ entries: 2 });
  const options = {
    protocol: await loadProtocol('ricart-agrawala'),
    topology: topology('complete:4'),
    seed: 7,
    workload,
    record: true,
  };
  const { trace } = simulate(options);
  expect(trace?.lines.length).toBeGreaterThan(40);
  expect(await inPage(simulated)).toBe(trace && traceText(trace));
});
