export { type NatsOptions, natsTransport } from './nats-transport.js';
