/** A mistake in the texts or in the plan of the site: what is wrong, where, what to try. */
export class SiteProblem extends Error {}
