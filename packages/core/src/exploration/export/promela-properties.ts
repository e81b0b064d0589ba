import { handled, noDeadlock, noStepFails } from '../../protocol/unhandled-messages.js';
import type { JudgedProperty } from './explored-system.js';
import type { Formula, NodeCondition } from './formulas.js';
import { commentText } from './names.js';
import { anyOf, guardOf, type PromelaNames } from './promela.js';
import type { EventTable } from './system-tables.js';

/** How a property is in a model for SPIN. */
export interface PromelaClaim {
  readonly property: string;
  /**
   * `states`: a claim about states. `runs`: about runs, to be checked with weak fairness (`pan -a
   * -f`); `commands`: optional commands need not come. `assertion`: with `spin -DQUIESCENCE`.
   */
  readonly by: 'states' | 'runs' | 'commands' | 'assertion';
  /** For `pan -N`; none where an assertion checks it. */
  readonly claims: readonly string[];
}

/** The claims of a model, and its lines about them. */
export function promelaClaims(
  names: PromelaNames,
  properties: readonly JudgedProperty[],
  waiting: Formula | undefined,
): { readonly claims: readonly PromelaClaim[]; readonly lines: readonly string[] } {
  const claims: PromelaClaim[] = [];
  const lines: string[] = [
    '// For a search of all states',
    'ltl states { [] true }',
    '// The properties, with what the explorer found',
  ];
  for (const [index, property] of properties.entries()) {
    const { name, kind, verdict } = property;
    const title = `// ${commentText(`${kind}: ${name}: ${verdict}`)}`;
    const claim = claimOf(names, property, `p${index + 1}`, waiting);
    if ('lines' in claim && claim.lines.some(({ length }) => length > longest)) {
      lines.push(title, '//   not in this model: as a formula it is too long for SPIN');
      continue;
    }
    if ('why' in claim) {
      lines.push(title, `//   not in this model: ${claim.why}`);
      continue;
    }
    lines.push(title, ...claim.lines);
    claims.push({ property: name, by: claim.by, claims: claim.names });
  }
  return { claims, lines };
}

/** SPIN reads no longer formulas, in characters. */
const longest = 3_000;

type Claim =
  | { readonly why: string }
  | {
      readonly by: PromelaClaim['by'];
      readonly names: readonly string[];
      readonly lines: readonly string[];
    };

function claimOf(
  names: PromelaNames,
  { name, kind, formula }: JudgedProperty,
  claim: string,
  waiting: Formula | undefined,
): Claim {
  if (formula === undefined) return standardClaim(names, name, claim, waiting);
  if (formula.kind === 'none') return { why: formula.why };
  if (formula.kind === 'leadsTo') {
    const pairs = formula.pairs.map(({ trigger, response }) => {
      const pair = names.of(`${claim}_${names.tables.nodes[trigger.node]?.id}`);
      const [from, to] = [trigger, response].map((part) => conditionText(names, part));
      return { pair, line: `ltl ${pair} { [] (${from} -> <> ${to}) }` };
    });
    return {
      by: 'commands',
      names: pairs.map(({ pair }) => pair),
      lines: pairs.map(({ line }) => line),
    };
  }
  const holds = names.of(`${claim}_holds`);
  const formulaOf: Readonly<Record<string, string>> = {
    always: `[] ${holds}`,
    never: `[] !${holds}`,
    sometimes: `[] !${holds}`,
    eventually: `<> ${holds}`,
    alwaysEventually: `[] <> ${holds}`,
  };
  const isOfRuns = kind === 'eventually' || kind === 'alwaysEventually';
  return {
    by: isOfRuns ? 'runs' : 'states',
    names: [claim],
    lines: [
      `#define ${holds} ${formulaText(names, formula.holds)}`,
      `ltl ${claim} { ${formulaOf[kind]} }${kind === 'sometimes' ? ' /* an error is a run that gets there */' : ''}`,
    ],
  };
}

/** What follows from the tables, and from when a node waits. */
function standardClaim(
  names: PromelaNames,
  name: string,
  claim: string,
  waiting: Formula | undefined,
): Claim {
  if (name === noDeadlock)
    return waiting
      ? { by: 'assertion', names: [], lines: quiescenceLines(formulaText(names, waiting)) }
      : { why: 'the protocol does not say when a node waits' };
  if (name !== handled && name !== noStepFails) return { why: 'this tool does not know it' };
  const failures = names.tables.events
    .filter(({ crashes }) => !crashes)
    .flatMap((event) => failure(names, event, name === handled));
  return {
    by: 'states',
    names: [claim],
    lines: [
      `#define ${claim}_fails ${failures.length === 0 ? 'false' : anyOf(failures)}`,
      `ltl ${claim} { [] !${claim}_fails }`,
    ],
  };
}

function failure(names: PromelaNames, event: EventTable, isUnhandled: boolean): readonly string[] {
  const here = [...event.failing].filter((state) => event.unhandled.has(state) === isUnhandled);
  if (here.length === 0) return [];
  const guard = guardOf(names, { ...event, enabled: new Set(here), failing: new Set() });
  return [`(${guard.join(' && ')})`];
}

const quiescenceLines = (waiting: string): readonly string[] => [
  '#ifdef QUIESCENCE',
  'active proctype quiescence() {',
  `end: do :: d_step { timeout && ${waiting} -> assert(false) } od`,
  '}',
  '#endif',
];

/** A formula as an expression of Promela. */
export function formulaText(names: PromelaNames, formula: Formula): string {
  const terms = formula.map((parts) =>
    parts.length === 0
      ? 'true'
      : parts.length === 1
        ? parts.map((part) => conditionText(names, part)).join('')
        : `(${parts.map((part) => conditionText(names, part)).join(' && ')})`,
  );
  return `(${anyOf(terms)})`;
}

function conditionText(names: PromelaNames, { node, up, down }: NodeCondition): string {
  const all = names.tables.nodes[node]?.states.length ?? 0;
  const isIn = (states: ReadonlySet<number>) =>
    states.size === all ? 'true' : names.isIn(node, states);
  if (!names.mayCrash) return isIn(up);
  const isSame = up.size === down.size && [...up].every((state) => down.has(state));
  if (isSame) return isIn(up);
  const isDown = names.down[node];
  return `((!${isDown} && ${isIn(up)}) || (${isDown} && ${isIn(down)}))`;
}
