/** The bundles for Node are the modules: the same names, the same classes, and never older ones. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const packages = fileURLToPath(new URL('../../packages/', import.meta.url));

/** What a module prints in a process of its own, as JSON. */
function printed(text) {
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], {
    cwd: join(packages, 'cli'),
    encoding: 'utf8',
  });
  return stdout === '' ? stderr : JSON.parse(stdout);
}

it('what the packages export is the same in bundles and in modules', () => {
  const files = ['core', 'check', 'algorithms', 'coordination', 'studio'].flatMap((name) => {
    const manifest = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
    const urlOf = (path) => pathToFileURL(join(packages, name, path)).href;
    return Object.entries(manifest.exports)
      .filter(([entry]) => !/vitest|testing/.test(entry)) // they need vitest
      .map(([, { node, default: file }]) => [urlOf(node), urlOf(file)]);
  });
  const names = printed(
    `const namesOf = async (file) => Object.keys(await import(file));
    const pairs = ${JSON.stringify(files)}.map((pair) => Promise.all(pair.map(namesOf)));
    console.log(JSON.stringify(await Promise.all(pairs)))`,
  );
  expect(names).toHaveLength(files.length);
  for (const [bundle, module] of names) expect(bundle).toEqual(module);
});

it('all packages throw errors of the class that an application imports, which name its code', () => {
  const [classes, text] = printed(
    `import { ConclaveError } from '@conclave/core/protocol';
    import { exploreSystem } from '@conclave/check';
    import { loadProtocol } from '@conclave/algorithms/load';
    import { lock } from '@conclave/coordination';
    const actions = (state) => [state.n++];
    const failures = [() => exploreSystem({}, {}), () => loadProtocol('none'), () => lock({})];
    const isOurs = (error) => error instanceof ConclaveError;
    const caught = failures.map((fail) => Promise.resolve().then(fail).catch(isOurs));
    const system = { initial: { n: 0 }, actions, next: (state) => state };
    let text = '';
    try { exploreSystem(system, { properties: [] }) } catch ({ message }) { text = message }
    console.log(JSON.stringify([await Promise.all(caught), text]))`,
  );
  expect(classes).toEqual([true, true, true]);
  expect(text).toMatch(/Cannot assign to read only property 'n' of object '#<Object>' \(.*:5:40\)/);
});

it('bundles that are older than their build refuse to load', () => {
  const folder = mkdtempSync(join(packages, 'core/dist/stale-')); // it finds what core needs
  cpSync(join(packages, 'core/dist/node'), join(folder, 'node'), { recursive: true });
  const load = `try { await import(${JSON.stringify(pathToFileURL(join(folder, 'node/topology-needs.js')))}); console.log('"loaded"') }
    catch ({ message }) { console.log(JSON.stringify(message)) }`;
  expect(printed(load)).toBe('loaded');
  writeFileSync(join(folder, '.tsbuildinfo'), '');
  utimesSync(join(folder, 'node'), 1000, 1000);
  expect(printed(load)).toContain('npm run build');
  rmSync(folder, { recursive: true });
});
