import type { Exploration, ExploreOptions } from '@conclave/core/exploration';
import { standardProperties } from '@conclave/core/internal/protocol';
import { isUnsentInStep } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import type { TraceLine } from '@conclave/core/trace';
import { beyondTime, type CheckBudget } from '../input/environment.js';
import { quoted } from '../output/text.js';
import { isViolated } from './outcome.js';

const [, noDeadlock] = standardProperties;

interface Circumstances {
  readonly protocol: Pick<Protocol, 'title' | 'channels' | 'crashNotice'>;
  readonly budget: CheckBudget;
  /** The fairness of runs; undefined where none were judged. */
  readonly fairness?: ExploreOptions['fairness'];
  /** The options with which a counterexample need not be a shortest one. */
  readonly longPaths?: string | undefined;
}

/**
 * What might help against the violations that were found, each hint once; empty when there are
 * none.
 */
export function whatToTry(
  circumstances: Circumstances,
  findings: Exploration['properties'],
): string {
  const { longPaths } = circumstances;
  const hints = new Set([
    ...findings.flatMap((finding) => hintsFor(finding, circumstances)),
    ...vacuityHints(findings, circumstances),
  ]);
  if (longPaths !== undefined && findings.some(isViolated))
    hints.add(`Without ${longPaths} each run to a single state is a shortest one.`);
  return hints.size === 0
    ? ''
    : `What to try:\n${[...hints].map((hint) => `  ${hint}\n`).join('')}`;
}

/** Whether a property without a trigger is vacuous because it reads nothing. */
const isOfWorlds = (kind: string): boolean =>
  kind === 'always' || kind === 'never' || kind === 'eventually' || kind === 'alwaysEventually';

/** The vacuous properties: those that read nothing, and those whose trigger never occurs. */
function vacuityHints(
  findings: Exploration['properties'],
  { protocol, budget }: Circumstances,
): readonly string[] {
  const vacuous = findings.filter(({ verdict }) => verdict === 'vacuous');
  const others = vacuous.filter(({ name, kind }) => name !== noDeadlock && !isOfWorlds(kind));
  const blind = vacuous.filter(({ name, kind }) => name !== noDeadlock && isOfWorlds(kind));
  // what it reacts to
  const crashes = protocol.crashNotice !== undefined && budget.crashes === 0 ? '--crash 1, ' : '';
  const noWaiting = 'No node ever waits here, so no deadlock could be found: mark waiting nodes';
  return [
    ...(others.length + blind.length < vacuous.length
      ? [`${noWaiting} with the tag waiting or with waiting: (node) => …, or give waiting: false.`]
      : []),
    ...(blind.length > 0
      ? [
          `Nothing in the system makes this true or false: ${quoted(blind)}. Is the name of a field misspelt? Give a flag its first value at the start.`,
        ]
      : []),
    ...(others.length > 0
      ? [
          `Nothing to check for: ${quoted(others)}. Allow more, with ${crashes}--entries, --initiators or --topology.`,
        ]
      : []),
  ];
}

function hintsFor(
  finding: Exploration['properties'][number],
  { protocol, budget, fairness }: Circumstances,
): readonly string[] {
  const { name, kind, verdict, trace, loopsFrom } = finding;
  if (verdict === 'unreached')
    return [
      `Nothing reaches '${name}': allow more, with --entries, --initiators or a larger --topology.`,
    ];
  // a fault says itself what to try
  if (verdict !== 'violated' || !trace || trace.header.has('fault')) return [];
  const hints = faultsOf(trace.lines, protocol, budget);
  if (finding.clocksApart)
    hints.push(
      `The timers of ${finding.clocksApart.join(', ')} drift apart here, as those of one clock cannot at these moments: perhaps no real run is like this.`,
    );
  const isLiveness = kind === 'eventually' || kind === 'alwaysEventually' || kind === 'leadsTo';
  const loops = isLiveness && loopsFrom !== undefined && loopsFrom < trace.lines.length;
  if (loops && fairness === 'none')
    hints.push(
      'No step is fair here: with --fair weak, a step that stays possible happens eventually.',
    );
  if (loops && fairness === 'weak')
    hints.push(
      'With --fair strong, a step that is possible again and again happens eventually, too.',
    );
  if (hints.length > 0) return hints;
  if (name === noDeadlock)
    return [
      'Nothing can happen in the last state, and a node waits there: which message is missing, and which node should send it?',
    ];
  const where = isLiveness
    ? 'look for a step that should have happened and was never triggered.'
    : 'the mistake is in its machine, or in the property.';
  return [`Every assumption of ${protocol.title} is met: ${where}`];
}

/**
 * By what the environment did in the run. A message lost with the node that sends or receives it is
 * not lost by a channel.
 */
function faultsOf(
  lines: readonly TraceLine[],
  protocol: Circumstances['protocol'],
  budget: CheckBudget,
): string[] {
  const { title, channels } = protocol;
  const happened = new Set(lines.map(({ event }) => event.kind));
  const hints: string[] = [];
  const assumes = (what: string) => `${title} assumes channels that ${what}`;
  if (happened.has('cut'))
    hints.push(
      `The network splits here, which loses messages${channels.loss ? '' : `; ${assumes('lose nothing')}`}: try without --partition.`,
    );
  else if (
    budget.losses > 0 &&
    lines.some(({ event }, at) => event.kind === 'drop' && !isUnsentInStep(lines, at))
  )
    hints.push(
      channels.loss
        ? `A message is lost here, which ${title} should tolerate: what should send it again?`
        : `A message is lost here; ${assumes('lose nothing')}: try without --loss. For links that lose messages, there is reliable() in @conclave/core/embedding.`,
    );
  if (happened.has('duplicate'))
    hints.push(
      channels.duplication
        ? `A message is duplicated here, which ${title} should tolerate: what should tell the copies apart?`
        : `A message is duplicated here; ${assumes('deliver once')}: try without --duplicate, or reliable() of @conclave/core/embedding.`,
    );
  if (budget.order === 'any' && channels.order === 'fifo')
    hints.push(
      `Messages may overtake each other here; ${assumes('keep the order')}: try --order fifo.`,
    );
  if (happened.has('restart'))
    hints.push('A node restarts here: declare the fields that must survive that as stable.');
  else if (happened.has('crash'))
    hints.push(
      protocol.crashNotice === undefined
        ? 'A node crashes here: try without --crash. To tolerate it, the others must detect it, as by a timeout.'
        : `A node crashes here, which the network reports by '${protocol.crashNotice}': what should the others do then?`,
    );
  if (lines.some((_, at) => isUnsentInStep(lines, at)))
    hints.push(
      'It crashes in the middle of a step, when it has sent some of its messages: with --atomic-steps, it sends all or none.',
    );
  if (happened.has('crash') && budget.unsent)
    hints.push('Without --unsent, what a node sent in earlier steps arrives after its crash.');
  const timed = new Set(
    lines.flatMap(({ event, node }) => (event.kind === 'timeout' ? [node] : [])),
  );
  const beyond = beyondTime(protocol, budget.time);
  if (beyond !== undefined && timed.size > 0)
    hints.push(`A timer fires here. ${beyond.text} Try without --${beyond.option}.`);
  else if (timed.size > 0 && budget.time === 'untimed')
    hints.push(
      'A timer fires here at any moment: with --time exact --delay 1:4 it fires at its time.',
    );
  return hints;
}
