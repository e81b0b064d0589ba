import { type Delay, delayText } from '@conclave/core/channel';
import { ConclaveError, optionalCommands, type Protocol } from '@conclave/core/protocol';
import { closedLoop, idle, oneShot, type Workload } from '@conclave/core/simulation';
import { counted } from '../output/numbers.js';

interface WorkloadOptions {
  readonly entries?: number | undefined;
  readonly initiators?: readonly string[] | undefined;
  readonly think?: Delay | undefined;
  readonly hold?: Delay | undefined;
}

/** Whether nodes of this protocol compete for a critical section. */
export const competes = ({ commands }: Protocol): boolean => 'acquire' in commands && 'release' in commands;

/** Who may wish, in words. */
export const initiatorsText = (nodes: readonly string[] | undefined): string => nodes?.join(', ') ?? 'every node';

/** That an option is about wishes, of which the protocol has none. */
export const noCommandToGive = ({ title }: Protocol, option: string): ConclaveError =>
  new ConclaveError('bad-input', `--${option}: ${title} has no command that could be given to them`);

/**
 * What the application does in this run, and how to say it: competitors enter `entries` times each; of any other protocol, each initiator is
 * given its first wish once.
 *
 * @throws {ConclaveError} `bad-input` for options that have no meaning here.
 */
export function workloadFor(protocol: Protocol, options: WorkloadOptions): { readonly workload: Workload; readonly text: string } {
  const { entries, initiators: nodes, think, hold } = options;
  const who = initiatorsText(nodes);
  if (competes(protocol)) return { workload: competition(options), text: `${counted(entries ?? 1, 'entry', 'entries')} by ${who}` };
  const surplus = Object.entries({ entries, think, hold }).find(([, value]) => value !== undefined);
  if (surplus) throw new ConclaveError('bad-input', `--${surplus[0]} goes with a critical section, and ${protocol.title} has none`);
  const [command] = optionalCommands(protocol);
  if (command !== undefined) return { workload: oneShot(command, nodes ? { nodes } : {}), text: `'${command.type}' told to ${who}` };
  if (nodes) throw noCommandToGive(protocol, 'initiators');
  return { workload: idle, text: 'nothing told to anybody' };
}

function competition({ entries, initiators: nodes, think, hold }: WorkloadOptions): Workload {
  for (const delay of [think, hold])
    if (delay?.kind === 'link')
      throw new ConclaveError(
        'bad-input',
        `'${delayText(delay)}' is the delay of links; nobody thinks or holds that long`,
        'Write it like fixed:5.',
      );
  return closedLoop({
    ...(entries === undefined ? {} : { entries }),
    ...(nodes ? { nodes } : {}),
    ...(think ? { think } : {}),
    ...(hold ? { hold } : {}),
  });
}
