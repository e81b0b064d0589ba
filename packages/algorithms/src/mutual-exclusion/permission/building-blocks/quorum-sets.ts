/**
 * Quorum sets: for each node the nodes whose votes it needs, such that any two of these sets meet.
 */
import { ConclaveError, type NodeId } from '@conclave/core/protocol';

/** The quorum of each node, beginning with the node itself. */
export type QuorumSets = ReadonlyMap<NodeId, readonly NodeId[]>;

/**
 * `plane`: only where {@link planeOrder} knows one. `best`: the plane where there is one, else
 * `grid`.
 */
export type QuorumKind = 'best' | 'plane' | 'grid' | 'majority';

export const quorumKinds: readonly QuorumKind[] = ['best', 'plane', 'grid', 'majority'];

/** The quorum sets of this kind; `plane` throws as {@link projectivePlane} does. */
export function quorumSets(kind: QuorumKind, nodes: readonly NodeId[]): QuorumSets {
  if (kind === 'majority') return majority(nodes);
  return kind === 'plane' || (kind === 'best' && planeOrder(nodes.length) !== undefined)
    ? projectivePlane(nodes)
    : grid(nodes);
}

/**
 * Row and column of each node in a grid that is as square as possible, filled row by row; about 2√n
 * nodes. The last row may be short: of any two nodes, the column of the lower one crosses the row
 * of the other.
 */
export function grid(nodes: readonly NodeId[]): QuorumSets {
  const columns = Math.ceil(Math.sqrt(nodes.length));
  const row = (index: number) => Math.floor(index / columns);
  const crosses = (index: number) => (other: number) =>
    row(other) === row(index) || other % columns === index % columns;
  return quorumsBy(nodes, (index) => [...nodes.keys()].filter(crosses(index)));
}

/** Each node and its successors in cyclic order: ⌈(n+1)/2⌉ nodes, more than half of all. */
export function majority(nodes: readonly NodeId[]): QuorumSets {
  const most = Math.ceil((nodes.length + 1) / 2);
  return quorumsBy(nodes, (index) =>
    Array.from({ length: most }, (_, step) => (index + step) % nodes.length),
  );
}

/**
 * The lines of a finite projective plane, one for each of its q²+q+1 points: each has q+1 points,
 * any two meet in exactly one, and each point is on q+1 lines (J. Singer: A Theorem in Finite
 * Projective Geometry, Trans. AMS 43, 1938). No smaller quorum sets of equal size and equal load
 * exist.
 *
 * @throws {ConclaveError} `bad-input` where {@link planeOrder} knows no plane with this number of
 * points.
 */
export function projectivePlane(nodes: readonly NodeId[]): QuorumSets {
  const n = nodes.length;
  const q = planeOrder(n);
  if (q === undefined)
    throw new ConclaveError(
      'bad-input',
      `There is no known projective plane for ${n} nodes`,
      'It takes q²+q+1 nodes, q a power of a prime: 3, 7, 13, 21, 31, 57 …; grid and majority take any number.',
    );
  const differences = differenceSet(q);
  return quorumsBy(nodes, (index) => differences.map((difference) => (index + difference) % n));
}

/**
 * The q with n = q²+q+1, where q is a power of a prime, or 1: the triangle, whose lines are its
 * three sides. Undefined for other n: no plane of another order is known.
 */
export function planeOrder(n: number): number | undefined {
  const q = Math.floor(Math.sqrt(n)); // since q² < q²+q+1 < (q+1)²
  return q * q + q + 1 === n && (q === 1 || primePower(q)) ? q : undefined;
}

/**
 * From indices to ids: the node itself first, the others in their order in the network, whatever
 * the construction.
 */
function quorumsBy(
  nodes: readonly NodeId[],
  indicesOf: (index: number) => readonly number[],
): QuorumSets {
  return new Map(
    nodes.map((id, index) => {
      const indices = new Set(indicesOf(index));
      return [id, [id, ...nodes.filter((other, at) => other !== id && indices.has(at))]];
    }),
  );
}

/** q = p^k, p a prime and k ≥ 1. */
interface PrimePower {
  readonly p: number;
  readonly k: number;
}

function primePower(q: number): PrimePower | undefined {
  let p = 2;
  while (p < q && q % p !== 0) p++;
  const k = Math.round(Math.log(q) / Math.log(p));
  return q > 1 && p ** k === q ? { p, k } : undefined;
}

const differenceSets = new Map<number, readonly number[]>([[1, [0, 1]]]);

/**
 * q+1 numbers below n = q²+q+1, one of them 0, whose differences modulo n are 1 … n−1, each once.
 * The points of the plane are the non-zero elements of GF(q³); elements that differ by a factor
 * from GF(q) are the same point. So point i is gⁱ for a primitive element g, and i counts modulo n.
 * The numbers are the points on the line through 1 and g: 1, and g + a for each a of GF(q).
 */
function differenceSet(q: number): readonly number[] {
  const found = differenceSets.get(q);
  if (found) return found;
  const field = primePower(q);
  if (!field) throw new Error(`unreachable: ${q} is no power of a prime`);
  const n = q * q + q + 1;
  const { p, k } = field;
  const powers = powersOfPrimitive(p, 3 * k);
  const exponents = new Map(powers.map((element, exponent) => [element.join(), exponent]));
  const [, g = []] = powers;
  const small = [g.map(() => 0), ...powers.filter((_, exponent) => exponent % n === 0)]; // GF(q)
  const line = small.map(
    (a) => exponents.get(g.map((digit, at) => (digit + (a[at] ?? 0)) % p).join()) ?? 0,
  );
  const differences = [0, ...line.map((exponent) => exponent % n)];
  differenceSets.set(q, differences);
  return differences;
}

/**
 * All non-zero elements of GF(p^m), as polynomials in x of degree below m, the constant first: the
 * powers of x, for the first modulus that makes x primitive.
 */
function powersOfPrimitive(p: number, m: number): readonly (readonly number[])[] {
  const one = [1, ...Array.from({ length: m - 1 }, () => 0)];
  for (let code = 1; ; code++) {
    const reduction = Array.from({ length: m }, (_, at) => Math.floor(code / p ** at) % p); // xᵐ
    const powers = [one];
    for (
      let last = times(one);
      last.join() !== one.join() && powers.length < p ** m;
      last = times(last)
    )
      powers.push(last);
    if (powers.length === p ** m - 1) return powers;

    function times(element: readonly number[]): number[] {
      const top = element.at(-1) ?? 0;
      return reduction.map((digit, at) => ((element[at - 1] ?? 0) + top * digit) % p);
    }
  }
}
