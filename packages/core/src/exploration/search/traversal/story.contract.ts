/** What a search tells, for tests that compare two of them. */
import { vi } from 'vitest';
import type { Search, SearchListener } from './search.js';

/** Everything that a listener hears, until `ends` says so, and what remains. */
export function story(
  system: { readonly width: number },
  run: (listener: SearchListener) => Search,
  ends: (heard: number) => boolean = () => false,
) {
  const heard: string[] = [];
  const hear = (what: string) => {
    heard.push(what);
    return !ends(heard.length);
  };
  const { store, graph, ...counts } = withoutTime(run, {
    found: (world, vector) => hear(`found ${world}: ${vector}`),
    ended: (world, vector) => hear(`ended ${world}: ${vector}`),
    fault: (world, action, error) => hear(`fault ${world} ${action} ${error.message}`),
    progress: () => true, // when it comes depends on the clock
  });
  const vector = new Int32Array(system.width);
  const worlds = Array.from({ length: store.size }, (_, world) => {
    store.read(world, vector);
    const edges: string[] = [];
    if (graph && world < graph.worlds)
      for (let edge = graph.first(world); edge < graph.end(world); edge++)
        edges.push(`${graph.action(edge)} ${graph.target(edge)}`);
    return `${vector} from ${store.parent(world)} by ${store.action(world)}: ${edges}`;
  });
  return { heard, worlds, counts: { ...counts, starts: 1 }, last: graph?.worlds };
}

/** Runs a search while no time passes: with time, the kernel tells its progress more often. */
function withoutTime(run: (listener: SearchListener) => Search, listener: SearchListener): Search {
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  try {
    return run(listener);
  } finally {
    clock.mockRestore();
  }
}
