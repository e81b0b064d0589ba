import type { ConclaveError } from '../protocol/error.js';
import type { LeadsTo, Property, SystemProperty, SystemView, Verdict } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';
import { traceHeader } from '../trace/recording.js';
import type { Trace, TraceLine } from '../trace/trace.js';
import { CompiledWorlds } from './compiled.js';
import { CompiledView } from './compiled-view.js';
import { actionLine } from './line.js';
import { type Fairness, findFairRun, type Loop } from './liveness.js';
import { type Limit, type Limits, type Search, search } from './search.js';
import { type Budget, Worlds } from './world.js';

export interface ExploreOptions extends Budget {
  /** Default: the protocol's, and those that every protocol is checked for ({@link standardProperties}). */
  readonly properties?: readonly Property[];
  /** What every run is granted. Default `weak`. */
  readonly fairness?: Fairness;
  readonly limits?: Limits;
  /** Go on after the first violation, so that every property gets its verdict. Default true. */
  readonly all?: boolean;
  /** Called now and then. */
  readonly onProgress?: (states: number, transitions: number, depth: number) => void;
}

export interface PropertyFinding {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
  /** A shortest run that violates it, or (`sometimes`) reaches it. */
  readonly trace?: Trace;
  /** For a violated `leadsTo` or `eventually`: the line, from 0, from which on the trace repeats; its length where it comes to rest. */
  readonly loopsFrom?: number;
}

/** What an exploration found. */
export interface Exploration {
  readonly protocol: string;
  readonly topology: string;
  readonly states: number;
  readonly transitions: number;
  readonly depth: number;
  readonly seconds: number;
  /** Whether every reachable world was looked at; if not, nothing is said to hold. */
  readonly complete: boolean;
  /** The limit that made it incomplete. */
  readonly limit?: Limit;
  readonly properties: readonly PropertyFinding[];
}

const handled = 'every message is handled or explicitly ignored';
const noDeadlock = 'nobody waits when nothing can happen any more';

/** What every protocol is checked for besides its own properties: messages that no state handles, and deadlock. */
export const standardProperties: readonly string[] = [handled, noDeadlock];

/**
 * Looks at every interleaving of a protocol on a small network, breadth-first.
 *
 * @throws {ConclaveError} `bad-topology`, `bad-input`.
 * @example explore(ricartAgrawala, complete(3), { wishes: 2 }).properties.every(({ verdict }) => verdict === 'holds' || verdict === 'reached')
 */
export function explore(protocol: Protocol, topology: Topology, options: ExploreOptions = {}): Exploration {
  return new Explorer(new CompiledWorlds(new Worlds(protocol, topology, options)), options).run();
}

/** Where a property was decided: the world, and for a fault the action that cannot be taken in it. */
interface Evidence {
  readonly world: number;
  readonly error?: ConclaveError;
  readonly loop?: Loop;
}

type Invariant = SystemProperty<'always'> | SystemProperty<'never'>;
type Lively = SystemProperty<'eventually'> | LeadsTo;

class Explorer {
  readonly #view: CompiledView;
  readonly #properties: readonly Property[];
  readonly #invariants: readonly Invariant[];
  readonly #reaches: readonly SystemProperty<'sometimes'>[];
  readonly #lively: readonly Lively[];
  /** By property, or by the name of a standard one. */
  readonly #evidence = new Map<Property | string, Evidence>();

  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly options: ExploreOptions,
  ) {
    this.#view = new CompiledView(compiled);
    this.#properties = options.properties ?? compiled.worlds.protocol.properties;
    this.#invariants = this.#properties.filter((property) => property.kind === 'always' || property.kind === 'never');
    this.#reaches = this.#properties.filter((property) => property.kind === 'sometimes');
    this.#lively = this.#properties.filter((property) => property.kind === 'eventually' || property.kind === 'leadsTo');
  }

  run(): Exploration {
    const { limits = {}, onProgress, all = true } = this.options;
    const goOn = () => all || !this.#violated();
    const found = search(this.compiled, limits, this.#lively.length > 0, {
      found: (world, vector) => {
        this.#look(world, this.#view.at(vector));
        return goOn();
      },
      expanded: (world, vector, steps) => {
        if (steps === 0 && !this.#evidence.has(noDeadlock) && this.#view.at(vector).count('waiting') > 0)
          this.#evidence.set(noDeadlock, { world });
        return goOn();
      },
      fault: (world, _action, error) => {
        if (!this.#evidence.has(handled)) this.#evidence.set(handled, { world, error });
        return goOn();
      },
      progress: (states, transitions, depth) => onProgress?.(states, transitions, depth),
    });
    if (found.complete && !this.#evidence.has(handled)) for (const property of this.#lively) this.#askLiveness(property, found);
    return this.#report(found);
  }

  #violated(): boolean {
    return [...this.#evidence.keys()].some((property) => typeof property === 'string' || property.kind !== 'sometimes');
  }

  #look(world: number, view: SystemView): void {
    for (const property of this.#invariants)
      if (!this.#evidence.has(property) && property.holds(view) !== (property.kind === 'always')) this.#evidence.set(property, { world });
    for (const property of this.#reaches)
      if (!this.#evidence.has(property) && property.holds(view)) this.#evidence.set(property, { world });
  }

  #askLiveness(property: Lively, { store, graph }: Search): void {
    if (!graph) return;
    const vector = new Int32Array(this.compiled.width);
    const at = (world: number) => {
      store.read(world, vector);
      return this.#view.at(vector);
    };
    const { fairness = 'weak' } = this.options;
    if (property.kind === 'eventually') {
      const without = satisfying(store.size, (world) => !property.holds(at(world)));
      const loop = findFairRun({
        graph,
        fairness,
        fairClass: (action) => this.compiled.fairness(action),
        inside: (world) => without[world] === 1,
        from: [0],
      });
      if (loop) this.#evidence.set(property, { world: loop.entry, loop });
      return;
    }
    const fairClass = (action: number) => (this.compiled.isWish(action) ? -1 : this.compiled.fairness(action));
    for (let node = 0; node < this.compiled.worlds.topology.nodes.length; node++) {
      const owing = satisfying(store.size, (world) => {
        const view = at(world).nodeAt(node);
        return !view.crashed && !property.then(view);
      });
      const from = satisfying(store.size, (world) => owing[world] === 1 && property.holds(at(world).nodeAt(node)));
      const loop = findFairRun({ graph, fairness, fairClass, inside: (world) => owing[world] === 1, from: indices(from) });
      if (!loop) continue;
      this.#evidence.set(property, { world: loop.entry, loop });
      return;
    }
  }

  #report(found: Search): Exploration {
    const { protocol, topology } = this.compiled.worlds;
    const { states, transitions, depth, seconds, complete, limit } = found;
    const finding = (name: string, kind: Property['kind'], key: Property | string): PropertyFinding => {
      const evidence = this.#evidence.get(key);
      const verdict = verdictOf(kind, evidence !== undefined, complete && (typeof key === 'string' || !this.#undecided(key)));
      return { name, kind, verdict, ...(evidence ? this.#witness(evidence, found) : {}) };
    };
    return {
      protocol: protocol.name,
      topology: topology.spec,
      states,
      transitions,
      depth,
      seconds,
      complete,
      ...(limit ? { limit } : {}),
      properties: [
        ...this.#properties.map((property) => finding(property.name, property.kind, property)),
        ...standardProperties.map((name) => finding(name, 'always', name)),
      ],
    };
  }

  /** A system that breaks its own rules has no runs to speak of beyond the break: liveness stays open. */
  #undecided(property: Property): boolean {
    return (property.kind === 'eventually' || property.kind === 'leadsTo') && this.#evidence.has(handled);
  }

  #witness({ world, error, loop }: Evidence, { store, graph }: Search): Pick<PropertyFinding, 'trace' | 'loopsFrom'> {
    const { worlds, actions } = store.path(world);
    const lines = actions.map((action, index) => this.#line(store, worlds[index] as number, action));
    const header = new Map(traceHeader(this.compiled.worlds.protocol, this.compiled.worlds.topology));
    header.set('channels', `order ${this.compiled.worlds.order}`);
    if (error) header.set('fault', error.message);
    if (!loop || !graph) return { trace: { header, lines } };
    let at = loop.entry;
    for (const edge of loop.edges) {
      lines.push(this.#line(store, at, graph.action(edge)));
      at = graph.target(edge);
    }
    return { trace: { header, lines }, loopsFrom: actions.length };
  }

  #line(store: Search['store'], world: number, action: number): TraceLine {
    const vector = new Int32Array(this.compiled.width);
    store.read(world, vector);
    return actionLine(this.compiled.worlds, this.compiled.decode(vector), this.compiled.actionOf(action));
  }
}

function satisfying(count: number, holds: (world: number) => boolean): Uint8Array {
  const bits = new Uint8Array(count);
  for (let world = 0; world < count; world++) bits[world] = holds(world) ? 1 : 0;
  return bits;
}

function* indices(bits: Uint8Array): Generator<number> {
  for (let index = 0; index < bits.length; index++) if (bits[index] === 1) yield index;
}

function verdictOf(kind: Property['kind'], evidence: boolean, complete: boolean): Verdict {
  if (kind === 'sometimes') return evidence ? 'reached' : complete ? 'unreached' : 'incomplete';
  return evidence ? 'violated' : complete ? 'holds' : 'incomplete';
}
