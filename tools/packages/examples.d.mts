export interface Example {
  readonly page: string;
  readonly name: string;
  /** Whether its lines may come in any order. */
  readonly unordered: boolean;
  readonly language: string;
  readonly code: string;
  readonly output: string;
}
export declare const readmes: readonly string[];
export declare const pages: readonly string[];
export declare const examplesOf: (page: string) => readonly Example[];
