import { handled, noDeadlock, noStepFails } from '../../protocol/unhandled-messages.js';
import type { Found, JudgedProperty } from './explored-system.js';
import type { Formula, NodeCondition } from './formulas.js';
import { eventText, type TlaTexts, tlaComment } from './tla-texts.js';

/** The properties of a module, and its lines in the configuration of TLC. */
export function propertyLines(
  texts: TlaTexts,
  { properties, waiting }: Found,
): { readonly lines: readonly string[]; readonly config: readonly string[] } {
  const lines: string[] = ['\\* The properties, with what the explorer found'];
  const config: string[] = [];
  for (const [index, property] of properties.entries()) {
    const { kind, name, verdict } = property;
    lines.push(tlaComment(`${kind}: ${name}: ${verdict}`));
    const claim = claimOf(texts, property, waiting);
    if ('why' in claim) {
      lines.push(tlaComment(`  not in this module: ${claim.why}`));
      continue;
    }
    lines.push(`P${index + 1} == ${claim.text}`);
    config.push(`${claim.isState ? 'INVARIANT' : 'PROPERTY'} P${index + 1}`);
  }
  return { lines, config };
}

type Claim = { readonly why: string } | { readonly text: string; readonly isState: boolean };

function claimOf(
  texts: TlaTexts,
  { name, kind, formula }: JudgedProperty,
  waiting: Formula | undefined,
): Claim {
  if (formula === undefined) return standardClaim(texts, name, waiting);
  if (formula.kind === 'none') return { why: formula.why };
  if (formula.kind === 'leadsTo') {
    const pairs = formula.pairs.map(
      ({ trigger, response }) =>
        `(${conditionText(texts, trigger)} ~> ${conditionText(texts, response)})`,
    );
    return { text: pairs.join(' /\\ '), isState: false };
  }
  const holds = formulaText(texts, formula.holds);
  if (kind === 'always') return { text: holds, isState: true };
  // of `sometimes`, a violation is a run that gets there
  if (kind === 'never' || kind === 'sometimes') return { text: `~ ${holds}`, isState: true };
  return { text: kind === 'eventually' ? `<>${holds}` : `[]<>${holds}`, isState: false };
}

function standardClaim(texts: TlaTexts, name: string, waiting: Formula | undefined): Claim {
  if (name === noDeadlock)
    return waiting
      ? { text: `(ENABLED Next) \\/ (~ ${formulaText(texts, waiting)})`, isState: true }
      : { why: 'the protocol does not say when a node waits' };
  if (name !== handled && name !== noStepFails) return { why: 'this tool does not know it' };
  const failures = texts.tables.events
    .filter(({ crashes }) => !crashes)
    .flatMap((event) => {
      const here = [...event.failing].filter(
        (state) => event.unhandled.has(state) === (name === handled),
      );
      const failing = { ...event, enabled: new Set(here), failing: new Set<number>(), rows: [] };
      return here.length === 0 ? [] : [`Can(${eventText(texts, failing)})`];
    });
  const text = failures.length === 0 ? 'TRUE' : `~ (${failures.join(' \\/ ')})`;
  return { text, isState: true };
}

const formulaText = (texts: TlaTexts, formula: Formula): string =>
  formula.length === 0
    ? 'FALSE'
    : `(${formula
        .map((parts) =>
          parts.length === 0
            ? 'TRUE'
            : `(${parts.map((part) => conditionText(texts, part)).join(' /\\ ')})`,
        )
        .join(' \\/ ')})`;

function conditionText(texts: TlaTexts, { node, up, down }: NodeCondition): string {
  const id = texts.nodes[node];
  const isIn = (states: ReadonlySet<number>) => `(at[${id}] \\in ${texts.states(node, states)})`;
  if (texts.tables.budget.crashes === 0) return isIn(up);
  return `(IF ${id} \\in down THEN ${isIn(down)} ELSE ${isIn(up)})`;
}
