import type { Exploration } from '../exploration/explore/explore.js';
import type { PropertyFinding } from '../exploration/verdicts/property-finding.js';
import { linesText } from '../trace/text.js';

/**
 * Matchers for what `explore` found, with the counterexample in the failure.
 *
 * @example
 * expect.extend(matchers);
 * expect(explore(ricartAgrawala, complete(3))).toHold();
 * expect(explore(mutant, complete(2))).toViolate('at most one node is in the critical section');
 */
export const explorationMatchers = {
  /** The exploration is complete, every property holds, and every `sometimes` is reached. */
  toHold(exploration: Exploration) {
    const failing = exploration.properties.filter(
      ({ verdict }) => verdict !== 'holds' && verdict !== 'reached',
    );
    return {
      pass: exploration.complete && failing.length === 0,
      message: () =>
        failing.length === 0 && exploration.complete
          ? `${title(exploration)}: everything holds`
          : [
              `${title(exploration)}: not everything holds`,
              ...(exploration.complete ? [] : [incomplete(exploration)]),
              ...failing.map(shown),
            ].join('\n\n'),
    };
  },

  /** The property of this name is violated. */
  toViolate(exploration: Exploration, name: string) {
    return verdictIs(exploration, name, 'violated');
  },

  /** The `sometimes` property of this name is reached. */
  toReach(exploration: Exploration, name: string) {
    return verdictIs(exploration, name, 'reached');
  },
};

function verdictIs(exploration: Exploration, name: string, verdict: 'violated' | 'reached') {
  const finding = exploration.properties.find((property) => property.name === name);
  const known = exploration.properties.map((property) => `  ${property.name}`).join('\n');
  return {
    pass: finding?.verdict === verdict,
    message: () =>
      finding
        ? `${title(exploration)}\n\n${shown(finding)}`
        : `${title(exploration)} has no property '${name}'. It has\n${known}`,
  };
}

const title = ({ protocol, topology, states, transitions }: Exploration): string =>
  `${protocol} on ${topology}: ${states} states, ${transitions} transitions`;

const incomplete = ({ limit }: Exploration): string =>
  `The exploration is incomplete${limit ? `: it reached its limit of ${limit}` : ''}. Nothing is proved.`;

/** A property with its verdict and, where there is one, the run that decides it. */
function shown({ kind, name, verdict, trace, loopsFrom }: PropertyFinding): string {
  const head = `${verdict}: ${kind} ${name}`;
  if (!trace) return head;
  const lines = linesText(trace).trimEnd().split('\n');
  if (loopsFrom !== undefined)
    lines.splice(
      loopsFrom,
      0,
      loopsFrom < trace.lines.length ? '— from here on forever —' : '— quiescent from here on —',
    );
  return [head, ...lines.map((line) => `  ${line}`)].join('\n');
}
