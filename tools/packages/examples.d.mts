/** The types of examples.mjs, for the tests of packages, which are TypeScript. */

/** An example of a page: a program or a command, and what it prints. */
export interface Example {
  readonly page: string;
  readonly name: string;
  /** Whether its lines may come in any order. */
  readonly unordered: boolean;
  readonly language: string;
  readonly code: string;
  readonly output: string;
}
/** The README, and those of the packages. */
export declare const readmes: readonly string[];
/** All pages with examples. */
export declare const pages: readonly string[];
export declare const examplesOf: (page: string) => readonly Example[];
