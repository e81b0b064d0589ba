export { type RedisOptions, redisTransport } from './redis-transport.js';
