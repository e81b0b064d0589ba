/**
 * A register whose value three servers decide by Paxos, and two clients that write their own number
 * and then read: after the example `paxos` of Stateright. Messages come in any order, each once; one
 * that its receiver ignores stays. Each client's part of the history is in its state.
 */
import { indices } from './published.contract.js';

type Ballot = readonly [round: number, server: number];
/** What a server has accepted: a ballot, and the client whose number it is. */
type Accepted = readonly [ballot: Ballot, client: number] | null;

type Server = {
  readonly ballot: Ballot;
  /** Of a leader: the client whose number it proposes, and the answers that it has. */
  readonly proposal: number | null;
  readonly promises: readonly (readonly [server: number, accepted: Accepted])[];
  readonly accepts: readonly number[];
  readonly accepted: Accepted;
  readonly isDecided: boolean;
};

type Client = {
  /** It has written, and read. */
  readonly finished: number;
  /** How many operations of the other one were over when it began to read; and what it read. */
  readonly before: number;
  readonly read: number | null;
};

type Letter = {
  readonly from: number;
  readonly to: number;
  readonly type: string;
  readonly ballot: Ballot | null;
  readonly accepted: Accepted;
  readonly client: number | null;
};

export type Register = {
  readonly servers: readonly Server[];
  readonly clients: readonly Client[];
  readonly letters: readonly Letter[];
};

type Reaction<Node> = readonly [after: Node, sent: readonly Letter[]] | undefined;

const servers = indices(3);
const clients = [3, 4];
const majority = 2;

const isBelow = ([round, server]: Ballot, [other, rival]: Ballot): boolean =>
  round < other || (round === other && server < rival);

const letter = (from: number, to: number, type: string, carried: Partial<Letter> = {}): Letter => ({
  from,
  to,
  type,
  ballot: null,
  accepted: null,
  client: null,
  ...carried,
});

/** The one with the largest ballot. */
const latest = (promises: Server['promises']): Accepted =>
  promises
    .map(([, accepted]) => accepted)
    .reduce((most, one) => (one && (!most || isBelow(most[0], one[0])) ? one : most), null);

const withServer = <T extends readonly [number, ...unknown[]]>(
  all: readonly T[],
  added: T,
): readonly T[] => [...all.filter(([id]) => id !== added[0]), added].sort(([a], [b]) => a - b);

function serverStep(self: number, server: Server, received: Letter): Reaction<Server> {
  const { from, type, ballot, accepted, client } = received;
  const others = servers.filter((id) => id !== self);
  const toOthers = (what: string, carried: Partial<Letter>) =>
    others.map((to) => letter(self, to, what, carried));
  const answer = (what: string, carried: Partial<Letter>) => [letter(self, from, what, carried)];
  if (type === 'get')
    return server.isDecided
      ? [server, answer('value', { client: server.accepted?.[1] ?? null })]
      : undefined;
  if (server.isDecided) return undefined;
  if (type === 'put') {
    if (server.proposal !== null) return undefined;
    const own: Ballot = [server.ballot[0] + 1, self];
    const promises = [[self, server.accepted] as const];
    return [
      { ...server, ballot: own, proposal: from, promises, accepts: [] },
      toOthers('prepare', { ballot: own }),
    ];
  }
  if (ballot === null) return undefined;
  const isOwn = ballot.join() === server.ballot.join();
  if (type === 'prepare' && isBelow(server.ballot, ballot))
    return [{ ...server, ballot }, answer('promise', { ballot, accepted: server.accepted })];
  if (type === 'promise' && isOwn) {
    const promises = withServer(server.promises, [from, accepted]);
    if (promises.length !== majority) return [{ ...server, promises }, []];
    const proposal = latest(promises)?.[1] ?? server.proposal ?? from;
    return [
      { ...server, promises, proposal, accepted: [ballot, proposal], accepts: [self] },
      toOthers('accept', { ballot, client: proposal }),
    ];
  }
  if (type === 'accept' && !isBelow(ballot, server.ballot))
    return [
      { ...server, ballot, accepted: [ballot, client ?? from] },
      answer('accepted', { ballot }),
    ];
  if (type === 'accepted' && isOwn) {
    const accepts = withServer(
      server.accepts.map((id) => [id] as const),
      [from],
    ).map(([id]) => id);
    const chosen = server.proposal ?? from;
    return accepts.length === majority
      ? [
          { ...server, accepts, isDecided: true },
          [...toOthers('decided', { ballot, client: chosen }), letter(self, chosen, 'written')],
        ]
      : [{ ...server, accepts }, []];
  }
  if (type === 'decided')
    return [{ ...server, ballot, accepted: [ballot, client ?? from], isDecided: true }, []];
  return undefined;
}

function clientStep(self: number, all: readonly Client[], received: Letter): Reaction<Client> {
  const { type, client } = received;
  const [me, other] = self === clients[0] ? all : all.toReversed();
  if (!me || !other) return undefined;
  if (type === 'written' && me.finished === 0)
    return [
      { ...me, finished: 1, before: other.finished },
      [letter(self, (self + 1) % servers.length, 'get')],
    ];
  return type === 'value' && me.finished === 1
    ? [{ ...me, finished: 2, read: client }, []]
    : undefined;
}

const textOf = (one: Letter): string => JSON.stringify(one);

/** The state after a letter, or undefined if its receiver ignores it. */
function delivered(state: Register, received: Letter): Register | undefined {
  const { to } = received;
  const text = textOf(received);
  const at = state.letters.findIndex((one) => textOf(one) === text);
  const after = (sent: readonly Letter[], changed: Partial<Register>): Register => {
    const left = [...state.letters.toSpliced(at, 1), ...sent];
    return { ...state, ...changed, letters: left.sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1)) };
  };
  const server = state.servers[to];
  if (!server) {
    const reaction = clientStep(to, state.clients, received);
    const place = clients.indexOf(to);
    return reaction && after(reaction[1], { clients: state.clients.with(place, reaction[0]) });
  }
  const reaction = serverStep(to, server, received);
  return reaction && after(reaction[1], { servers: state.servers.with(to, reaction[0]) });
}

export const register = {
  initial: {
    servers: servers.map(() => ({
      ...{ ballot: [0, 0], proposal: null, promises: [], accepts: [], accepted: null },
      isDecided: false,
    })),
    clients: clients.map(() => ({ finished: 0, before: 0, read: null })),
    letters: clients.map((id) => letter(id, id % servers.length, 'put')),
  } as Register,
  actions: (state: Register): readonly Letter[] =>
    state.letters.filter(
      (one, at) =>
        textOf(one) !== textOf(state.letters[at - 1] ?? letter(-1, -1, '')) &&
        delivered(state, one) !== undefined,
    ),
  next: (state: Register, received: Letter): Register => delivered(state, received) ?? state,
};
