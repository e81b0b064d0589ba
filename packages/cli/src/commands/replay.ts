import { replay } from '@conclave/core/trace';
import type { Command } from 'commander';
import { declare, flag, text } from '../input/options.js';
import { exportOption, readTopology, readTrace, recordedProtocol } from '../input/protocol.js';
import { answer, type Session } from '../session.js';

const description = {
  name: 'replay',
  description: 'repeat a trace on fresh nodes and compare every step',
  argument: ['file', 'a trace as `conclave simulate --trace FILE` writes it'] as const,
  options: {
    protocol: text('path', 'the module with the protocol, where it is one of your own'),
    ...exportOption,
    json: flag('print { protocol, topology, steps, divergence?: { line, expected, found } }'),
  },
  help: 'Examples:\n  conclave replay run.trace\n  conclave replay run.trace --protocol ./my-protocol.ts',
};

/** `conclave replay`: runs a trace again on fresh nodes and compares each step. */
export const replayCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, file) => {
    const { text, trace, recorded, spec } = readTrace(file);
    const protocol = await recordedProtocol(recorded, options);
    const topology = readTopology(spec);
    const { steps, divergence } = replay(protocol, topology, trace);
    const found = divergence && { ...divergence, line: lineOfStep(text, divergence.step) };
    if (found) session.exitCode = 1;
    const value = {
      ...{ protocol: protocol.name, topology: topology.spec, steps },
      divergence: found && { line: found.line, expected: found.expected, found: found.found },
    };
    const { green, red } = session.colours;
    answer(session, options.json, value, () =>
      found
        ? `${red('✗')} ${file}:${found.line}: the replay diverges after ${steps} steps.\n  trace   ${found.expected}\n  replay  ${found.found}\n`
        : `${green('✓')} ${file}: all ${steps} steps were the same on fresh nodes.\n`,
    );
  });

/**
 * The line of step `step` (from 1) in the file: headers, comments and blank lines are not steps.
 */
function lineOfStep(text: string, step: number): number {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const steps = lines.filter(({ line }) => line !== '' && !line.startsWith('#'));
  return steps[step - 1]?.number ?? lines.length;
}
