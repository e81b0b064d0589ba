/**
 * Commit and consensus whose number of states is published; written from their descriptions. Where
 * TLC generates a state more than once, since a condition holds for several reasons, each reason is
 * an action.
 */
import { indices, lists } from './published.contract.js';

// Two-phase commit with a backup of the transaction manager: 2PCwithBTM of the TLA+ examples.

type Managers = {
  readonly managers: readonly string[];
  /** Which managers have come to their end. */
  readonly done: readonly boolean[];
  /** What the transaction manager, or its backup, lets the others see. */
  readonly shown: string;
  /** Where each of the two is in its program. */
  readonly manager: string;
  readonly backup: string;
};

type Move = readonly [what: string, who: number, reason: number];

/** At most one manager fails; the transaction manager always does, at some time. */
export function backedUpCommit(count: number) {
  const at = (reasons: number, what: string, who = 0): readonly Move[] =>
    indices(reasons).map((reason) => [what, who, reason] as const);

  /** All are prepared, or one has committed. */
  const toCommit = ({ managers }: Managers) => {
    const committed = managers.filter((one) => one === 'committed').length;
    return managers.reduce(
      (product, one) => product * (committed + (one === 'prepared' ? 1 : 0)),
      1,
    );
  };
  const toAbort = ({ managers }: Managers) =>
    managers.includes('committed')
      ? 0
      : managers.filter((one) => one === 'aborted' || one === 'failed').length;

  function ofManager({ managers, done, shown }: Managers, who: number): readonly Move[] {
    const state = managers[who];
    if (done[who]) return [];
    if (state !== 'working' && state !== 'prepared') return at(1, 'end', who);
    const isWorking = state === 'working' ? 1 : 0;
    return [
      ...at(isWorking, 'prepared', who),
      ...at(shown === 'commit' ? 1 : 0, 'committed', who),
      ...at(isWorking + (shown === 'abort' ? 1 : 0), 'aborted', who),
      ...at(1, 'failed', who),
    ];
  }

  return {
    initial: {
      managers: indices(count).map(() => 'working'),
      done: indices(count).map(() => false),
      shown: 'init',
      manager: 'start',
      backup: 'start',
    } as Managers,
    actions: (state: Managers): readonly Move[] => {
      const { manager, backup, shown, done } = state;
      const isHidden = shown === 'hidden' ? 1 : 0;
      return [
        ...indices(count).flatMap((who) => ofManager(state, who)),
        ...(manager === 'start'
          ? [...at(toCommit(state), 'manager commits'), ...at(toAbort(state), 'manager aborts')]
          : at(manager === 'end' ? 0 : 1, 'manager')),
        ...(backup === 'start'
          ? [
              ...at(isHidden * toCommit(state), 'backup commits'),
              ...at(isHidden * toAbort(state), 'backup aborts'),
            ]
          : at(backup === 'end' ? 0 : 1, 'backup')),
        ...at(done.every(Boolean) && manager === 'end' && backup === 'end' ? 1 : 0, 'stay'),
      ];
    },
    next: (state: Managers, [what, who]: Move): Managers => {
      const { managers, done, manager, backup } = state;
      const [role, decision] = what.split(' ');
      if (what === 'stay') return state;
      if (what === 'end') return { ...state, done: done.with(who, true) };
      if (decision !== undefined)
        return { ...state, [`${role}`]: decision === 'commits' ? 'commit' : 'abort' };
      if (what === 'backup') return { ...state, shown: backup, backup: 'end' };
      if (what === 'manager')
        return manager === 'fail'
          ? { ...state, shown: 'hidden', manager: 'end' }
          : { ...state, shown: manager, manager: 'fail' };
      if (what === 'failed' && managers.includes('failed')) return state;
      return { ...state, managers: managers.with(who, what) };
    },
  };
}

// Atomic commitment of Babaoğlu and Toueg (Distributed Systems, 1993, chapter 6), with a simple
// broadcast, which blocks, and with a uniform one: ACP_SB and ACP_NB of the TLA+ examples.

type Participant = {
  readonly vote: string;
  readonly alive: boolean;
  readonly decision: string;
  readonly hasVoted: boolean;
  /** What it has told each other one; in its own place what it will decide. */
  readonly told: readonly string[];
};

type Coordinator = {
  readonly alive: boolean;
  readonly asked: readonly boolean[];
  readonly votes: readonly string[];
  readonly sent: readonly string[];
  readonly decision: string;
};

export type Commitment = {
  readonly participants: readonly Participant[];
  readonly coordinator: Coordinator;
};

type Deed = readonly [what: string, who: number, other: number];

const none = 'none';

/** @param isUniform whether participants tell each other a decision before they decide */
export function atomicCommitment(count: number, isUniform: boolean) {
  const all = indices(count);

  function ofCoordinator({ participants, coordinator }: Commitment): readonly Deed[] {
    const { alive, asked, votes, sent, decision } = coordinator;
    if (!alive) return [];
    const isWaiting = decision === none && asked.every(Boolean);
    const deeds = all.flatMap((who) => {
      const { hasVoted, alive: isUp } = participants[who] as Participant; // one of all
      const isMissing = isWaiting && votes[who] === none;
      return [
        ...(asked[who] ? [] : ['ask']),
        ...(isMissing && hasVoted ? ['count'] : []),
        ...(isMissing && !hasVoted && !isUp ? ['give up'] : []),
        ...(decision !== none && sent[who] === none ? ['send'] : []),
      ].map((what): Deed => [what, who, 0]);
    });
    const isComplete = decision === none && !votes.includes(none);
    const against = all.filter((who) => votes[who] === 'no');
    return [
      ...deeds,
      ...(isComplete && against.length === 0 ? [['commit', 0, 0] as const] : []),
      ...(isComplete ? against.map((who) => ['abort', who, 0] as const) : []),
      ['coordinator fails', 0, 0],
    ];
  }

  function ofParticipant({ participants, coordinator }: Commitment, who: number) {
    const { alive, vote, decision, hasVoted, told } = participants[who] as Participant; // one of all
    const { asked, sent } = coordinator;
    if (!alive) return [];
    const isOpen = decision === none;
    const isOrphan = isOpen && !coordinator.alive;
    const isTold = sent[who] !== none;
    return [
      'fail',
      ...(asked[who] ? [hasVoted ? 'vote again' : 'vote'] : []),
      ...(isOpen && hasVoted && vote === 'no' ? ['refuse'] : []),
      ...(isOrphan && !asked[who] ? ['refuse unasked'] : []),
      ...(isUniform && told[who] === none && isTold ? ['hear'] : []),
      ...(isUniform && !told.includes(none) ? [isOpen ? 'decide' : 'decide again'] : []),
      ...(isUniform && isOrphan && isLost(participants, sent) ? ['refuse untold'] : []),
      ...(!isUniform && isOpen && isTold ? ['follow'] : []),
    ];
  }

  /** Nobody who lives has been told a decision by the coordinator, or by one who is dead. */
  const isLost = (participants: readonly Participant[], sent: readonly string[]) =>
    participants.every(({ alive }, who) => {
      const tellers = participants.filter((other) => !other.alive);
      return !alive || (sent[who] === none && tellers.every(({ told }) => told[who] === none));
    });

  /** TLC takes each step of a participant once for each other one. */
  const ofPair = (state: Commitment, who: number, other: number): readonly Deed[] => {
    const [one, two] = [state.participants[who], state.participants[other]];
    const isPair = who !== other && one?.alive === true;
    return [
      ...ofParticipant(state, who).map((what): Deed => [what, who, other]),
      ...(isPair && one.told[who] !== none && one.told[other] === none
        ? [['tell', who, other] as const]
        : []),
      ...(isPair && one.told[who] === none && two?.told[who] !== none
        ? [['hear of', who, other] as const]
        : []),
    ];
  };

  function participantAfter(state: Commitment, [what, who, other]: Deed): Participant {
    const { participants, coordinator } = state;
    const one = participants[who] as Participant; // one of all
    const hears = (decision = none) => ({ ...one, told: one.told.with(who, decision) });
    switch (what) {
      case 'fail':
        return { ...one, alive: false };
      case 'vote':
      case 'vote again':
        return { ...one, hasVoted: true };
      case 'follow':
        return { ...one, decision: coordinator.sent[who] ?? none };
      case 'hear':
        return hears(coordinator.sent[who]);
      case 'hear of':
        return hears(participants[other]?.told[who]);
      case 'tell':
        return { ...one, told: one.told.with(other, one.told[who] ?? none) };
      case 'decide':
      case 'decide again':
        return { ...one, decision: one.told[who] ?? none };
      default:
        return { ...one, decision: 'abort' };
    }
  }

  function coordinatorAfter({ participants, coordinator }: Commitment, [what, who]: Deed) {
    const { asked, votes, sent, decision } = coordinator;
    const changes: Readonly<Record<string, Partial<Coordinator>>> = {
      ask: { asked: asked.with(who, true) },
      count: { votes: votes.with(who, participants[who]?.vote ?? none) },
      'give up': { decision: 'abort' },
      abort: { decision: 'abort' },
      commit: { decision: 'commit' },
      send: { sent: sent.with(who, decision) },
      'coordinator fails': { alive: false },
    };
    return changes[what];
  }

  return {
    initials: lists(count, ['yes', 'no']).map((votes): Commitment => {
      const nothing = votes.map(() => none);
      return {
        participants: votes.map((vote) => ({
          ...{ vote, alive: true, decision: none, hasVoted: false },
          told: isUniform ? nothing : [],
        })),
        coordinator: {
          ...{ alive: true, asked: votes.map(() => false), votes: nothing, sent: nothing },
          decision: none,
        },
      };
    }),
    actions: (state: Commitment): readonly Deed[] => [
      ...ofCoordinator(state),
      ...all.flatMap((who) =>
        isUniform
          ? all.flatMap((other) => ofPair(state, who, other))
          : ofParticipant(state, who).map((what): Deed => [what, who, 0]),
      ),
    ],
    next: (state: Commitment, deed: Deed): Commitment => {
      const changed = coordinatorAfter(state, deed);
      if (changed) return { ...state, coordinator: { ...state.coordinator, ...changed } };
      const { participants } = state;
      return {
        ...state,
        participants: participants.with(deed[1], participantAfter(state, deed)),
      };
    },
    /** Each goes on while it can; nobody need fail, or do a thing again. */
    fair: ([what, who]: Deed): string | undefined => {
      if (what.includes('fail') || what.includes('again')) return undefined;
      return ['ask', 'count', 'give up', 'abort', 'commit', 'send'].includes(what)
        ? 'coordinator'
        : `${who}`;
    },
  };
}

// Paxos where what is sent stays: Paxos of the TLA+ examples (How to win a Turing award), whose
// model has three acceptors, two ballots and two values.

type Vote = readonly [ballot: number, value: string];
const noVote: Vote = [-1, none];

export type Ballots = {
  /** The largest ballot that each acceptor knows, and its latest vote. */
  readonly known: readonly number[];
  readonly latest: readonly Vote[];
  // What has been sent, by ballot; by acceptor its promise, with its latest vote, and its vote.
  readonly begun: readonly boolean[];
  readonly promises: readonly (readonly (Vote | null)[])[];
  readonly proposed: readonly string[];
  readonly voted: readonly (readonly boolean[])[];
};

export function paxos(ballots: number, values: readonly string[]) {
  type Action = readonly [what: string, ballot: number, who: number, value: string, reason: number];
  const acceptors = indices(3);
  const quorums = acceptors.map((absent) => acceptors.filter((who) => who !== absent));

  /** For each quorum: the promises that say that the value is safe in this ballot; null: all do. */
  const reasons = ({ promises }: Ballots, ballot: number, value: string): number =>
    quorums
      .map((quorum) => quorum.map((who) => promises[ballot]?.[who] ?? null))
      .filter((all): all is Vote[] => !all.includes(null))
      .map((all) => {
        const last = Math.max(...all.map(([voted]) => voted));
        if (last < 0) return 1;
        return all.filter(([voted, chosen]) => voted === last && chosen === value).length;
      })
      .reduce((sum, one) => sum + one, 0);

  return {
    initial: {
      known: acceptors.map(() => -1),
      latest: acceptors.map(() => noVote),
      begun: indices(ballots).map(() => false),
      promises: indices(ballots).map(() => acceptors.map(() => null)),
      proposed: indices(ballots).map(() => none),
      voted: indices(ballots).map(() => acceptors.map(() => false)),
    } as Ballots,
    actions: (state: Ballots): readonly Action[] =>
      indices(ballots).flatMap((ballot): readonly Action[] => [
        ['begin', ballot, 0, none, 0],
        ...values.flatMap((value) =>
          state.proposed[ballot] === none
            ? indices(reasons(state, ballot, value)).map(
                (reason): Action => ['propose', ballot, 0, value, reason],
              )
            : [],
        ),
        ...acceptors.flatMap((who): readonly Action[] => [
          ...(state.begun[ballot] && ballot > (state.known[who] ?? 0)
            ? [['promise', ballot, who, none, 0] as const]
            : []),
          ...(state.proposed[ballot] !== none && ballot >= (state.known[who] ?? 0)
            ? [['vote', ballot, who, none, 0] as const]
            : []),
        ]),
      ]),
    next: (state: Ballots, [what, ballot, who, value]: Action): Ballots => {
      const { known, latest, begun, promises, proposed, voted } = state;
      if (what === 'begin') return { ...state, begun: begun.with(ballot, true) };
      if (what === 'propose') return { ...state, proposed: proposed.with(ballot, value) };
      if (what === 'promise')
        return {
          ...state,
          known: known.with(who, ballot),
          promises: promises.with(ballot, promises[ballot]?.with(who, latest[who] ?? noVote) ?? []),
        };
      return {
        ...state,
        known: known.with(who, ballot),
        latest: latest.with(who, [ballot, proposed[ballot] ?? none]),
        voted: voted.with(ballot, voted[ballot]?.with(who, true) ?? []),
      };
    },
  };
}
