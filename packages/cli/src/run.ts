import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { chartCommand } from './commands/chart.js';
import { checkCommand } from './commands/check.js';
import { initCommand } from './commands/init.js';
import { listCommand } from './commands/list.js';
import { mutateCommand } from './commands/mutate.js';
import { replayCommand } from './commands/replay.js';
import { simulateCommand } from './commands/simulate.js';
import { errorLine } from './errors.js';
import type { Io, Session } from './session.js';
import { version } from './version.js';

/** A new command is one more file in `commands/` and one more name here. */
const commands = [listCommand, simulateCommand, checkCommand, mutateCommand, replayCommand, chartCommand, initCommand];

/**
 * The `conclave` command: runs it with `argv` (without node and script) and returns the exit code.
 * It never throws: an error is one line on stderr and exit code 2.
 *
 * @example await run(['simulate', 'A3', '--topology', 'complete:5', '--json'], { stdout, stderr, isTTY: false }) // 0
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const session: Session = { ...io, argv, colours: pc.createColors(io.isTTY), exitCode: 0 };
  const program = new Command('conclave')
    .description('Distributed protocols as statecharts: simulate and check them, replay their traces, print their charts, start your own.')
    .version(version)
    .option('--debug', 'show where an error comes from (or set CONCLAVE_DEBUG)')
    .exitOverride()
    .configureOutput({ writeOut: io.stdout, writeErr: io.stderr, outputError: () => {} })
    .addHelpText(
      'after',
      '\nExit codes: 0 fine, 1 a property was violated or a replay diverged, 2 a usage or input error, or an incomplete result, 130 interrupted.',
    );
  for (const register of commands) register(program, session);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    const isHelp = error instanceof CommanderError && (error.exitCode === 0 || error.code === 'commander.help');
    if (isHelp) return error.exitCode === 0 ? 0 : 2; // help and version are printed already
    io.stderr(errorLine(error, session, io.debug === true || argv.includes('--debug')));
    return 2;
  }
}
