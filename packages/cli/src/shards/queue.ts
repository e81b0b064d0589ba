/**
 * A queue of shards in NATS JetStream. One stream holds what is to be done, for all sweeps; a
 * message leaves it when its result is stored. The results of a sweep are objects in a bucket.
 */
import { createHash } from 'node:crypto';
import type * as JetStream from '@nats-io/jetstream';
import type * as Objects from '@nats-io/obj';
import type * as Nats from '@nats-io/transport-node';
import { badInput, isConclaveError, messageOf, oneLine } from '../errors.js';
import type { Identity, Shard } from './identity.js';

/** A shard that a worker is to do. */
export interface Task {
  readonly sweep: string;
  readonly shard: Shard;
  readonly identity: Identity;
  /** Of the command line, for the hash of sources. */
  readonly name: string;
  readonly topology?: string;
}

/** The same sweep, divided in the same way: its results are the same. */
export const sweepId = (identity: Identity, of: number): string =>
  createHash('sha256')
    .update(JSON.stringify([identity, of]))
    .digest('hex')
    .slice(0, 24);

const stream = 'conclave-shards';
const consumerName = 'workers';
const allSubjects = 'conclave.shards.>';
const subject = (sweep: string, index: number | '*') => `conclave.shards.${sweep}.${index}`;
const bucketName = (sweep: string) => `conclave-${sweep}`;
const resultSubjects = (sweep: string) => `$O.${bucketName(sweep)}.M.`;
export const stopSubject = (sweep: string) => `conclave.stop.${sweep}`;
export const refusalSubject = (sweep: string) => `conclave.refusal.${sweep}`;

/** In nanoseconds. A worker that is silent for so long has died. */
const ackWait = 30_000_000_000;
/** In milliseconds: a week. */
const resultsLast = 7 * 24 * 3_600_000;

interface Clients {
  readonly connection: Nats.NatsConnection;
  readonly js: JetStream.JetStreamClient;
  readonly manager: JetStream.JetStreamManager;
  readonly buckets: Objects.Objm;
}

/** @throws {ConclaveError} `bad-input`: no client, no server, or one without JetStream. */
export async function openQueue(address: string): Promise<Queue> {
  const [nats, jetstream, objects] = await clientModules();
  const connection = await connected(nats, address);
  try {
    const js = jetstream.jetstream(connection);
    const manager = await jetstream.jetstreamManager(connection);
    const queue = new Queue({ connection, js, manager, buckets: new objects.Objm(js) });
    await queue.prepare();
    return queue;
  } catch (error) {
    await connection.close();
    throw badInput(
      `The queue cannot be used: ${oneLine(messageOf(error))}`,
      'Start the server with JetStream: nats-server -js --store_dir FOLDER.',
      error,
    );
  }
}

/** Optional peers: only a queue needs them. */
async function clientModules() {
  try {
    return await Promise.all([
      import('@nats-io/transport-node'),
      import('@nats-io/jetstream'),
      import('@nats-io/obj'),
    ]);
  } catch (error) {
    throw badInput(
      'A queue needs the client of NATS, which is not installed',
      'Install it: npm install @nats-io/transport-node @nats-io/jetstream @nats-io/obj',
      error,
    );
  }
}

async function connected(nats: typeof Nats, address: string): Promise<Nats.NatsConnection> {
  if (!URL.canParse(address) || !/^(nats|tls):$/.test(new URL(address).protocol))
    throw badInput(`'${address}' is no queue`, 'Write it as nats://127.0.0.1:4222.');
  const { host, username, password, protocol } = new URL(address);
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)];
  try {
    return await nats.connect({
      servers: `${protocol}//${host}`,
      ...{ name: 'conclave', maxReconnectAttempts: -1, reconnectTimeWait: 250, pingInterval: 5000 },
      ...(pass ? { user, pass } : user ? { token: user } : {}),
    });
  } catch (error) {
    throw badInput(
      `The queue at ${protocol}//${host} does not answer: ${oneLine(messageOf(error))}`,
      'Is it running? Start one: nats-server -js --store_dir FOLDER.',
      error,
    );
  }
}

export class Queue {
  constructor(private readonly clients: Clients) {}

  get connection(): Nats.NatsConnection {
    return this.clients.connection;
  }

  close(): Promise<void> {
    return this.clients.connection.close();
  }

  /** Makes the stream and its consumer where they are missing. What is there keeps its settings. */
  async prepare(): Promise<void> {
    const { streams, consumers } = this.clients.manager;
    if (!(await streams.info(stream).catch(orMissing(streamMissing))))
      await streams.add({ name: stream, subjects: [allSubjects], retention: 'workqueue' });
    if (!(await consumers.info(stream, consumerName).catch(orMissing(consumerMissing))))
      await consumers.add(stream, {
        durable_name: consumerName,
        ack_policy: 'explicit',
        ack_wait: ackWait,
        max_deliver: -1,
      });
  }

  /** The consumer, and how long it waits for a sign of life, in milliseconds. */
  async consumer(): Promise<{ readonly consumer: JetStream.Consumer; readonly ackWaitMs: number }> {
    const consumer = await this.clients.js.consumers.get(stream, consumerName);
    const { config } = await consumer.info(true);
    return { consumer, ackWaitMs: (config.ack_wait ?? ackWait) / 1_000_000 };
  }

  /** How many shards are at work, of all sweeps. */
  async atWork(): Promise<number> {
    return (await this.clients.manager.consumers.info(stream, consumerName)).num_ack_pending;
  }

  async add(task: Task): Promise<void> {
    await this.clients.js.publish(subject(task.sweep, task.shard.index), JSON.stringify(task));
  }

  /** The shards of a sweep that are to be done, those at work included. */
  async queued(sweep: string): Promise<ReadonlySet<number>> {
    const filter = subject(sweep, '*');
    // a server without its store has neither: done() says so
    const subjects = await this.#subjects(stream, filter).catch(orMissing(streamMissing));
    return new Set((subjects ?? []).map((name) => Number(name.slice(filter.length - 1))));
  }

  /** Takes shards of a sweep from the queue: one, or all. Workers go on with those they have. */
  async remove(sweep: string, index: number | '*' = '*'): Promise<void> {
    await this.clients.manager.streams.purge(stream, { filter: subject(sweep, index) });
  }

  /** Makes the place for the results of a sweep. */
  async open(sweep: string): Promise<void> {
    await this.clients.buckets.create(bucketName(sweep), { ttl: resultsLast * 1_000_000 });
  }

  /** The shards whose results are stored; undefined where the place for them is gone. */
  async done(sweep: string): Promise<ReadonlySet<number> | undefined> {
    const prefix = resultSubjects(sweep);
    const subjects = await this.#subjects(`OBJ_${bucketName(sweep)}`, `${prefix}*`).catch(
      orMissing(streamMissing),
    );
    return (
      subjects &&
      new Set(subjects.map((name) => Number(Buffer.from(name.slice(prefix.length), 'base64url'))))
    );
  }

  /** Stores the result of a shard, which is the same whoever does it. */
  async store(sweep: string, index: number, text: string): Promise<void> {
    const bucket = await this.clients.buckets.open(bucketName(sweep));
    await bucket.putBlob({ name: String(index) }, Buffer.from(text));
  }

  async result(sweep: string, index: number): Promise<string> {
    const bucket = await this.clients.buckets.open(bucketName(sweep));
    const bytes = await bucket.getBlob(String(index));
    if (!bytes) throw new Error(`Shard ${index} has no result`); // done() has named it
    return Buffer.from(bytes).toString();
  }

  /** Removes everything that belongs to a sweep. */
  async forget(sweep: string): Promise<void> {
    await this.remove(sweep);
    const bucket = await this.clients.buckets.open(bucketName(sweep));
    await bucket.destroy();
  }

  async #subjects(name: string, filter: string): Promise<readonly string[]> {
    const { state } = await this.clients.manager.streams.info(name, { subjects_filter: filter });
    return Object.keys(state.subjects ?? {});
  }
}

const streamMissing = 10059;
const consumerMissing = 10014;

/** For `catch`: undefined where the server says that this is missing. */
const orMissing =
  (code: number) =>
  (error: unknown): undefined => {
    if (!(error instanceof Error && 'code' in error && error.code === code)) throw error;
  };

/**
 * Does `act`, again and again while the server cannot be reached. Undefined: interrupted.
 * It is tried once in any case.
 *
 * @param onTrouble called once, with why
 */
export async function patiently<T>(
  act: () => Promise<T>,
  interrupted: () => boolean,
  onTrouble: (why: string) => void = () => {},
): Promise<T | undefined> {
  for (let attempt = 0; attempt === 0 || !interrupted(); attempt++) {
    try {
      return await act();
    } catch (error) {
      if (isConclaveError(error)) throw error;
      if (attempt === 0) onTrouble(oneLine(messageOf(error)));
      await sleep(250);
    }
  }
  return undefined;
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));
