import { Graph } from '../graph.js';
import { pageSize, readFrom } from '../store.js';
import type { Visited } from '../visited.js';
import { edgePage, type Report, word } from './share.js';
import type { Plan } from './thread.js';

interface Part {
  readonly pages: (Uint16Array | Int32Array)[];
  readonly origins: Int32Array[];
  readonly edges: Int32Array[];
}

/** The worlds of all threads, as the first thread reads them: number n is world n ÷ threads of thread n mod threads. */
export class SharedWorlds implements Visited {
  readonly #parts: readonly Part[];

  constructor(private readonly plan: Plan) {
    this.#parts = plan.status.map(() => ({ pages: [], origins: [], edges: [] }));
  }

  /** Notes the pages that thread number `thread` reports. */
  note(thread: number, { pages, origins, edges }: Report): void {
    const part = this.#part(thread);
    for (const [number, page] of pages) part.pages[number] = page;
    part.origins.push(...origins);
    part.edges.push(...edges);
  }

  /** The sum of a status word over all threads. */
  total(what: number): number {
    return this.plan.status.reduce((sum, status) => sum + (status[what] as number), 0);
  }

  get size(): number {
    return this.total(word.size);
  }

  get bound(): number {
    return this.plan.threads * Math.max(...this.plan.status.map((status) => status[word.size] as number));
  }

  get bytes(): number {
    return this.total(word.kilobytes) * 1024;
  }

  has(id: number): boolean {
    return this.#local(id) < (this.plan.status[id % this.plan.threads]?.[word.size] as number);
  }

  read(id: number, into: Int32Array): void {
    readFrom(this.#part(id).pages, this.plan.width, this.#local(id), into);
  }

  parent(id: number): number {
    return this.#origin(id, 0);
  }

  action(id: number): number {
    return this.#origin(id, 1);
  }

  /** The approximate memory to build {@link graph}. */
  get bytesOfGraph(): number {
    return 24 * (this.total(word.edges) / 3) + 24 * this.bound;
  }

  /** The edges of all threads as one graph; it includes worlds without edges. */
  graph(): Graph {
    const { bound } = this;
    const ends = new Int32Array(bound + 1);
    for (const [page, length] of this.#edgePages())
      for (let at = 0; at < length; at += 3) {
        const after = (page[at] as number) + 1;
        ends[after] = (ends[after] as number) + 1;
      }
    for (let world = 0; world < bound; world++) ends[world + 1] = (ends[world + 1] as number) + (ends[world] as number);
    const next = ends.slice();
    const edges = new Int32Array(2 * (ends[bound] as number));
    for (const [page, length] of this.#edgePages())
      for (let at = 0; at < length; at += 3) {
        const source = page[at] as number;
        const to = next[source] as number;
        next[source] = to + 1;
        edges[2 * to] = page[at + 1] as number;
        edges[2 * to + 1] = page[at + 2] as number;
      }
    const graph = new Graph();
    for (let world = 0; world < bound; world++) {
      graph.begin(world);
      for (let edge = ends[world] as number; edge < (ends[world + 1] as number); edge++)
        graph.edge(world, edges[2 * edge] as number, edges[2 * edge + 1] as number);
    }
    return graph;
  }

  *#edgePages(): Generator<readonly [page: Int32Array, length: number]> {
    for (const [thread, { edges }] of this.#parts.entries()) {
      let left = this.plan.status[thread]?.[word.edges] as number;
      for (const page of edges) {
        yield [page, Math.min(left, edgePage)];
        left -= edgePage;
      }
    }
  }

  #part(id: number): Part {
    return this.#parts[id % this.plan.threads] as Part;
  }

  #local(id: number): number {
    return Math.floor(id / this.plan.threads);
  }

  #origin(id: number, part: number): number {
    const local = this.#local(id);
    const page = this.#part(id).origins[Math.floor(local / pageSize)] as Int32Array;
    return page[2 * (local % pageSize) + part] as number;
  }
}
