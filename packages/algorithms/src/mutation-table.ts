import type { MutationReport } from '@conclave/core/mutation';
import { ConclaveError } from '@conclave/core/protocol';
import type { Subject } from './mutated.js';

/** What docs/mutation.json holds. */
export interface MutationTable {
  /** The day it was computed. */
  readonly date: string;
  /** The processor and the version of node. */
  readonly machine: string;
  readonly protocols: Readonly<Record<string, Recorded>>;
}

/** What became of the mutants of one protocol. */
export interface Recorded {
  /** See `mutationFingerprint`. */
  readonly fingerprint: string;
  readonly score: number;
  readonly counts: MutationReport['counts'];
  readonly systems: readonly string[];
  readonly leftOut: readonly string[];
  /** Those that pass, in the order of the report. */
  readonly open: readonly Open[];
  /** What kills the others: by system, by the mutant's id, the property. */
  readonly killed: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Why a definition refuses them, by id. */
  readonly rejected: Readonly<Record<string, string>>;
  /** The ids of those that are bisimilar to the protocol. */
  readonly equivalent: readonly string[];
}

/** A mutant that passes. */
export interface Open {
  readonly fate: keyof MutationReport['counts'];
  readonly id: string;
  /** The line of the statechart, or of the assumptions, as the mutant has it. */
  readonly after: string;
  /** Why it may pass; undefined: nobody has said. */
  readonly reason?: string;
}

/** Instead of a property, where nobody handles a message; and instead of a system, where a property has nothing left to ask for. */
export const unhandled = 'a message that nobody handles';
export const noSystem = 'no system: its definition';

/** What is kept of a report: nothing that differs from run to run. */
export function recorded(
  { fingerprint, score, counts, systems, leftOut, mutants }: MutationReport,
  { reasons }: Pick<Subject, 'reasons'>,
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
    ...{ fingerprint, score, counts, systems: systems.map(({ name, states }) => `${name}: ${states} states`), leftOut },
    ...{ open, killed, rejected, equivalent },
  };
}

/** What is wrong with the reasons of a protocol: a mutant passes and nobody says why, or a reason is given for one that does not pass. */
export function complaints({ name, reasons }: Pick<Subject, 'name' | 'reasons'>, { open }: Recorded): readonly string[] {
  const ids = new Set(open.map(({ id }) => id));
  return [
    ...open.flatMap(({ id, fate, after }) =>
      Object.hasOwn(reasons, id) ? [] : [`${name}: no reason why '${id}' (${fate}) passes: ${after}`],
    ),
    ...Object.keys(reasons).flatMap((id) => (ids.has(id) ? [] : [`${name}: a stale reason: '${id}' is no mutant that passes`])),
  ];
}

/** The table as a page. */
export function mutationPage({ date, machine, protocols }: MutationTable): string {
  const all = Object.values(protocols).flatMap(({ counts }) => Object.values(counts));
  return `# What the properties notice

Every statechart of the catalogue with one mistake in it: an action dropped, repeated or moved, a guard dropped or turned round, a rule deleted or
made to ignore its event, a transition that leads elsewhere, a tag or timer gone, a message not sent, sent twice or to the wrong neighbour, a
channel that may do more than assumed. Each is explored on small systems until a property of the protocol is violated. Computed by
\`npm run mutate\` on ${date} (${machine}); what became of each mutant is in [mutation.json](mutation.json).

*Killed* counts those that are refuted, *unhandled* of them by a message that no state handles. *Rejected* ones do not pass the checks of a
definition. *Equivalent* ones are bisimilar to the protocol on all systems explored. *Unreached*: no system comes by what is changed.
*Inconclusive*: a limit of states was reached. The score is killed of all but rejected and equivalent.

${mutationTable(protocols)}
All in all ${all.reduce((sum, count) => sum + count, 0)} mutants.

## Why those that pass may pass

${Object.entries(protocols).map(reasonsText).filter(Boolean).join('\n')}`;
}

/** A line per protocol. */
export function mutationTable(protocols: MutationTable['protocols']): string {
  const head = ['protocol', 'mutants', 'killed', 'unhandled', 'rejected', 'equivalent', 'unreached', 'survived', 'inconclusive', 'score'];
  const rows = Object.entries(protocols).map(([name, { counts, score }]) => [
    name,
    Object.values(counts).reduce((sum, count) => sum + count, 0),
    counts.killed + counts.unhandled,
    ...[counts.unhandled, counts.rejected, counts.equivalent, counts.unreached, counts.survived, counts.inconclusive],
    `${(100 * score).toFixed(1)} %`,
  ]);
  return [head, head.map((_, index) => (index === 0 ? '---' : '--:')), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('');
}

/** The mutants of a protocol that pass, by the reason. */
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
 * The table in the text of docs/mutation.json.
 *
 * @throws {ConclaveError} `bad-input`: the text is none that `npm run mutate` has written.
 */
export function parsedTable(text: string): MutationTable {
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || !('protocols' in value) || !('date' in value))
    throw new ConclaveError('bad-input', 'docs/mutation.json holds no table of mutants', 'Run npm run mutate.');
  return value as MutationTable; // the project's own file, written by scripts/mutate.mjs
}
