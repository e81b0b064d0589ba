/**
 * A register that a majority of servers keeps: Attiya, Bar-Noy and Dolev, *Sharing memory robustly in
 * message-passing systems* (1995), for several writers. Who reads or writes asks a majority for their
 * values; a majority then records the newest one, or the written one with a larger number.
 */
import type { PlainSystem } from '../plain/plain-system.js';
import type { Operation } from './linearizable.js';
import type { RegisterInput } from './sequential.js';

type Tag = readonly [number: number, server: number];
type Value = string | null;
type Answer = readonly [from: number, tag: Tag, value: Value];
interface Phase {
  readonly [field: string]: string | number | boolean | null | readonly Answer[];
  readonly kind: 'asks' | 'records';
  readonly client: number;
  /** What is written, or what a read has found. */
  readonly value: Value;
  readonly isRead: boolean;
  readonly answers: readonly Answer[];
}
interface Server {
  readonly [field: string]: Tag | Value | Phase;
  readonly tag: Tag;
  readonly value: Value;
  readonly phase: Phase | null;
}
type Message = readonly [type: string, value?: Value, tag?: Tag];
type Sent = readonly [from: number, to: number, message: Message];
/** An operation; `before`: how many of each client had ended when it began. */
interface Begun {
  readonly [field: string]: number | Value | boolean | readonly number[];
  readonly client: number;
  readonly writes: Value;
  readonly before: readonly number[];
  readonly ended: boolean;
  readonly read: Value;
}
export interface Registers {
  readonly [field: string]: readonly Server[] | readonly Begun[] | readonly string[];
  readonly servers: readonly Server[];
  readonly history: readonly Begun[];
  /** Each a {@link Sent}, as a text, in their order: the network is a bag. */
  readonly network: readonly string[];
}

const isNewer = ([number, server]: Tag, [other, its]: Tag): boolean =>
  number > other || (number === other && server > its);

/** What `self` makes of a message, and sends; undefined where the message waits. */
function taken(self: number, count: number, is: Server, [from, , message]: Sent, keeps: boolean) {
  const [type, value = null, tag = [0, 0]] = message;
  const out: Sent[] = [];
  const reply = (to: number, ...sent: Message) => out.push([self, to, sent]);
  const others = (...sent: Message) => {
    for (let to = 0; to < count; to++) if (to !== self) reply(to, ...sent);
  };
  const kept = isNewer(tag, is.tag) ? { tag, value } : { tag: is.tag, value: is.value };
  const { phase } = is;
  if (type === 'ask') reply(from, 'newest', is.value, is.tag);
  if (type === 'record') {
    reply(from, 'recorded');
    return { after: { ...kept, phase }, out };
  }
  if (type === 'read' || type === 'write') {
    if (phase) return undefined;
    others('ask');
    const answers: readonly Answer[] = [[self, is.tag, is.value]];
    const asks: Phase = { kind: 'asks', client: from, value, isRead: type === 'read', answers };
    return { after: { ...is, phase: asks }, out };
  }
  const isAnswer = type === (phase?.kind === 'asks' ? 'newest' : 'recorded');
  if (!phase || !isAnswer) return { after: is, out };
  const answers = [...phase.answers, [from, tag, value] as const].sort(([a], [b]) => a - b);
  if (answers.length <= count / 2) return { after: { ...is, phase: { ...phase, answers } }, out };
  const { client, isRead } = phase;
  const ends = phase.kind === 'records' || (isRead && !keeps);
  const newest = answers.reduce((a, b) => (isNewer(b[1], a[1]) ? b : a));
  const found = phase.kind === 'asks' && isRead ? newest[2] : phase.value;
  if (ends) {
    reply(client, isRead ? 'value' : 'written', found);
    return { after: { ...is, phase: null }, out };
  }
  const its: Tag = isRead ? newest[1] : [newest[1][0] + 1, self];
  others('record', found, its);
  const records: Phase = {
    ...phase,
    kind: 'records',
    value: found,
    answers: [[self, [0, 0], null]],
  };
  const mine = isNewer(its, is.tag) ? { tag: its, value: found } : { tag: is.tag, value: is.value };
  return { after: { ...mine, phase: records }, out };
}

/** @param scripts what each client does, one after the other: writes a letter, or reads (null) */
export function majorityRegister(
  count: number,
  scripts: readonly (readonly Value[])[],
  { recordsReads }: { readonly recordsReads: boolean },
): PlainSystem<Registers, string> {
  const endedOf = (history: readonly Begun[]) =>
    scripts.map((_, client) => history.filter((one) => one.ended && one.client === client).length);
  /** With the next operation of a client that has ended one, at the next server. */
  const begins = (client: number, history: readonly Begun[], network: readonly string[]) => {
    const ended = endedOf(history);
    const index = ended[client] ?? 0;
    const writes = scripts[client]?.[index];
    if (writes === undefined) return { history, network };
    const begun = { client, writes, before: ended.with(client, 0), ended: false, read: null };
    const message = writes === null ? (['read'] as const) : (['write', writes] as const);
    const sent: Sent = [count + client, (count + client + index) % count, message];
    return {
      history: [...history, begun].sort((one, other) => one.client - other.client),
      network: [...network, JSON.stringify(sent)].sort(),
    };
  };
  const next = ({ servers, history, network }: Registers, sent: string): Registers | undefined => {
    const message: Sent = JSON.parse(sent);
    const [, to, [, read = null]] = message;
    const rest = network.toSpliced(network.indexOf(sent), 1);
    const server = servers[to];
    if (server) {
      const result = taken(to, count, server, message, recordsReads);
      if (!result) return undefined;
      const arrived = [...rest, ...result.out.map((each) => JSON.stringify(each))].sort();
      return { servers: servers.with(to, result.after), history, network: arrived };
    }
    const client = to - count;
    const ended = history.map((one) =>
      one.client === client && !one.ended ? { ...one, ended: true, read } : one,
    );
    return { servers, ...begins(client, ended, rest) };
  };
  const servers = Array.from({ length: count }, (): Server => ({ ...empty }));
  const begun = scripts.reduce(
    ({ history, network }, _, client) => begins(client, history, network),
    { history: [] as readonly Begun[], network: [] as readonly string[] },
  );
  return {
    initial: { servers, ...begun },
    actions: (state) =>
      [...new Set(state.network)].filter((sent) => next(state, sent) !== undefined),
    next: (state, sent) => next(state, sent) ?? state,
  };
}

const empty: Server = { tag: [0, 0], value: null, phase: null };

/** On a clock that counts ends: what had ended before an operation began did so before its start. */
export function operationsOf(history: readonly Begun[]): readonly Operation<RegisterInput>[] {
  const timed = history.map((one, at) => {
    const index = history.slice(0, at).filter(({ client }) => client === one.client).length;
    return { ...one, index, start: index + one.before.reduce((sum, ended) => sum + ended, 0) };
  });
  return timed.map(({ client, index, writes, ended, read, start }) => {
    const later = timed
      .filter(
        (other) => (other.client === client ? other.index : (other.before[client] ?? 0)) > index,
      )
      .map((other) => other.start - 0.5);
    return {
      process: String(client),
      input: writes === null ? { type: 'read' } : { type: 'write', value: writes },
      start,
      ...(ended && { output: read, end: Math.min(history.length + 1, ...later) }),
    };
  });
}
