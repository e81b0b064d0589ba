import { describe, expect, it } from 'vitest';
import type { NodeId } from '../../protocol/node.js';
import { type Check, perform, requireUnable, type Stage } from './check.js';
import { deliveryChecks } from './delivery-checks.js';
import { fuzzCheck } from './fuzz.js';
import { faultChecks, lifeChecks } from './life-checks.js';
import type { Ability, Declared, SetUp, TestNetwork } from './test-network.js';

/** A check of the contract, or a declaration, bound to a transport. */
export interface TransportCheck {
  readonly name: string;
  /** Rejects where the transport fails. */
  run(): Promise<void>;
}

const checks: readonly Check[] = [...deliveryChecks, ...lifeChecks, ...faultChecks, fuzzCheck];

/**
 * The checks of {@link transportContract} as functions, for other test runners.
 *
 * @example for (const { name, run } of transportChecks(setUp)) test(name, run);
 */
export function transportChecks(setUp: SetUp, declared: Declared = {}): readonly TransportCheck[] {
  const { impossible = {} } = declared;
  const possible = checks.filter(({ needs }) =>
    needs.every((ability) => impossible[ability] === undefined),
  );
  return [
    ...possible.map((check) => ({
      name: check.name,
      run: () => perform(advising(check), setUp, declared),
    })),
    ...abilities.flatMap((ability) => {
      const reason = impossible[ability];
      if (reason === undefined) return [];
      const unable = { run: (stage: Stage) => requireUnable(ability, stage) };
      return [
        {
          name: `cannot ${meanings[ability]}: ${reason}`,
          run: () => perform(unable, setUp, declared),
        },
      ];
    }),
  ];
}

/**
 * Tests for vitest that a transport keeps what it declares: order, loss and duplication; large and
 * tricky messages, bursts, close while sending, status, interruptions, mutated frames. It is never
 * more strict than the guarantees: a transport that declares loss may be free of it. What a
 * transport or its test network cannot do is declared with its reason, and shown.
 *
 * @example transportContract('my transport', async (nodes, { maxBytes }) => { const medium = await
 * startMyMedium(); return { transport: (self) => myTransport({ self, peers: nodes.filter((id) => id
 * !== self), medium, maxBytes }), close: () => medium.stop() }; }, { impossible: { interrupt: 'the
 * medium is memory', … } });
 */
export function transportContract(
  name: string,
  setUp: (
    nodes: readonly NodeId[],
    options: { readonly maxBytes: number },
  ) => Promise<TestNetwork> | TestNetwork,
  declared: Declared = {},
): void {
  describe(`the contract of transports: ${name}`, () => {
    for (const check of transportChecks(setUp, declared))
      it(check.name, async () => {
        await expect(check.run()).resolves.toBeUndefined();
      });
  });
}

const meanings: Readonly<Record<Ability, string>> = {
  interrupt: 'interrupt the medium',
  inject: 'inject frames',
  reopen: 'open a node again',
  status: 'tell its status',
  peers: 'tell which peers can be reached',
  limit: 'limit the length of messages',
  members: 'tell peers from others',
};
const abilities = Object.keys(meanings) as readonly Ability[]; // the record has exactly these

/** `check`, whose failures say what may be declared. */
const advising = (check: Check): Check => ({
  ...check,
  run: async (stage) => {
    try {
      await check.run(stage);
    } catch (error) {
      const cures = check.needs.map(
        (ability) =>
          `If it cannot ${meanings[ability]}, declare impossible.${ability} with the reason`,
      );
      throw new Error([textOf(error), ...cures].join('. '), { cause: error });
    }
  },
});

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
