/** SPIN, a model checker that others wrote, on models that `conclave export` has written. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';

/** A model, and what the explorer says of it. */
interface Model {
  readonly text: string;
  readonly flags: readonly string[];
  readonly stateFlags: readonly string[];
  readonly properties: readonly {
    readonly name: string;
    readonly claim?: { readonly by: string; readonly claims: readonly string[] };
  }[];
}

/** What a search of SPIN has counted. */
interface Counts {
  readonly states: number;
  readonly transitions: number;
  readonly errors: number;
}

interface Opinion {
  readonly counts: Counts;
  /** By property that the model has: whether SPIN has found an error. */
  readonly errors: ReadonlyMap<string, boolean>;
}

const isThere = (program: string): boolean =>
  spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

/** Why SPIN cannot run, and how to get it. */
function missingSpin(): string | undefined {
  const missing = ['spin', 'gcc'].filter((program) => !isThere(program));
  return missing.length === 0
    ? undefined
    : `${missing.join(' and ')} not found; apt-get install ${missing.join(' ')}`;
}

/**
 * A `describe` for tests that run SPIN. Where it is missing, they are skipped, with a test that says
 * so and how to get it; with `CI` in the environment, that test fails.
 */
export function describeWithSpin(name: string, tests: () => void): void {
  const missing = missingSpin();
  describe.skipIf(missing !== undefined)(name, tests);
  if (missing === undefined) return;
  it(`${name}: ${missing}`, (context) => {
    if (process.env.CI) throw new Error(missing);
    console.warn(`SKIPPED: ${name}. ${missing}`);
    context.skip(missing);
  });
}

/**
 * What SPIN says of a model. `runs`: also of its properties of runs and of quiescent states; each
 * kind takes a verifier of its own.
 */
export function spinOn(model: Model, { runs = false, text = model.text } = {}): Opinion {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-spin-'));
  try {
    writeFileSync(join(folder, 'model.pml'), text);
    return opinionOf(model, folder, runs);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function opinionOf(
  { flags, stateFlags, properties }: Model,
  folder: string,
  runs: boolean,
): Opinion {
  const errors = new Map<string, boolean>();
  const judge = (by: string, search: readonly string[]) => {
    for (const { name, claim } of properties)
      if (claim?.by === by)
        errors.set(
          name,
          claim.claims.some((one) => pan(folder, [...search, '-N', one]).errors > 0),
        );
  };
  const has = (by: string) => properties.some(({ claim }) => claim?.by === by);
  build(folder, [], stateFlags);
  const counts = pan(folder, ['-N', 'states']);
  judge('states', []);
  if (!runs) return { counts, errors };
  for (const [by, defines] of Object.entries({
    runs: ['-DIDLE'],
    commands: ['-DIDLE', '-DIDLE_COMMANDS'],
  })) {
    if (!has(by)) continue;
    build(folder, defines, flags);
    judge(by, ['-a', '-f']);
  }
  const quiescence = properties.find(({ claim }) => claim?.by === 'assertion');
  if (quiescence) {
    build(folder, ['-DQUIESCENCE'], stateFlags);
    errors.set(quiescence.name, pan(folder, ['-N', 'states']).errors > 0);
  }
  return { counts, errors };
}

function build(folder: string, defines: readonly string[], flags: readonly string[]): void {
  runIn(folder, 'spin', [...defines, '-a', 'model.pml']);
  runIn(folder, 'gcc', ['-O0', '-w', ...flags, '-o', 'pan', 'pan.c']);
}

function pan(folder: string, options: readonly string[]): Counts {
  const text = runIn(folder, './pan', ['-m200000', '-w18', ...options]);
  const numberIn = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN);
  const counts = {
    states: numberIn(/(\d+) states, stored/),
    transitions: numberIn(/(\d+) transitions/),
    errors: numberIn(/errors: (\d+)/),
  };
  if (Object.values(counts).some(Number.isNaN) || text.includes('search depth too small'))
    throw new Error(`SPIN has not searched all: ${text}`);
  return counts;
}

function runIn(folder: string, program: string, options: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(program, options, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (status !== 0 && !program.startsWith('./'))
    throw new Error(`${program} ${options.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
