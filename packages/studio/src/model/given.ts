/** What a page is given when it is written. */
export interface Given {
  /** Bundled modules, as `bundle` makes them. */
  readonly modules?: readonly string[];
  /** A trace, which it opens with. */
  readonly trace?: { readonly name: string; readonly text: string };
  /** The text of a link, which it opens with. */
  readonly link?: string;
  /** Where others can open a studio: links that are copied lead there. */
  readonly address?: string;
}
