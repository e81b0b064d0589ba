/**
 * What the compiler cannot express. At compile time XState takes all steps of the machine; in a
 * step, XState takes that step.
 */
export class NotCompilable extends Error {}
