export { chart } from './mermaid.js';
export { specification } from './specification.js';
