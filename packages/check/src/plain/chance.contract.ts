/**
 * Systems with draws whose expected costs or probabilities are published; each is written from the
 * facts of its model: what the processes remember, and what a step does. Where a scheduler chooses
 * who draws, a state of its own says who draws now.
 */
const indices = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);
const fair = (actions: readonly unknown[]): readonly number[] => actions.map(() => 1);

/** A process of the asynchronous election. */
export type Candidate = {
  readonly mode: 'toss' | 'tossing' | 'wait' | 'active' | 'passive' | 'leader';
  readonly coin: number;
  /** How many passive processes have counted themselves. */
  readonly count: number;
  /** What came in this round, and what was sent: nothing, the coin, the counter. */
  readonly got: number;
  readonly sent: number;
};
const fresh = (mode: Candidate['mode']): Candidate => ({
  mode,
  coin: 0,
  count: 0,
  got: 0,
  sent: 0,
});

/**
 * Asynchronous leader election: the model of PRISM's benchmark after A. Itai, M. Rodeh: Symmetry
 * Breaking in Distributed Networks, 1990. In each round an active process tosses a coin, and
 * becomes passive if it is 0 and that of the active process before it is 1; then a counter goes
 * round, which tells the last active process that it is the last one.
 */
export function asynchronousElection(size: number) {
  type Ring = readonly Candidate[];
  type Action = readonly [what: string, who: number];
  const at = (ring: Ring, who: number) => ring[who % size] as Candidate; // there are `size`
  const sendsCoin = ({ mode, got, sent }: Candidate) =>
    sent === 0 && (mode === 'wait' || mode === 'active' || (mode === 'passive' && got > 0));
  const takesCoin = ({ mode, got }: Candidate) =>
    got === 0 && (mode === 'wait' || mode === 'passive');
  const sendsCounter = ({ mode, got, sent }: Candidate) =>
    sent === 1 && ((mode === 'active' && got > 0) || (mode === 'passive' && got === 2));
  const takesCounter = ({ mode, got }: Candidate, { count }: Candidate) =>
    got === 1 && (mode === 'active' || (mode === 'passive' && count < size - 1));
  const coinTo = (to: Candidate, { coin }: Candidate): Candidate =>
    to.mode === 'passive'
      ? { ...to, coin, got: 1 }
      : { ...to, mode: to.coin < coin ? 'passive' : 'active', got: 1 };
  const counterTo = (to: Candidate, { count }: Candidate): Candidate => {
    if (to.mode === 'passive') return { ...to, count: count + 1, got: 2 };
    if (to.sent < 2) return { ...to, got: 2 };
    return fresh(count === size - 1 ? 'leader' : 'toss');
  };
  const afterCounter = (from: Candidate): Candidate =>
    from.mode === 'active' && from.got === 1
      ? { ...from, sent: 2 }
      : fresh(from.mode === 'active' ? 'toss' : 'passive');
  return {
    initial: indices(size).map(() => fresh('toss')) as Ring,
    actions: (ring: Ring): readonly Action[] => {
      const tossing = ring.findIndex(({ mode }) => mode === 'tossing');
      if (tossing >= 0)
        return [
          ['0', tossing],
          ['1', tossing],
        ];
      return ring.flatMap((from, who): Action[] => {
        const to = at(ring, who + 1);
        if (from.mode === 'toss') return [['toss', who]];
        if (sendsCoin(from)) return takesCoin(to) ? [['coin', who]] : [];
        return sendsCounter(from) && takesCounter(to, from) ? [['counter', who]] : [];
      });
    },
    weights: (ring: Ring) => (ring.some(({ mode }) => mode === 'tossing') ? [1, 1] : undefined),
    next: (ring: Ring, [what, who]: Action): Ring => {
      const [from, to] = [at(ring, who), at(ring, who + 1)];
      if (what === 'toss') return ring.with(who, { ...from, mode: 'tossing' });
      if (what === 'coin')
        return ring
          .with(who, { ...from, sent: 1, coin: from.mode === 'wait' ? from.coin : 0 })
          .with((who + 1) % size, coinTo(to, from));
      if (what === 'counter')
        return ring.with(who, afterCounter(from)).with((who + 1) % size, counterTo(to, from));
      return ring.with(who, { ...from, mode: 'wait', coin: Number(what) });
    },
  };
}

/** A process of the synchronous election. */
type Picker = { readonly unique: boolean; readonly id: number; readonly passes: number };
const reset: Picker = { unique: false, id: 0, passes: 0 };

/** The state of the synchronous election. */
export type Picking = {
  readonly phase: 'pick' | 'read' | 'decide' | 'done';
  /** The number of the next value that each process reads. */
  readonly turn: number;
  readonly pickers: readonly Picker[];
};

/**
 * Synchronous leader election: the model of PRISM's benchmark after the same paper. All processes
 * pick one of `ids` ids at once and read those of all others, one after the other. A round fails if
 * no id is unique.
 */
export function synchronousElection(size: number, ids: number) {
  const tuples = (length: number): readonly (readonly number[])[] =>
    length === 0
      ? [[]]
      : tuples(length - 1).flatMap((tuple) => indices(ids).map((id) => [...tuple, id]));
  const picks = tuples(size);
  const initial: Picking = { phase: 'pick', turn: 1, pickers: indices(size).map(() => reset) };
  const read = ({ turn, pickers }: Picking): Picking => {
    const isLast = turn === size - 1;
    return {
      phase: isLast ? 'decide' : 'read',
      turn: isLast ? turn : turn + 1,
      pickers: pickers.map(({ unique, id }, who) => {
        const { passes } = pickers[(who + 1) % size] as Picker; // a ring
        return {
          unique: unique && id !== passes,
          id: isLast === unique ? 0 : id,
          passes: isLast ? 0 : passes,
        };
      }),
    };
  };
  return {
    initial,
    actions: ({ phase, pickers }: Picking): readonly (string | readonly number[])[] => {
      if (phase === 'pick') return picks;
      if (phase === 'read') return ['read'];
      if (phase === 'done') return [];
      return pickers.some(({ unique }) => unique) ? ['elect'] : ['retry'];
    },
    weights: ({ phase }: Picking) => (phase === 'pick' ? fair(picks) : undefined),
    next: (state: Picking, action: string | readonly number[]): Picking => {
      if (action === 'read') return read(state);
      if (action === 'retry') return initial;
      if (typeof action === 'string') return { ...initial, phase: 'done', turn: state.turn };
      const pickers = action.map((id) => ({ unique: true, id, passes: id }));
      return { ...state, phase: 'read', pickers };
    },
  };
}

/**
 * Herman's ring (T. Herman: Probabilistic Self-Stabilization. Information Processing Letters 35:2,
 * 1990), with one bit a process, from each of its states. A process whose bit is that of the
 * process before it has a token, and draws its next bit; the others take the bit before theirs. One
 * token is the end.
 */
export function hermanBits(size: number) {
  const before = (bits: number, who: number) => (bits >> ((who + size - 1) % size)) & 1;
  const tokens = (bits: number) =>
    indices(size).filter((who) => ((bits >> who) & 1) === before(bits, who));
  /** The next states, by what each process may have. */
  const actions = (bits: number): readonly number[] => {
    const drawing = tokens(bits);
    if (drawing.length === 1) return [];
    return indices(size).reduce<readonly number[]>(
      (found, who) =>
        found.flatMap((after) =>
          (drawing.includes(who) ? [0, 1] : [before(bits, who)]).map((bit) => after | (bit << who)),
        ),
      [0],
    );
  };
  return {
    initials: indices(2 ** size),
    actions,
    weights: (bits: number) => fair(actions(bits)),
    next: (_: number, after: number) => after,
  };
}

/**
 * The same ring as its tokens, up to rotation: each token stays or moves on by chance, and two at
 * one place annihilate each other.
 */
export function hermanTokens(size: number) {
  const all = 2 ** size - 1;
  const rotated = (tokens: number) => ((tokens << 1) & all) | (tokens >> (size - 1));
  const normal = (tokens: number) => {
    let [least, other] = [tokens, tokens];
    for (let turn = 1; turn < size; turn++) {
      other = rotated(other);
      least = Math.min(least, other);
    }
    return least;
  };
  /** By the tokens afterwards: how many of the equally likely outcomes lead there. */
  const outcomes = (tokens: number): ReadonlyMap<number, number> => {
    const counts = new Map<number, number>();
    if ((tokens & (tokens - 1)) === 0) return counts;
    for (let moved = tokens; ; moved = (moved - 1) & tokens) {
      const after = normal(tokens ^ moved ^ rotated(moved));
      counts.set(after, (counts.get(after) ?? 0) + 1);
      if (moved === 0) return counts;
    }
  };
  const isOdd = (tokens: number) => [...tokens.toString(2)].filter((bit) => bit === '1').length % 2;
  return {
    initials: [
      ...new Set(
        indices(2 ** size)
          .filter(isOdd)
          .map(normal),
      ),
    ],
    actions: (tokens: number) => [...outcomes(tokens).keys()],
    weights: (tokens: number) => [...outcomes(tokens).values()],
    next: (_: number, after: number) => after,
  };
}

/**
 * Contention of FireWire in rounds: two nodes draw a short or a long wait, again as long as both
 * draw the same. `short` and `long` are the weights of the waits.
 */
export const contention = ({ short, long }: { readonly short: number; readonly long: number }) => ({
  initial: 'contention' as string,
  actions: (state: string) =>
    state === 'contention' ? ['both short', 'a short', 'b short', 'both long'] : [],
  weights: () => [short * short, short * long, long * short, long * long],
  next: (state: string, drawn: string) => (drawn.startsWith('both') ? state : 'root'),
});

/** The state of the shared coin: the counter, and of each process where it is and its coin. */
export type SharedCoin = {
  readonly counter: number;
  readonly places: readonly ('flip' | 'flipping' | 'write' | 'check' | 'finished')[];
  readonly coins: readonly number[];
};

/**
 * The shared coin of randomised consensus (J. Aspnes, M. Herlihy: Fast Randomized Consensus Using
 * Shared Memory. Journal of Algorithms 11:3, 1990): the model `consensus` of PRISM's benchmarks.
 * Each process flips a coin, moves the counter by it, and decides where the counter is near an end
 * of its range.
 */
export function sharedCoin(processes: number, bound: number) {
  const middle = (bound + 1) * processes;
  const [left, right] = [processes, 2 * middle - processes];
  type Action = readonly [what: string, who: number];
  const decision = (counter: number) => (counter <= left ? 0 : counter >= right ? 1 : undefined);
  return {
    initial: {
      counter: middle,
      places: indices(processes).map(() => 'flip'),
      coins: indices(processes).map(() => 0),
    } as SharedCoin,
    actions: ({ places }: SharedCoin): readonly Action[] => {
      const flipping = places.indexOf('flipping');
      if (flipping >= 0)
        return [
          ['0', flipping],
          ['1', flipping],
        ];
      return places.flatMap((place, who): Action[] => (place === 'finished' ? [] : [[place, who]]));
    },
    weights: ({ places }: SharedCoin) => (places.includes('flipping') ? [1, 1] : undefined),
    next: ({ counter, places, coins }: SharedCoin, [what, who]: Action): SharedCoin => {
      const moved = (place: SharedCoin['places'][number], coin = coins[who] ?? 0) => ({
        counter,
        places: places.with(who, place),
        coins: coins.with(who, coin),
      });
      if (what === 'flip') return moved('flipping');
      if (what === 'write')
        return { ...moved('check', 0), counter: counter + (coins[who] === 1 ? 1 : -1) };
      if (what !== 'check') return moved('write', Number(what));
      const decided = decision(counter);
      return decided === undefined ? moved('flip') : moved('finished', decided);
    },
  };
}
