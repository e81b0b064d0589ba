/** The size of a network. */
export interface Size {
  readonly nodes: number;
  readonly links: number;
}

/**
 * The most nodes for which a network of this shape needs at most `free` bytes. In a dense network,
 * links grow with the square of the nodes.
 */
export function mostFitting(size: Size, bytes: (size: Size) => number, free: number): number {
  const isMesh = size.links > size.nodes ** 2 / 4;
  const linksOf = (nodes: number) => size.links * (nodes / size.nodes) ** (isMesh ? 2 : 1);
  let least = 0;
  let most = size.nodes;
  while (most - least > 1) {
    const nodes = Math.floor((least + most) / 2);
    if (bytes({ nodes, links: linksOf(nodes) }) <= free) least = nodes;
    else most = nodes;
  }
  return least;
}

/** Bytes in readable form, such as `8,192 MB`. */
export const megabytes = (bytes: number): string =>
  `${Math.ceil(bytes / 2 ** 20).toLocaleString('en-US')} MB`;
