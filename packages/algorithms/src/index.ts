export * from './internal/protocols.js';
