import { type Delay, delayText } from '@conclave/core/channel';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import { closedLoop, idle, oneShot, type Workload } from '@conclave/core/simulation';

interface WorkloadOptions {
  readonly entries?: number | undefined;
  readonly initiators?: readonly string[] | undefined;
  readonly think?: Delay | undefined;
  readonly hold?: Delay | undefined;
}

/** Whether nodes of this protocol compete for a critical section. */
export const competes = ({ commands }: Protocol): boolean => 'acquire' in commands && 'release' in commands;

/**
 * What the application does in this run, and how to say it: competitors enter `entries` times each; of any other protocol, each initiator is
 * given its first wish once.
 *
 * @throws {ConclaveError} `bad-input` for options that have no meaning here.
 */
export function workloadFor(protocol: Protocol, options: WorkloadOptions): { readonly workload: Workload; readonly text: string } {
  const { entries, initiators: nodes, think, hold } = options;
  const who = nodes ? nodes.join(', ') : 'every node';
  if (competes(protocol)) return { workload: competition(options), text: `${counted(entries ?? 1)} by ${who}` };
  const surplus = Object.entries({ entries, think, hold }).find(([, value]) => value !== undefined);
  if (surplus) throw new ConclaveError('bad-input', `--${surplus[0]} goes with a critical section, and ${protocol.title} has none`);
  const wish = Object.entries(protocol.commands).find(([, { kind, fields = [] }]) => kind === 'wish' && fields.length === 0)?.[0];
  if (wish !== undefined) return { workload: oneShot({ type: wish }, nodes ? { nodes } : {}), text: `'${wish}' told to ${who}` };
  if (nodes) throw new ConclaveError('bad-input', `--initiators: ${protocol.title} has no command that could be given to them`);
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

const counted = (entries: number): string => (entries === 1 ? '1 entry' : `${entries} entries`);
