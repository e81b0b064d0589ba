/** What the page knows about a protocol of the catalogue before it loads it. */
export interface CatalogueRow {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  /** The first sentence of its page that no other page has. */
  readonly idea: string;
  /** Such as `Mutual exclusion: permission`. */
  readonly group: string;
  readonly problem: string;
  readonly network: string;
  /** A small network for it, as in a link. */
  readonly example: string;
  /** By role, the key of the layout of its statechart. */
  readonly charts: readonly string[];
  /** Such as `2(n−1) messages per entry`; empty where none is declared. */
  readonly cost: string;
  /** What its channels may do: `loss`, `duplication`. */
  readonly faults: readonly string[];
}

/** The specification page of a protocol. */
export interface SpecificationPage {
  /** HTML of its README, without images, charts and relative links. */
  readonly html: string;
  /** Rows of docs/verified-systems.md: system, options, states, transitions, depth, … */
  readonly verified: readonly (readonly string[])[];
}

/** What a page is given when it is written. */
export interface PageInput {
  /** Bundled modules, as `bundle` makes them. */
  readonly modules?: readonly string[];
  /** A trace, which it opens with. */
  readonly trace?: { readonly name: string; readonly text: string };
  /** The text of a link, which it opens with. */
  readonly link?: string;
  /** Where others can open a studio: links that are copied lead there. */
  readonly address?: string;
}
