import { type MutateOptions, mutate } from '../mutation/mutate.js';
import { openQuestions } from '../mutation/report.js';
import type { Protocol } from '../protocol/protocol.js';

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
