import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { errorLine } from './errors.js';
import { version } from './installation.js';
import type { ExitCode, Io, Session } from './session.js';
import type { Part } from './shards/identity.js';

type Register = (program: Command, session: Session) => void;

/**
 * By name, in the order of the help. A new command is one more file in `commands/` and one more
 * line here; each is loaded when it is needed.
 */
const commands: Readonly<Record<string, () => Promise<Register>>> = {
  list: async () => (await import('./commands/list.js')).listCommand,
  simulate: async () => (await import('./commands/simulate.js')).simulateCommand,
  check: async () => (await import('./commands/check.js')).checkCommand,
  expected: async () => (await import('./commands/expected.js')).expectedCommand,
  paths: async () => (await import('./commands/paths.js')).pathsCommand,
  mutate: async () => (await import('./commands/mutate.js')).mutateCommand,
  merge: async () => (await import('./commands/merge.js')).mergeCommand,
  worker: async () => (await import('./commands/worker.js')).workerCommand,
  replay: async () => (await import('./commands/replay.js')).replayCommand,
  members: async () => (await import('./commands/members.js')).membersCommand,
  conform: async () => (await import('./commands/conform.js')).conformCommand,
  chart: async () => (await import('./commands/chart.js')).chartCommand,
  export: async () => (await import('./commands/export.js')).exportCommand,
  studio: async () => (await import('./commands/studio.js')).studioCommand,
  course: async () => (await import('./commands/course.js')).courseCommand,
  grade: async () => (await import('./commands/grade.js')).gradeCommand,
  lock: async () => (await import('./commands/lock.js')).lockCommand,
  init: async () => (await import('./commands/init.js')).initCommand,
};

/** The commands that `argv` names. Where it names none, the help lists all. */
function commandsIn(argv: readonly string[]): Promise<readonly Register[]> {
  const all = Object.entries(commands);
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const named = all.filter(([name]) => own.includes(name));
  return Promise.all((named.length === 0 ? all : named).map(([, load]) => load()));
}

/**
 * The `conclave` command: runs it with `argv` (without node and script) and returns the exit code.
 * It never throws: an error is one line on stderr and exit code 2.
 *
 * @example await run(['simulate', 'A3', '--topology', 'complete:5', '--json'], { stdout, stderr,
 * isTTY: false }) // 0
 */
export const run = (argv: readonly string[], io: Io): Promise<ExitCode> => runWith(argv, io);

/** @param parts what the shards of the command have found */
async function runWith(
  argv: readonly string[],
  io: Io,
  parts?: readonly Part[],
): Promise<ExitCode> {
  const session: Session = {
    ...{ ...io, argv, colours: pc.createColors(io.isTTY), exitCode: 0 },
    ...(parts ? { parts } : {}),
    rerun: (argv, parts) => runWith(argv, io, parts),
  };
  const program = new Command('conclave')
    .description(
      'Distributed protocols as statecharts: simulate and check them, replay their traces, print their charts, start your own.',
    )
    .version(version)
    .option('--debug', 'show where an error comes from (or set CONCLAVE_DEBUG)')
    .exitOverride()
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr, outputError: () => {} })
    .addHelpText(
      'after',
      '\nExit codes: 0 fine, 1 a property was violated or a replay diverged, 2 a usage or input error, or an incomplete result, 130 interrupted.',
    );
  try {
    for (const register of await commandsIn(argv)) register(program, session);
    await program.parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    const isHelp =
      error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
    if (isHelp) return error.exitCode === 0 ? 0 : 2; // help and version are printed already
    io.stderr(errorLine(error, session, io.debug === true || argv.includes('--debug')));
    return 2;
  }
}
