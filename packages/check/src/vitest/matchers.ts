import type { Protocol } from '@conclave/core/protocol';
import { linesText } from '@conclave/core/trace';
import { type MutateOptions, mutate } from '../mutation/mutate.js';
import { openQuestions } from '../mutation/report.js';
import type { Exploration } from '../verdicts/exploration.js';
import type { PropertyFinding } from '../verdicts/property-finding.js';

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

/**
 * A matcher for protocols: their properties detect mutants.
 *
 * @example
 * expect.extend(matchers);
 * expect(ricartAgrawala).toKillMutants({ atLeast: 0.95 });
 */
export const mutationMatchers = {
  /**
   * The properties of the protocol kill at least this share of its mutants, of all but equivalent
   * and rejected ones: from 0 to 1. Default 1.
   */
  toKillMutants(
    protocol: Protocol,
    { atLeast = 1, ...options }: MutateOptions & { readonly atLeast?: number } = {},
  ) {
    const report = mutate(protocol, options);
    const { score, counts } = report;
    return {
      pass: score >= atLeast,
      message: () =>
        [
          `${report.title}: ${percent(score)} of the mutants are killed, ${percent(atLeast)} are required`,
          ...openQuestions(report).flatMap(({ question, cure, mutants }) => [
            `${question}. ${cure}`,
            ...mutants.map(({ before, after }) => `  - ${before}\n  + ${after}`),
          ]),
          ...(counts.unreached > 0
            ? [`${counts.unreached} are not reached on the systems explored`]
            : []),
          ...(counts.inconclusive > 0
            ? [`${counts.inconclusive} are inconclusive: a limit was reached`]
            : []),
        ].join('\n'),
    };
  },
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
