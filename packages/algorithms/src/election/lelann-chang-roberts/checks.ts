export { mutants } from '../ring-checks.js';
