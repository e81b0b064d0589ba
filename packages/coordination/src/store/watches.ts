/**
 * How the stores of servers tell of writes: by what each server has for that, over a connection of its
 * own where the server wants one. It is opened when the first program waits, serves all names, and is
 * closed when nobody waits any longer.
 *
 * What is told is a hint: a connection that is lost ends the watch, and whoever waits reads the row
 * until there is another one.
 */
import { filter, finalize, map, Observable, Subject, shareReplay, switchMap } from 'rxjs';
import type { Store } from './store.js';

type Watch = NonNullable<Store['watch']>;
type Told = ReturnType<Watch>;

/** One subscription of each name, over one connection for all. */
function overOne<Connection>(
  connection$: Observable<Connection>,
  listen: (connection: Connection, name: string) => Told,
): Watch {
  const last = { bufferSize: 1, refCount: true };
  const shared$ = connection$.pipe(shareReplay(last));
  const names = new Map<string, Told>();
  return (name) => {
    const told$ =
      names.get(name) ??
      shared$.pipe(
        switchMap((connection) => listen(connection, name)),
        finalize(() => names.delete(name)),
        shareReplay(last),
      );
    names.set(name, told$);
    return told$;
  };
}

/** What a store needs of a `Pool` of `pg`, or of a client: only a pool is watched by. */
export interface PostgresClient {
  query(
    text: string,
    values: unknown[],
  ): Promise<{ readonly rows: readonly object[]; readonly rowCount: number | null }>;
  /** Of a pool: a connection for one program alone. */
  connect?(): Promise<unknown>;
  /** Of a pool: how many connections it has at most. */
  readonly options?: { readonly max?: number };
}

type Query = PostgresClient['query'];

interface PostgresConnection {
  readonly query: Query;
  readonly processID?: number;
  on(event: string, listener: (told: { channel?: string; payload?: string }) => void): unknown;
  release(isEnded: boolean): void;
}

const isConnection = (value: unknown): value is PostgresConnection =>
  ['query', 'on', 'release'].every((name) => typeof Object(value)[name] === 'function');

/** In bytes. */
const [longestChannel, longestPayload] = [63, 7_999];

/** Long names may share a channel. */
export const channelOf = (table: string, key: string): string =>
  `${table}.${key}`.slice(0, longestChannel);

/** What a write of `text` notifies. A text that is too long is left out. */
export function payloadOf(name: string, text: string): string {
  const payload = JSON.stringify({ name, text });
  return new TextEncoder().encode(payload).length > longestPayload ? '{}' : payload;
}

/** Those of others have another first number. */
const advisoryLock = '1129270851, hashtext';

/**
 * Returns a row where `write` has written, and notifies the channel $3 of $4 where somebody listens: all
 * transactions that notify commit one after the other, which a lock that nobody waits for must not
 * cost. A program that listens shares an advisory lock, which this one then does not get. Otherwise it
 * gets it until it has committed; a program that begins to listen waits for that, and looks then.
 */
export const notifying = (write: string): string =>
  `WITH written AS (${write} RETURNING 1) SELECT (SELECT pg_notify($3, $4) WHERE NOT pg_try_advisory_xact_lock(${advisoryLock}($3))) FROM written`;

interface Listening {
  /** One after the other, as a connection of `pg` wants it. */
  readonly query: Query;
  readonly notification$: Observable<{ readonly channel?: string; readonly payload?: string }>;
}

/**
 * By `LISTEN`, on a connection of the pool. Not where the pool has no second one, and not through a
 * pooler: that gives each transaction another process of the server, and none of these listens for
 * long. By what it was told at its start, the connection then has another process than it has.
 */
const listening = (pool: PostgresClient): Observable<Listening> =>
  new Observable((subscriber) => {
    const open = async () => {
      if (!pool.connect || !((pool.options?.max ?? 1) > 1)) return subscriber.complete();
      const connection = await pool.connect();
      if (!isConnection(connection)) return subscriber.complete();
      subscriber.add(() => connection.release(true));
      if (subscriber.closed) return;
      const notification$ = new Subject<{ channel?: string; payload?: string }>();
      connection.on('notification', (told) => notification$.next(told));
      for (const event of ['error', 'end'])
        connection.on(event, () => subscriber.error(new Error('the connection has ended')));
      const { rows } = await connection.query('SELECT pg_backend_pid() AS pid', []);
      if (Object(rows[0]).pid !== connection.processID) return subscriber.complete();
      let last: Promise<unknown> = Promise.resolve();
      const query: Query = (...words) => {
        const next = last.then(() => connection.query(...words));
        last = next.catch(() => {}); // its caller is told
        return next;
      };
      subscriber.next({ query, notification$ });
    };
    open().catch((error) => subscriber.error(error));
  });

/** @param channel of a name */
export const watchPostgres = (pool: PostgresClient, channel: (name: string) => string): Watch =>
  overOne(
    listening(pool),
    ({ query, notification$ }, name) =>
      new Observable((subscriber) => {
        const its = channel(name);
        subscriber.add(
          notification$
            .pipe(
              filter((told) => told.channel === its),
              map(({ payload = '{}' }) => Object(JSON.parse(payload))),
              filter((told) => told.name === undefined || told.name === name),
              map(({ text }) => (typeof text === 'string' ? text : undefined)),
            )
            .subscribe(subscriber),
        );
        const say = (listen: string, lock: string) =>
          Promise.all([
            query(`${listen} "${its}"`, []),
            query(`SELECT pg_advisory_${lock}_shared(${advisoryLock}($1))`, [its]),
          ]);
        say('LISTEN', 'lock').then(
          () => subscriber.next(undefined),
          (error) => subscriber.error(error),
        );
        return () => void say('UNLISTEN', 'unlock').catch(() => {}); // it may have ended
      }),
  );

/** What a store needs of a client of `redis`. */
export interface RedisClient {
  get(key: string): Promise<string | null>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  /** For what is published: a client that subscribes does nothing else. */
  duplicate?(): {
    connect(): Promise<unknown>;
    on(event: 'error', listener: (error: unknown) => void): unknown;
    subscribe(channel: string, listener: (text: string) => unknown): Promise<unknown>;
    unsubscribe(channel: string, listener: (text: string) => unknown): Promise<unknown>;
    destroy(): void;
  };
}

type RedisSubscriber = ReturnType<NonNullable<RedisClient['duplicate']>>;

/** By what each write publishes, on a connection beside that of the client. */
const subscribing = (client: RedisClient): Observable<RedisSubscriber> =>
  new Observable((subscriber) => {
    const own = client.duplicate?.();
    if (!own) return subscriber.complete();
    const fail = (error: unknown) => subscriber.error(error);
    own.on('error', fail);
    own.connect().then(() => subscriber.next(own), fail);
    return () => own.destroy();
  });

/** @param prefix of the keys, which are the channels, too */
export const watchRedis = (client: RedisClient, prefix: string): Watch =>
  overOne(
    subscribing(client),
    (own, name) =>
      new Observable((subscriber) => {
        const hear = (text: string) => subscriber.next(text);
        own.subscribe(prefix + name, hear).then(
          () => subscriber.next(undefined),
          (error) => subscriber.error(error),
        );
        return () => void own.unsubscribe(prefix + name, hear).catch(() => {}); // it may have ended
      }),
  );

/** What a store needs of a bucket of `@nats-io/kv`. */
export interface NatsBucket {
  get(
    key: string,
  ): Promise<{ readonly revision: number; readonly operation: string; string(): string } | null>;
  create(key: string, text: string): Promise<number>;
  update(key: string, text: string, revision: number): Promise<number>;
  watch?(options: {
    key: string;
  }): Promise<
    { stop(): void } & AsyncIterable<NonNullable<Awaited<ReturnType<NatsBucket['get']>>>>
  >;
}

type Entry = NonNullable<Awaited<ReturnType<NatsBucket['get']>>>;

/** Otherwise the server keeps it for five minutes. Only the client knows its name. */
async function endConsumer(entries: object): Promise<void> {
  await Object(entries)
    ._data?.delete?.()
    .catch(() => {}); // the connection may have ended
}

/** By a consumer of the bucket for each name that is waited for. */
export const watchNats = (bucket: NatsBucket, key: string, saw: (entry: Entry) => void): Told =>
  new Observable((subscriber) => {
    const follow = async () => {
      const entries = await bucket.watch?.({ key });
      if (!entries) return subscriber.complete();
      subscriber.add(() => {
        entries.stop();
        void endConsumer(entries);
      });
      subscriber.next(undefined);
      for await (const entry of entries) {
        saw(entry);
        subscriber.next(entry.operation === 'PUT' ? entry.string() : undefined);
      }
      subscriber.error(new Error('the watch has ended'));
    };
    follow().catch((error) => subscriber.error(error));
  });
