import { fates, type MutantFinding, type MutationReport, type OpenQuestion, openQuestions } from '@conclave/core/mutation';
import type { Session } from '../session.js';
import { counted, decimal, number } from './numbers.js';
import { table } from './table.js';

/** What `mutate` prints for people: the score, what survives by the question that nobody asks, and a table by operator. */
export function mutationSummary(report: MutationReport, { colours }: Pick<Session, 'colours'>): string {
  const { bold, dim } = colours;
  const { title, systems, leftOut, limit, mutants, counts, score, seconds } = report;
  const rows = [
    ...systems.map(({ name, states }, index) => [index === 0 ? 'systems' : '', `${name} (${counted(states, 'state')})`]),
    ...leftOut.map((name) => ['', `${name}: left out, ${limit ? 'no time' : 'too many states'}`]),
    ['mutants', `${number(mutants.length)}: ${countsText(report)}`],
    ['score', `${percent(score)} killed, of all but the equivalent and rejected ones`],
    ['time', `${decimal(seconds)} s`],
  ];
  return [
    `${bold(title)}\n${table(rows.map(([label = '', text = '']) => [dim(label), text]))}`,
    ...openQuestions(report).map((open) => questionText(open, colours)),
    listed('Not reached on these systems: give others, or remove what is never needed', mutants, 'unreached', colours),
    listed('Inconclusive: a limit was reached', mutants, 'inconclusive', colours),
    operatorTable(report, colours),
    counts.survived + counts.unreached + counts.inconclusive === 0 ? 'Every mutant is noticed.\n' : '',
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function countsText({ counts }: MutationReport): string {
  const killed = counts.killed + counts.unhandled;
  const unhandled = counts.unhandled > 0 ? ` (${number(counts.unhandled)} by a message that nobody handles)` : '';
  const rest = (['rejected', 'equivalent', 'unreached', 'survived', 'inconclusive'] as const).filter((fate) => counts[fate] > 0);
  return [`${number(killed)} killed${unhandled}`, ...rest.map((fate) => `${number(counts[fate])} ${fate}`)].join(', ');
}

function questionText({ question, cure, mutants }: OpenQuestion, { yellow, dim }: Session['colours']): string {
  const lines = mutants.flatMap(({ before, after, difference }) => [
    `  - ${before}`,
    `  + ${after}`,
    ...(difference
      ? [dim(`    differs on ${difference.system}:`), ...difference.run.map((line) => `      ${line}`), `      ${difference.differs}`]
      : []),
    '',
  ]);
  return `${yellow(question)} (${number(mutants.length)}). ${cure}\n${lines.join('\n')}`;
}

function listed(heading: string, mutants: readonly MutantFinding[], fate: MutantFinding['fate'], { yellow }: Session['colours']): string {
  const found = mutants.filter((mutant) => mutant.fate === fate);
  if (found.length === 0) return '';
  return `${yellow(heading)} (${number(found.length)}).\n${found.map(({ before, after }) => `  - ${before}\n  + ${after}\n`).join('')}`;
}

function operatorTable({ operators }: MutationReport, { dim }: Session['colours']): string {
  const shown = fates.filter((fate) => operators.some(({ counts }) => counts[fate] > 0));
  const head = ['operator', ...shown].map((text) => dim(text));
  return table([
    head,
    ...operators.map(({ operator, counts }) => [operator, ...shown.map((fate) => (counts[fate] > 0 ? number(counts[fate]) : '·'))]),
  ]);
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
