import { readFileSync } from 'node:fs';
import { schedule } from '@conclave/check/internal';
import { readable } from '@conclave/core/internal';
import { readableLines } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import { linesText, parseTrace, replay, traceText } from '@conclave/core/trace';
import type { Command } from 'commander';
import { attempt, badInput } from '../errors.js';
import { beyondTime } from '../input/environment.js';
import { declare, defined, flag, text, type ValuesOf } from '../input/options.js';
import {
  exportOption,
  networkFor,
  protocolFor,
  readTopology,
  readTrace,
  recordedProtocol,
} from '../input/protocol.js';
import { requireWritable, writeTrace } from '../output/files.js';
import { blocks, table } from '../output/text.js';
import { answer, type Session } from '../session.js';

const options = {
  events: flag('the file has only the node and the event of each step; the rest is filled in'),
  protocol: text('path', 'the module with the protocol, where it is one of your own'),
  ...exportOption,
  topology: text('spec', 'with --events: the network (default: three nodes in the shape it needs)'),
  trace: text('file', 'with --events: write the run; FILE.svg and FILE.mmd are diagrams'),
  json: flag(
    'print { protocol, topology, steps, divergence?: { line, expected, found } }; with --events { protocol, topology, trace, properties, untimed? }',
  ),
};

type Options = ValuesOf<typeof options>;

const description = {
  name: 'replay',
  description: 'repeat a trace on fresh nodes and compare every step',
  argument: ['file', 'a trace as `conclave simulate --trace FILE` writes it'] as const,
  options,
  help: `With --events, a line of the file is a step: a node and what happens to it, as in a trace.
  b  acquire
  a  request from b
  # a comment
The run is filled in, judged and printed. It is untimed: timers fire and messages arrive where it
says so. A step that is not possible is an error that says what is
possible there.

Examples:
  conclave replay run.trace --protocol ./my-protocol.ts
  conclave replay events.txt --events --protocol A3 --trace run.svg`,
};

/** `conclave replay`: runs a trace again on fresh nodes and compares each step. */
export const replayCommand = (program: Command, session: Session): void =>
  declare(program, description, async (options, file) => {
    if (options.events) return replayEvents(session, file, options);
    const [surplus] = (['topology', 'trace'] as const).filter(
      (name) => options[name] !== undefined,
    );
    if (surplus) throw badInput(`--${surplus} is for --events`, 'Add --events, or leave it out.');
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

/** Fills in, judges and prints the run whose events a file lists. */
async function replayEvents(session: Session, file: string, options: Options): Promise<void> {
  requireWritable(options);
  const read = attempt(`The events '${file}' cannot be read`, () => readFileSync(file, 'utf8'));
  const { header } = parseTrace(read.replace(/^[^#].*$/gm, ''), file);
  const name = options.protocol ?? header.get('protocol');
  if (name === undefined)
    throw badInput(`${file} names no protocol`, 'Name it, as in: --protocol ./module.ts');
  const { protocol: _, events: __, topology: given, ...choice } = options;
  const protocol = await protocolFor(name, choice);
  const { topology } = networkFor(protocol, given ?? header.get('topology'), 3);
  const { own } = readable(protocol);
  const lines = read
    .split('\n')
    .map((line) => (line.startsWith('#') ? line : columnsOf(own(line))));
  const events = parseTrace(lines.join('\n'), file);
  const { trace, standings } = schedule(
    protocol,
    topology,
    events,
    (step) => `${file}:${lineOfStep(read, step)}`,
  );
  if (standings.some(({ value }) => value === 'false')) session.exitCode = 1;
  const properties = standings.map(({ name: property, kind, value, reason }) => ({
    ...{ name: property, kind, value },
    ...(value === 'false' && { reason }),
  }));
  const untimed = untimedText(protocol);
  const value = {
    ...{ protocol: protocol.name, topology: topology.spec },
    ...{ trace: traceText(trace), properties, ...defined({ untimed }) },
  };
  const { green, red, yellow, dim } = session.colours;
  const marks = { true: green('✓'), false: red('✗'), undecided: yellow('?') };
  answer(session, options.json, value, () =>
    blocks(
      linesText(readableLines(protocol, trace.lines)),
      table(
        standings.map((one) => [marks[one.value], one.name, dim(one.kind), one.value]),
        session.width,
      ),
      untimed === undefined ? '' : `Untimed: ${untimed}\n`,
      properties.map(({ reason }) => (reason === undefined ? '' : `${reason}\n`)).join(''),
      writeTrace(name, options, trace, protocol),
    ),
  );
}

/** What a verdict on written steps does not know; undefined where the protocol assumes no times. */
function untimedText(protocol: Protocol): string | undefined {
  const beyond = beyondTime(protocol, 'untimed');
  return beyond && `${beyond.text} A property may be false here that no timed run violates.`;
}

/** A node, with or without a comma, and its event; what follows in the line of a trace is left out. */
function columnsOf(line: string): string {
  const [, node, event] =
    /^\s*(?:\d+\.\d+ms\s+)?([^\s,#]+)[\s,]\s*(.*?)(?:\s{2,}.*)?$/.exec(line) ?? [];
  return node === undefined ? line : `${node}  ${event}`;
}

/**
 * The line of step `step` (from 1) in the file: headers, comments and blank lines are not steps.
 */
function lineOfStep(text: string, step: number): number {
  const lines = text.split('\n').map((line, index) => ({ line: line.trim(), number: index + 1 }));
  const steps = lines.filter(({ line }) => line !== '' && !line.startsWith('#'));
  return steps[step - 1]?.number ?? lines.length;
}
