/** A network, as far as it tells how much memory it takes. */
export interface Size {
  readonly nodes: number;
  readonly links: number;
}

/** How many nodes a network of this shape may have for `bytes(size)` to be at most `room`. Where each node has links to many others, links grow with the square. */
export function mostFitting(size: Size, bytes: (size: Size) => number, room: number): number {
  const isMesh = size.links > size.nodes ** 2 / 4;
  const linksOf = (nodes: number) => size.links * (nodes / size.nodes) ** (isMesh ? 2 : 1);
  let least = 0;
  let most = size.nodes;
  while (most - least > 1) {
    const nodes = Math.floor((least + most) / 2);
    if (bytes({ nodes, links: linksOf(nodes) }) <= room) least = nodes;
    else most = nodes;
  }
  return least;
}

/** Bytes for people, such as `8,192 MB`. */
export const megabytes = (bytes: number): string => `${Math.ceil(bytes / 2 ** 20).toLocaleString('en-US')} MB`;
