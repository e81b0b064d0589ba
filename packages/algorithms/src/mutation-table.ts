import type { mutate } from '@conclave/core/mutation';
import { ConclaveError } from '@conclave/core/protocol';
import { table } from './generated-table.js';
import type { Subject } from './mutated.js';

type MutationReport = ReturnType<typeof mutate>;

/** The content of docs/mutation.json. */
export interface MutationTable {
  /** The day of the computation. */
  readonly date: string;
  /** The processor and the version of node. */
  readonly machine: string;
  readonly protocols: Readonly<Record<string, Recorded>>;
}

/** The results of the mutants of one protocol. */
export interface Recorded {
  /** See `mutationFingerprint`. */
  readonly fingerprint: string;
  readonly score: number;
  readonly counts: MutationReport['counts'];
  readonly systems: readonly string[];
  readonly leftOut: readonly string[];
  /** Regions that are the machine of another row, where their mutants are; undefined: none. */
  readonly parts?: readonly string[];
  /** The mutants that pass, in the order of the report. */
  readonly open: readonly Open[];
  /** By system and by the mutant's id: the property that kills it. */
  readonly killed: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** By id: why the definition is refused. */
  readonly rejected: Readonly<Record<string, string>>;
  /** The ids of the mutants that are bisimilar to the protocol. */
  readonly equivalent: readonly string[];
}

/** A mutant that passes. */
export interface Open {
  readonly fate: keyof MutationReport['counts'];
  readonly id: string;
  /** The mutant's version of the line in the statechart or in the assumptions. */
  readonly after: string;
  /** Why it passes; undefined if no reason is given. */
  readonly reason?: string;
}

/**
 * In place of a property: no state handles a message. In place of a system: the definition is
 * refused because of a property.
 */
export const unhandled = 'a message that no state handles';
export const noSystem = 'no system: its definition';

/** The part of a report that is the same in each run. */
export function recorded(
  { fingerprint, score, counts, systems, leftOut, mutants }: MutationReport,
  { reasons, parts = [] }: Pick<Subject, 'reasons'> & Partial<Pick<Subject, 'parts'>>,
): Recorded {
  const open: Open[] = [];
  const equivalent: string[] = [];
  const rejected: Record<string, string> = {};
  const killed: Record<string, Record<string, string>> = {};
  for (const { id, fate, after, by = '', system = noSystem } of mutants) {
    const reason = Object.hasOwn(reasons, id) ? reasons[id] : undefined;
    if (fate === 'equivalent') equivalent.push(id);
    else if (fate === 'rejected') rejected[id] = by;
    else if (fate === 'killed' || fate === 'unhandled') {
      killed[system] ??= {};
      killed[system][id] = fate === 'unhandled' ? unhandled : by;
    } else open.push({ fate, id, after, ...(reason === undefined ? {} : { reason }) });
  }
  return {
    ...{
      fingerprint,
      score,
      counts,
      systems: systems.map(({ name, states }) => `${name}: ${states} states`),
      leftOut,
    },
    ...(parts.length > 0 ? { parts } : {}),
    ...{ open, killed, rejected, equivalent },
  };
}

/**
 * Errors in the reasons of a protocol: a mutant passes without a reason, or a reason is given for a
 * mutant that does not pass.
 */
export function complaints(
  { name, reasons }: Pick<Subject, 'name' | 'reasons'>,
  { open }: Recorded,
): readonly string[] {
  const ids = new Set(open.map(({ id }) => id));
  return [
    ...open.flatMap(({ id, fate, after }) =>
      Object.hasOwn(reasons, id)
        ? []
        : [`${name}: no reason why '${id}' (${fate}) passes: ${after}`],
    ),
    ...Object.keys(reasons).flatMap((id) =>
      ids.has(id) ? [] : [`${name}: a stale reason: '${id}' is not a mutant that passes`],
    ),
  ];
}

/** The table as a page. */
export function mutationPage({ date, machine, protocols }: MutationTable): string {
  const all = Object.values(protocols).flatMap(({ counts }) => Object.values(counts));
  return `# What the properties notice

A mutant is a protocol with one mistake in its statechart: an action dropped, repeated or moved; a guard dropped or negated; a transition deleted,
made to ignore its event, or sent to another target; a tag or timer removed; a message not sent, sent twice or sent to the wrong neighbour. Or its
channels may do more than the protocol assumes. Each mutant is explored on small systems until it violates a property of the protocol. Computed by
\`npm run mutate\` on ${date} (${machine}); [mutation.json](mutation.json) has the result of each mutant.

- *Killed*: refuted; *unhandled* of these by a message that no state handles.
- *Rejected*: the checks of a definition refuse it.
- *Equivalent*: bisimilar to the protocol on all systems explored.
- *Unreached*: no explored system reaches the change.
- *Survived*: it differs from the protocol, and violates no property.
- *Inconclusive*: the search reached its limit of states.

The score is the share of killed mutants among all but rejected and equivalent ones.

${mutationTable(protocols)}
In total ${all.reduce((sum, count) => sum + count, 0)} mutants.

## Why some mutants pass

${Object.entries(protocols).map(reasonsText).filter(Boolean).join('\n')}`;
}

/** A line per protocol. */
export function mutationTable(protocols: MutationTable['protocols']): string {
  const head = [
    'protocol',
    'mutants',
    'killed',
    'unhandled',
    'rejected',
    'equivalent',
    'unreached',
    'survived',
    'inconclusive',
    'score',
  ];
  const rows = Object.entries(protocols).map(([name, { counts, score, parts = [] }]) => [
    parts.length > 0 ? `${name}, without its part ${parts.join(', ')}` : name,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts.killed + counts.unhandled,
    ...[
      counts.unhandled,
      counts.rejected,
      counts.equivalent,
      counts.unreached,
      counts.survived,
      counts.inconclusive,
    ],
    counts.killed + counts.unhandled + counts.unreached + counts.survived + counts.inconclusive > 0
      ? `${(100 * score).toFixed(1)} %`
      : undefined,
  ]);
  return `${table(
    head,
    rows,
    head.map((_, index) => (index === 0 ? '---' : '--:')),
  )}\n`;
}

/** The mutants of a protocol that pass, by reason. */
function reasonsText([name, { open }]: readonly [string, Recorded]): string {
  if (open.length === 0) return '';
  const byReason = new Map<string, string[]>();
  for (const { fate, after, reason = 'No reason yet' } of open) {
    const lines = byReason.get(reason) ?? [];
    byReason.set(reason, lines);
    lines.push(`  - ${fate === 'survived' ? '' : `${fate}: `}\`${after}\`\n`);
  }
  return `### ${name}\n\n${[...byReason].map(([reason, lines]) => `- ${reason}:\n${lines.join('')}`).join('')}`;
}

/**
 * Parses the text of docs/mutation.json.
 *
 * @throws {ConclaveError} `bad-input`: `npm run mutate` did not write this text.
 */
export function parsedTable(text: string): MutationTable {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('protocols' in value) || !('date' in value))
    throw new ConclaveError(
      'bad-input',
      'docs/mutation.json contains no table of mutants',
      'Run npm run mutate.',
    );
  return value as MutationTable; // the project's own file, written by tools/algorithm/mutate.mjs
}
