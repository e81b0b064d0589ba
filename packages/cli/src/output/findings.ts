import type { Property, Protocol, Verdict } from '@conclave/core/protocol';
import type { Session } from '../session.js';
import { table } from './table.js';

interface Finding {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
}

/** The heading of what was found out about a protocol. */
export const titleOf = ({ id, title, problem }: Protocol): string => `${title}${id ? ` (${id})` : ''}, ${problem}`;

/** A property a line: a mark, its name, its kind and its verdict. Those of `refuted` are marked as failures. */
export function verdictTable(
  findings: readonly Finding[],
  { dim, green, red, yellow }: Session['colours'],
  refuted: readonly Verdict[] = ['violated'],
): string {
  const mark = (verdict: Verdict): string => {
    if (refuted.includes(verdict)) return red('✗');
    return verdict === 'holds' || verdict === 'reached' ? green('✓') : yellow('?');
  };
  return table(findings.map(({ name, kind, verdict }) => [mark(verdict), name, dim(kind), verdict]));
}
