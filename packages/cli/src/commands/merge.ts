import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { attempt } from '../errors.js';
import { declare, jsonOption } from '../input/options.js';
import type { Session } from '../session.js';
import { parsePart, requireWhole } from '../shards/part.js';

const description = {
  name: 'merge',
  description: 'join the results of all shards into the result of the whole command',
  argument: ['files...', 'what each shard has printed with --shard i/n --json'] as const,
  options: jsonOption,
  help: `The answer and the exit code are those of the command in one process, byte for byte. Shards of
other versions, sources or arguments, shards of another division, and missing or repeated ones
are refused.

Examples:
  conclave simulate A3 --loss 0.01 --seeds 1..1000 --shard 1/2 --json > 1.json
  conclave simulate A3 --loss 0.01 --seeds 1..1000 --shard 2/2 --json > 2.json
  conclave merge 1.json 2.json`,
};

/** `conclave merge`: the result of a command from the results of its shards. */
export const mergeCommand = (program: Command, session: Session): void =>
  declare(program, description, async ({ json }, _, files) => {
    const parts = requireWhole(
      files.map((name) => {
        const text = attempt(`'${name}' cannot be read`, () => readFileSync(name, 'utf8'));
        return { ...parsePart(text, name), name };
      }),
    );
    const command = parts[0]?.identity.command ?? []; // there is one
    session.exitCode = await session.rerun([...command, ...(json ? ['--json'] : [])], parts);
  });
