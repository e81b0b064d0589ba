/** Published systems with many initial states. */

const indices = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

/**
 * Black and white beans in a can: two of one colour are replaced by a black one, of two colours the
 * white one stays (Gries, The Science of Programming).
 */
export const coffeeCan = (most: number) => ({
  initials: indices(most + 1).flatMap((black) =>
    indices(most + 1 - black).flatMap((white): (readonly [black: number, white: number])[] =>
      black + white > 0 ? [[black, white]] : [],
    ),
  ),
  actions: ([black, white]: readonly [number, number]) => [
    ...(black > 1 ? ['two black'] : []),
    ...(white > 1 ? ['two white'] : []),
    ...(black > 0 && white > 0 ? ['one of each'] : []),
    ...(black + white === 1 ? ['stay'] : []),
  ],
  next: ([black, white]: readonly [number, number], action: string): readonly [number, number] => {
    if (action === 'stay') return [black, white];
    return action === 'two white' ? [black + 1, white - 2] : [black - 1, white];
  },
  fair: () => 'step',
});

/**
 * A token detects whether the nodes of a ring have terminated (Dijkstra, Feijen & van Gasteren, EWD
 * 840); any initial state is allowed.
 */
export type Ring = {
  readonly active: readonly boolean[];
  readonly black: readonly boolean[];
  readonly at: number;
  readonly token: 'black' | 'white';
};
type RingStep = readonly [what: 'probe' | 'pass' | 'rest' | 'wake', by: number, target: number];

/** `reveals`: a node that wakes one which the token has passed becomes black. */
export function ringTermination(count: number, reveals = true) {
  const choices = (length: number): readonly (readonly boolean[])[] =>
    length === 0
      ? [[]]
      : choices(length - 1).flatMap((rest) => [
          [...rest, false],
          [...rest, true],
        ]);
  return {
    initials: choices(count).flatMap((active) =>
      choices(count).flatMap((black) =>
        indices(count).map((at): Ring => ({ active, black, at, token: 'black' })),
      ),
    ),
    actions: ({ active, black, at, token }: Ring): readonly RingStep[] => [
      ...(at === 0 && (token === 'black' || black[0]) ? [['probe', 0, count - 1] as const] : []),
      ...(at > 0 && (!active[at] || black[at] || token === 'black')
        ? [['pass', at, at - 1] as const]
        : []),
      ...indices(count).flatMap((by): readonly RingStep[] =>
        active[by]
          ? [
              ['rest', by, by],
              ...indices(count).flatMap((target): readonly RingStep[] =>
                target === by ? [] : [['wake', by, target]],
              ),
            ]
          : [],
      ),
    ],
    next: (ring: Ring, [what, by, target]: RingStep): Ring => {
      const { active, black, token } = ring;
      if (what === 'probe')
        return { ...ring, at: target, token: 'white', black: black.with(0, false) };
      if (what === 'pass')
        return {
          ...ring,
          at: target,
          token: black[by] ? 'black' : token,
          black: black.with(by, false),
        };
      if (what === 'rest') return { ...ring, active: active.with(by, false) };
      return {
        ...ring,
        active: active.with(target, true),
        black: target > by && reveals ? black.with(by, true) : black,
      };
    },
    fair: ([what]: RingStep) => (what === 'probe' || what === 'pass' ? 'token' : undefined),
  };
}
