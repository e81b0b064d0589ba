import { type Fairness, type PropertyFinding, standardProperties } from '@conclave/core/exploration';
import type { Protocol } from '@conclave/core/protocol';
import type { TraceLine } from '@conclave/core/trace';
import type { CheckBudget } from '../input/budget.js';

const [, noDeadlock] = standardProperties;

interface Circumstances {
  readonly protocol: Pick<Protocol, 'title' | 'channels'>;
  readonly budget: CheckBudget;
  /** What runs were granted; undefined where none were judged. */
  readonly fairness?: Fairness;
  /** The options for which a run need not be a shortest one. */
  readonly longWays?: string | undefined;
}

/** What might help against the violations that were found, each told once; nothing when there are none. */
export function whatToTry(circumstances: Circumstances, findings: readonly PropertyFinding[]): string {
  const hints = new Set(findings.flatMap((finding) => hintsFor(finding, circumstances)));
  for (const hint of vacuityHints(findings)) hints.add(hint);
  const { longWays } = circumstances;
  if (longWays !== undefined && findings.some(({ verdict }) => verdict === 'violated'))
    hints.add(`Without ${longWays} each run to a single state is a shortest one.`);
  return hints.size === 0 ? '' : `What to try:\n${[...hints].map((hint) => `  ${hint}\n`).join('')}`;
}

/** What had nothing to look at, all in one line. */
function vacuityHints(findings: readonly PropertyFinding[]): readonly string[] {
  const vacuous = findings.flatMap(({ name, verdict }) => (verdict === 'vacuous' ? [name] : []));
  const others = vacuous.filter((name) => name !== noDeadlock);
  return [
    ...(others.length < vacuous.length
      ? [
          'No node ever waits here, so no deadlock could be found: say which do, by the tag waiting or by waiting: (node) => …, or say waiting: false.',
        ]
      : []),
    ...(others.length > 0
      ? [`Nothing to look at: ${others.map((name) => `'${name}'`).join(', ')}. Allow more, by --entries, --initiators or --topology.`]
      : []),
  ];
}

function hintsFor(finding: PropertyFinding, { protocol, budget, fairness }: Circumstances): readonly string[] {
  const { name, kind, verdict, trace, loopsFrom } = finding;
  if (verdict === 'unreached') return [`Nothing reaches '${name}': allow more, by --entries, --initiators or a larger --topology.`];
  if (verdict !== 'violated' || !trace || trace.header.has('fault')) return []; // a fault says itself what to try
  const hints = faultsOf(trace.lines, protocol, budget);
  const promisesAnEnd = kind === 'eventually' || kind === 'leadsTo';
  const turnsForEver = promisesAnEnd && loopsFrom !== undefined && loopsFrom < trace.lines.length;
  if (turnsForEver && fairness === 'none')
    hints.push('Nothing is granted to runs: with --fair weak, what stays possible is not put off for ever.');
  if (turnsForEver && fairness === 'weak')
    hints.push('With --fair strong, what becomes possible again and again is not put off for ever, either.');
  if (hints.length > 0) return hints;
  if (name === noDeadlock)
    return ['Nothing can happen at the end, and somebody waits there: which message should have come, and who was to send it?'];
  return [
    promisesAnEnd
      ? `No assumption of ${protocol.title} was dropped: look for what should have happened and was never asked for.`
      : `No assumption of ${protocol.title} was dropped: the mistake is in its machine, or in the property.`,
  ];
}

/** By what the environment did in the run; what is lost with a node that crashed is no loss of a channel. */
function faultsOf(lines: readonly TraceLine[], { title, channels }: Circumstances['protocol'], budget: CheckBudget): string[] {
  const happened = new Set(lines.map(({ event }) => event.kind));
  const hints: string[] = [];
  const assumes = (what: string) => `${title} assumes channels that ${what}`;
  if (happened.has('cut'))
    hints.push(
      `The network splits here, and what crosses it is lost${channels.loss ? '' : `; ${assumes('lose nothing')}`}: try without --partition.`,
    );
  else if (happened.has('drop') && budget.losses > 0)
    hints.push(
      channels.loss
        ? `A message is lost here, which ${title} says it stands: what should repeat it?`
        : `A message is lost here; ${assumes('lose nothing')}: try without --loss. Where links do lose, reliable() of @conclave/core/embedding makes up for it.`,
    );
  if (happened.has('duplicate'))
    hints.push(
      channels.duplication
        ? `A message comes twice here, which ${title} says it stands: what should tell the second from the first?`
        : `A message comes twice here; ${assumes('deliver once')}: try without --duplicate, or reliable() of @conclave/core/embedding.`,
    );
  if (budget.order === 'any' && channels.order === 'fifo')
    hints.push(`Messages may overtake here; ${assumes('keep the order')}: try --order fifo.`);
  if (happened.has('restart')) hints.push('A node restarts here: what must outlive that has to be declared stable.');
  else if (happened.has('crash'))
    hints.push('A node crashes here: try without --crash. To stand it, the others must notice, as by a timeout.');
  const waited = new Set(lines.flatMap(({ event, node }) => (event.kind === 'timeout' ? [node] : [])));
  if (waited.size > 1 && budget.time === 'bounded')
    hints.push('Timers of different nodes are in no order here, whatever their delays: a shorter one of another node may fire later.');
  if (happened.has('timeout') && budget.time === 'untimed')
    hints.push('A timer fires here at any moment: with --time bounded it waits for messages that take a bounded time.');
  return hints;
}
