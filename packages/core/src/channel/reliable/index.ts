export { reliableLink } from './protocol.js';
export { reliable } from './reliable.js';
