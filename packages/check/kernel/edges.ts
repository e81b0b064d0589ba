/**
 * The edges of the graph, on their way to JavaScript: in the order of their sources, since these
 * are expanded in the order of their numbers.
 */
import { takeEdges } from './host';
import { allocate } from './memory';

const most = 1 << 15;
let keeps = false;
/** By edge its target, its action; by world how many edges are collected. */
export let targets: usize = 0;
export let actions: usize = 0;
export let degrees: usize = 0;
let count = 0;
let first = 0;
let worlds = 0;

export function prepareEdges(keepsEdges: boolean): void {
  keeps = keepsEdges;
  count = 0;
  first = 0;
  worlds = 0;
  if (!keeps || targets !== 0) return;
  targets = allocate(most << 2);
  actions = allocate(most << 2);
  degrees = allocate(most << 2);
}

/**
 * An edge from `source`, which is at least that of the edge before; −1: an initial world has none.
 */
export function edge(source: i32, target: i32, action: i32): void {
  if (!keeps || source < 0) return;
  if (count === most) flushEdges();
  while (first + worlds <= source) {
    if (worlds === most) flushEdges();
    store<i32>(degrees + (worlds++ << 2), 0);
  }
  const degree = degrees + ((source - first) << 2);
  store<i32>(degree, load<i32>(degree) + 1);
  store<i32>(targets + (count << 2), target);
  store<i32>(actions + (count++ << 2), action);
}

/** Hands over what is collected. The last world may get further edges. */
export function flushEdges(): void {
  if (worlds === 0) return;
  takeEdges(count, first, worlds);
  first += worlds - 1;
  worlds = 1;
  count = 0;
  store<i32>(degrees, 0);
}
