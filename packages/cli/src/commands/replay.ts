import { readFileSync } from 'node:fs';
import type { Command } from '@commander-js/extra-typings';
import { catalogue, protocolOf } from '@conclave/algorithms';
import { ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { parseTrace, replay, type Trace } from '@conclave/core/trace';
import { readTopology } from '../input/network.js';
import { protocolFor, protocolOptions } from '../input/protocol.js';
import { answer, type Session } from '../session.js';

/** `conclave replay`: runs a trace again on fresh nodes and compares each step. */
export function replayCommand(program: Command, session: Session): void {
  program
    .command('replay')
    .description('repeat a trace on fresh nodes and compare every step')
    .argument('<file>', 'a trace as `conclave simulate --trace FILE` writes it')
    .option('--protocol <path>', 'the module with the protocol, where it is one of your own')
    .option(...protocolOptions.export)
    .option('--json', 'print { protocol, topology, steps, divergence?: { line, expected, found } }')
    .addHelpText('after', '\nExamples:\n  conclave replay run.trace\n  conclave replay run.trace --protocol ./my-protocol.ts')
    .action(async (file, options) => {
      const text = read(file);
      const trace = parseTrace(text, file);
      const protocol = await protocolOfTrace(trace, file, options);
      const topology = readTopology(headerOf(trace, file, 'topology'));
      const { steps, divergence } = replay(protocol, topology, trace);
      const repeated = { protocol: protocol.name, topology: topology.spec, steps };
      if (!divergence) {
        const text = `${session.colours.green('✓')} ${file}: all ${steps} steps came out the same on fresh nodes.\n`;
        return answer(session, options.json, repeated, () => text);
      }
      session.exitCode = 1;
      const { step, expected, found } = divergence;
      const line = lineOfStep(text, step);
      answer(session, options.json, { ...repeated, divergence: { line, expected, found } }, () => {
        const where = `${session.colours.red('✗')} ${file}:${line}: the replay takes another course after ${steps} steps.`;
        return `${where}\n  trace   ${expected}\n  replay  ${found}\n`;
      });
    });
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ConclaveError('bad-input', `The trace '${file}' cannot be read: ${why}`, '', { cause: error });
  }
}

function headerOf({ header }: Trace, file: string, key: string): string {
  const value = header.get(key);
  if (value !== undefined) return value;
  throw new ConclaveError(
    'bad-trace',
    `${file}: its header names no ${key}`,
    `A trace begins with lines such as '# ${key}: ${examples[key]}'.`,
  );
}

const examples: Readonly<Record<string, string>> = { protocol: 'ricart-agrawala', topology: 'complete:5' };

interface ProtocolOptions {
  readonly protocol?: string | undefined;
  readonly export?: string | undefined;
}

async function protocolOfTrace(trace: Trace, file: string, { protocol: path, export: exportName }: ProtocolOptions): Promise<Protocol> {
  const name = headerOf(trace, file, 'protocol');
  if (path === undefined) {
    if (catalogue.some((entry) => entry.name === name)) return protocolOf(name, optionsIn(trace, file));
    throw new ConclaveError(
      'bad-input',
      `${file} is a trace of '${name}', which is not in the catalogue`,
      'Name its module: --protocol ./module.ts.',
    );
  }
  const protocol = await protocolFor(path, { export: exportName });
  if (protocol.name === name) return protocol;
  throw new ConclaveError('bad-input', `${file} is a trace of '${name}', but '${path}' is '${protocol.name}'`);
}

function optionsIn({ header }: Trace, file: string): Readonly<Record<string, Json>> {
  const text = header.get('options') ?? '{}';
  try {
    const options: Json = JSON.parse(text);
    if (typeof options === 'object' && options !== null && !isList(options)) return options;
  } catch {
    // told below
  }
  throw new ConclaveError('bad-trace', `${file}: its options '${text}' are no JSON object`, 'They read like {"greedy":2}.');
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** Where step `step` (from 1) stands in the file: neither the header, comments nor blank lines count as steps. */
function lineOfStep(text: string, step: number): number {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const steps = lines.filter(({ line }) => line !== '' && !line.startsWith('#'));
  return steps[step - 1]?.number ?? lines.length;
}
