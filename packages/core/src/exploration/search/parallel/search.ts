import type { CompiledWorlds } from '../../compiled/compiled.js';
import type { Graph } from '../graph.js';
import { hashOf } from '../hash.js';
import type { Limit } from '../limits.js';
import type { Search, SearchListener, SearchOptions } from '../search.js';
import { LimitReached, Watch } from '../watch.js';
import { Barrier } from './barrier.js';
import { Helpers } from './helpers.js';
import { ownerOf, type Report, roundSize, word, words, worldNumber } from './share.js';
import { SharedWorlds } from './shared-worlds.js';
import { controlWords, isOver, type Plan, runThread } from './thread.js';

/** How many numbers the outboxes of one thread hold in total. */
const outboxes = 1 << 23;

/**
 * Searches breadth-first with several threads: this one and `threads` − 1 workers. The workers know only numbers; machines and properties are
 * evaluated here. States, transitions, depth and verdicts are those of one thread. Of several shortest paths to a world another one may be kept,
 * but always the same one for the same number of threads.
 */
export function searchInParallel(
  system: CompiledWorlds,
  threads: number,
  { limits = {}, watch = new Watch(limits), graph = false }: Pick<SearchOptions, 'limits' | 'watch' | 'graph'>,
  listener: SearchListener,
): Search {
  const { states: mostStates = Infinity, depth: mostDepth = Infinity } = limits;
  const plan = planFor(system, threads, graph);
  const helpers = new Helpers(plan, system.layout);
  const worlds = new SharedWorlds(plan);
  watch.counted = () => worlds.bytes;
  const vector = new Int32Array(system.width);
  const into = new Int32Array(system.width);
  const judged = plan.status.map(() => 0);
  let depth = 0;
  let width = 0;
  let limit: Limit | undefined;
  let going = true;
  let taught = 0;

  const answer = () => {
    for (const [thread, status] of plan.status.entries())
      for (const local of plan.postponed[thread]?.subarray(0, status[word.postponed]) ?? []) {
        worlds.read(worldNumber(local, thread, threads), vector);
        system.expand(vector, into, ignore, () => {});
      }
    const { tables } = system;
    helpers.teach({ entries: tables.log ?? [], start: taught, code: tables.code.slice(taught, tables.end) });
    tables.log = [];
    taught = tables.end;
  };

  const note = (thread: number, report: Report) => {
    worlds.note(thread, report);
    for (const [local, action, step] of report.faults)
      if (!listener.fault(worldNumber(local, thread, threads), action, system.errorOf(step))) going = false;
    for (const local of report.ends) {
      const world = worldNumber(local, thread, threads);
      worlds.read(world, vector);
      if (!listener.ended(world, vector)) going = false;
    }
  };

  const judge = (seen: readonly Int32Array[]) => {
    const total = (what: number) => seen.reduce((sum, status) => sum + (status[what] as number), 0);
    const size = total(word.size);
    for (const [index, report] of helpers.reports().entries()) note(index + 1, report);
    for (const [thread, status] of seen.entries()) {
      const end = status[word.size] as number;
      for (let local = judged[thread] as number; local < end && going; local++) {
        const world = worldNumber(local, thread, threads);
        worlds.read(world, vector);
        if (!listener.found(world, vector)) going = false;
      }
      judged[thread] = end;
    }
    const next = size - total(word.layer);
    const left = total(word.left);
    width = Math.max(width, left + next);
    if (left === 0 && next > 0) depth++;
    if (left + next > 0) {
      if (depth > mostDepth) limit = 'depth';
      else if (size > mostStates) limit = 'states';
      else limit = watch.reached();
    }
    listener.progress(size, total(word.transitions), depth);
    if (limit || !going) plan.control[isOver] = 1;
  };

  system.tables.log = [];
  try {
    runThread(
      plan,
      0,
      (...step) => system.expander.expand(...step),
      (share) => ({ answer, learn: () => {}, tell: () => note(0, share.report()), judge }),
    );
    if (Atomics.load(plan.control, 2) === 1) helpers.reports(); // throws the error of the worker
  } catch (error) {
    new Barrier(plan.control, threads).fail();
    if (!(error instanceof LimitReached)) throw error;
    limit = error.limit;
  } finally {
    system.tables.log = undefined;
    helpers.end();
  }
  let edges: Graph | undefined;
  try {
    if (graph && going && !limit) {
      watch.require(worlds.bytesOfGraph);
      edges = worlds.graph();
    }
  } catch (error) {
    if (!(error instanceof LimitReached)) throw error;
    limit = error.limit;
  }
  return {
    store: worlds,
    graph: edges,
    states: worlds.size,
    transitions: worlds.total(word.transitions),
    depth,
    width,
    ...(limit ? { limit } : {}),
    complete: going && !limit,
  };
}

const ignore = () => false;

function planFor(system: CompiledWorlds, threads: number, keepEdges: boolean): Plan {
  const shared = (length: number) => new Int32Array(new SharedArrayBuffer(4 * length));
  const each = <T>(make: (index: number) => T): T[] => Array.from({ length: threads }, (_, index) => make(index));
  const first = shared(system.width);
  system.initial(first);
  return {
    threads,
    width: system.width,
    keepEdges,
    shift: (threads - ownerOf(hashOf(first, 0, first.length), threads)) % threads,
    status: each(() => shared(words)),
    postponed: each(() => shared(2 * roundSize)),
    boxes: each(() => each(() => shared(Math.ceil(outboxes / threads)))),
    control: shared(controlWords),
    first,
  };
}
