/** Stores for a lock with one row, and for the ticks of jobs: `@conclave/coordination/store`. */
export { memoryStore, type Store } from './store/store.js';
export type { StoreElectionOptions } from './store/store-election.js';
export type { StoreLockOptions } from './store/store-lock.js';
export { natsStore, postgresStore, redisStore, sqliteStore } from './store/stores.js';
export type { NatsBucket, PostgresClient, RedisClient } from './store/watches.js';
