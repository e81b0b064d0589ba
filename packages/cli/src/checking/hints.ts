/**
 * `What to try:`, below the violations of a check: what their runs have in common with known
 * causes. A row of `runHints` says when a hint applies.
 */

import type { Exploration, PropertyFinding } from '@conclave/check';
import { noDeadlock } from '@conclave/check/internal';
import { faults, kindOfProperty } from '@conclave/core/internal';
import { isUnsentInStep } from '@conclave/core/internal/trace';
import type { Protocol } from '@conclave/core/protocol';
import type { Trace, TraceLine } from '@conclave/core/trace';
import { beyondTime } from '../input/environment.js';
import { quoted } from '../output/text.js';
import { isViolated } from './counterexample.js';
import type { NetworkCheck } from './options.js';

/** What hints depend on. */
type Circumstances = Pick<NetworkCheck, 'budget' | 'fairness' | 'options'> & {
  readonly protocol: Pick<Protocol, 'title' | 'channels' | 'crashNotice' | 'drawn'>;
};

/**
 * What might help against the violations that were found, each hint once; empty when there are
 * none.
 */
export function whatToTry(check: Circumstances, findings: Exploration['properties']): string {
  const hints = new Set([
    ...findings.flatMap((finding) => hintsFor(finding, check)),
    ...vacuityHints(findings, check),
    ...when(
      check.options.search === 'depth' && findings.some(isViolated),
      'Without --search depth each run to a single state is a shortest one.',
    ),
  ]);
  return hints.size === 0
    ? ''
    : `What to try:\n${[...hints].map((hint) => `  ${hint}\n`).join('')}`;
}

const when = (isSo: boolean, hint: string): readonly string[] => (isSo ? [hint] : []);

/** Whether a property reads whole worlds: vacuous, it reads nothing in them that changes. */
const isOfWorlds = (finding: PropertyFinding): boolean =>
  Object.values(kindOfProperty(finding).functions).includes('system');

/** Of vacuous properties: nothing that they read changes, or what they react to never occurs. */
function vacuityHints(
  findings: Exploration['properties'],
  { protocol, budget }: Circumstances,
): readonly string[] {
  const vacuous = findings.filter(({ verdict }) => verdict === 'vacuous');
  const untriggered = vacuous.filter((one) => one.name !== noDeadlock && !isOfWorlds(one));
  const unchanged = vacuous.filter((one) => one.name !== noDeadlock && isOfWorlds(one));
  // what it reacts to
  const crashes = protocol.crashNotice !== undefined && budget.crashes === 0 ? '--crash 1, ' : '';
  const noWaiting = 'No node ever waits here, so no deadlock could be found: mark waiting nodes';
  return [
    ...when(
      untriggered.length + unchanged.length < vacuous.length,
      `${noWaiting} with the tag waiting or with waiting: (node) => …, or give waiting: false.`,
    ),
    ...when(
      unchanged.length > 0,
      `Nothing in the system makes this true or false: ${quoted(unchanged)}. Is the name of a field misspelt? Give a flag its first value at the start.`,
    ),
    ...when(
      untriggered.length > 0,
      `Nothing to check for: ${quoted(untriggered)}. Allow more, with ${crashes}--entries, --initiators or --topology.`,
    ),
  ];
}

function hintsFor(finding: PropertyFinding, check: Circumstances): readonly string[] {
  const { name, verdict, trace } = finding;
  if (verdict === 'unreached')
    return [
      `Nothing reaches '${name}': allow more, with --entries, --initiators or a larger --topology.`,
    ];
  // a fault says itself what to try
  if (verdict !== 'violated' || !trace || trace.header.has('fault')) return [];
  const run = { ...finding, trace };
  const hints = runHints.flatMap(({ applies, hint }) =>
    applies(run, check) ? hint(check, run) : [],
  );
  if (hints.length > 0) return hints;
  if (name === noDeadlock)
    return [
      'Nothing can happen in the last state, and a node waits there: which message is missing, and which node should send it?',
    ];
  const where = isLiveness(finding)
    ? 'look for a step that should have happened and was never triggered.'
    : 'the mistake is in its machine, or in the property.';
  return [`Every assumption of ${check.protocol.title} is met: ${where}`];
}

const isLiveness = (finding: PropertyFinding): boolean =>
  kindOfProperty(finding).decidedBy === 'run';

/** A violated property with its run. */
type Run = PropertyFinding & { readonly trace: Trace };

const has = ({ trace: { lines } }: Run, kind: TraceLine['event']['kind']): boolean =>
  lines.some(({ event }) => event.kind === kind);

/** A message lost with the node that sends or receives it is not lost by a channel. */
const isLost = ({ trace: { lines } }: Run, { budget }: Circumstances): boolean =>
  budget.losses > 0 &&
  lines.some(({ event }, at) => event.kind === 'drop' && !isUnsentInStep(lines, at));

const repeatsForever = (run: Run): boolean =>
  isLiveness(run) && run.loopsFrom !== undefined && run.loopsFrom < run.trace.lines.length;

const assumes = ({ protocol }: Circumstances, what: string): string =>
  `${protocol.title} assumes channels that ${what}`;

function channelHint(
  check: Circumstances,
  { count, option, verb, fate, remedy }: (typeof faults.channelFaultRows)[number],
): string {
  const { protocol, budget } = check;
  const most = faults.tolerated(protocol, count);
  if (budget[count] <= most)
    return `A message is ${fate} here, which ${protocol.title} should tolerate: ${remedy}`;
  if (most > 0)
    return `Messages are ${fate} here; ${assumes(check, `${verb} at most ${most}`)}: try a smaller --${option}.`;
  return `A message is ${fate} here; ${assumes(check, `${verb} nothing`)}: try without --${option}, or reliable() of @conclave/core/embedding.`;
}

/** What may explain a violation: something in its run that can be left out, or should be tolerated. */
const runHints: readonly {
  readonly applies: (run: Run, check: Circumstances) => boolean;
  readonly hint: (check: Circumstances, run: Run) => string;
}[] = [
  {
    applies: (run) => has(run, 'cut'),
    hint: (check) =>
      `The network splits here, which loses messages${check.protocol.channels.loss ? '' : `; ${assumes(check, 'lose nothing')}`}: try without --partition.`,
  },
  ...faults.channelFaultRows.map((row) => ({
    applies: (run: Run, check: Circumstances) =>
      row.action === 'drop' ? isLost(run, check) && !has(run, 'cut') : has(run, row.action),
    hint: (check: Circumstances) => channelHint(check, row),
  })),
  {
    applies: (_, { budget, protocol }) =>
      budget.order === 'any' && protocol.channels.order === 'fifo',
    hint: (check) =>
      `Messages may overtake each other here; ${assumes(check, 'keep the order')}: try --order fifo.`,
  },
  {
    applies: (run) => has(run, 'restart'),
    hint: () => 'A node restarts here: declare the fields that must survive that as stable.',
  },
  {
    applies: (run) => has(run, 'crash') && !has(run, 'restart'),
    hint: ({ protocol: { crashNotice } }) =>
      crashNotice === undefined
        ? 'A node crashes here: try without --crash. To tolerate it, the others must detect it, as by a timeout.'
        : `A node crashes here, which the network reports by '${crashNotice}': what should the others do then?`,
  },
  {
    applies: ({ trace: { lines } }) => lines.some((_, at) => isUnsentInStep(lines, at)),
    hint: () =>
      'It crashes in the middle of a step, when it has sent some of its messages: with --atomic-steps, it sends all or none.',
  },
  {
    applies: (run, { budget }) => has(run, 'crash') && budget.unsent === true,
    hint: () => 'Without --unsent, what a node sent in earlier steps arrives after its crash.',
  },
  {
    applies: (run, { protocol, budget }) =>
      has(run, 'timeout') &&
      protocol.drawn === undefined && // a bare machine has no messages that take time
      (budget.time === 'untimed' || beyondTime(protocol, budget.time) !== undefined),
    hint: ({ protocol, budget }) => {
      const beyond = beyondTime(protocol, budget.time);
      return beyond
        ? `A timer fires here. ${beyond.text} Try without --${beyond.option}.`
        : 'A timer fires here at any moment: with --time exact --delay 1:4 it fires at its time.';
    },
  },
  {
    applies: ({ clocksApart }) => clocksApart !== undefined,
    hint: (_, { clocksApart = [] }) =>
      `The timers of ${clocksApart.join(', ')} drift apart here, as those of one clock cannot at these moments: perhaps no real run is like this.`,
  },
  {
    applies: (run, { fairness }) => fairness === 'none' && repeatsForever(run),
    hint: () =>
      'No step is fair here: with --fair weak, a step that stays possible happens eventually.',
  },
  {
    applies: (run, { fairness }) => fairness === 'weak' && repeatsForever(run),
    hint: () =>
      'With --fair strong, a step that is possible again and again happens eventually, too.',
  },
];
