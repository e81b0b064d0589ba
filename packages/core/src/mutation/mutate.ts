import { explore } from '../exploration/explore.js';
import { standardProperties } from '../exploration/verdicts/compiled-properties.js';
import { ConclaveError } from '../protocol/error.js';
import { defineProtocol, type Protocol } from '../protocol/protocol.js';
import { stateNodes } from '../protocol/state-nodes.js';
import { firstParting } from './bisimulation.js';
import { type Difference, differenceOf } from './difference.js';
import { type ExploredGraph, exploredGraph } from './explored-graph.js';
import { mutationFingerprint } from './fingerprint.js';
import { Labels, Numbers, noteReads, StepReads } from './labels.js';
import type { Mutant } from './mutant.js';
import { mutantsOf } from './mutants.js';
import { allOperators, type Operator } from './operators.js';
import { Patience } from './patience.js';
import { Reached } from './reached.js';
import { byOperator, countsOf, type MutantFinding, type MutationReport, scoreOf } from './report.js';
import { type Baseline, baselinesOf, type MutationSystem, optionsOf } from './systems.js';

export interface MutateOptions {
  /** Where mutants are explored. Default: {@link defaultSystems}, as far as the protocol itself has few enough states there. */
  readonly systems?: readonly MutationSystem[];
  readonly limits?: {
    /** How many states the protocol itself may have on a system; a mutant may have three times as many. Default 20,000. */
    readonly states?: number;
    /** After so long, what is left is inconclusive; the explorations of the protocol itself count. Default: no limit. */
    readonly seconds?: number;
    /** Asked now and then; once it says true, what is left is inconclusive. */
    readonly stop?: () => boolean;
  };
  /** Default: all. */
  readonly operators?: readonly Operator[];
  /** Whether equivalent mutants are told from survivors, which takes time. Default true. */
  readonly bisimulation?: boolean;
  /** Called after each mutant. */
  readonly onProgress?: (done: number, all: number, counts: MutationReport['counts']) => void;
}

const defaultStates = 20_000;

/**
 * Measures how strong the properties of a protocol are: makes every protocol that differs from it in one place, explores each on small systems,
 * and tells which of them the properties let pass.
 *
 * @throws {ConclaveError} `bad-input`: a protocol that does not pass itself, a system that is too large, an unknown operator.
 * @example mutate(ricartAgrawala).score // 0.97
 */
export function mutate(protocol: Protocol, options: MutateOptions = {}): MutationReport {
  const { limits = {}, operators = allOperators, bisimulation = true, onProgress } = options;
  const patience = new Patience(limits);
  const { states = defaultStates } = limits;
  requireOperators(operators);
  const { explored, leftOut } = baselinesOf(protocol, options.systems, states, patience);
  const bench = new Bench(protocol, explored, { states, bisimulation, patience });
  const chosen = new Set(operators);
  const mutants = mutantsOf(protocol).filter(({ operator }) => chosen.has(operator));
  const findings: MutantFinding[] = [];
  for (const mutant of mutants) {
    const { id, operator, role, state, event, before, after } = mutant;
    const end = patience.end;
    const fate: Outcome = end ? { fate: 'inconclusive', limit: end } : bench.judge(mutant);
    findings.push({ id, operator, role, state, event, before, after, ...fate });
    onProgress?.(findings.length, mutants.length, countsOf(findings));
  }
  const counts = countsOf(findings);
  const cut = findings.find(({ limit }) => limit === 'seconds' || limit === 'interrupted')?.limit;
  return {
    protocol: protocol.name,
    title: protocol.title,
    systems: explored.map(({ name, states }) => ({ name, states })),
    leftOut,
    ...(cut ? { limit: cut } : {}),
    score: scoreOf(counts),
    counts,
    operators: byOperator(findings),
    mutants: findings,
    fingerprint: mutationFingerprint(protocol, options.systems),
    seconds: patience.elapsed,
  };
}

type Outcome = Pick<MutantFinding, 'fate' | 'by' | 'system' | 'steps' | 'limit' | 'difference'>;

interface Original {
  readonly baseline: Baseline;
  readonly explored: ExploredGraph;
  readonly labels: Labels;
}

/** A protocol with its explored systems, to which mutants are held. */
class Bench {
  readonly #originals: readonly Original[];
  readonly #reads = new StepReads();
  readonly #numbers = new Numbers();
  readonly #reached: Reached;
  /** In parallel states a transition that is not taken may still stand in the way of another one. */
  readonly #hasRegions: boolean;

  constructor(
    protocol: Protocol,
    baselines: readonly Baseline[],
    private readonly options: { readonly states: number; readonly bisimulation: boolean; readonly patience: Patience },
  ) {
    this.#reached = new Reached(protocol);
    this.#hasRegions = Object.values(protocol.roles).some(({ machine }) => stateNodes(machine).some(({ type }) => type === 'parallel'));
    const all = baselines.flatMap((baseline) => {
      const explored = exploredGraph(protocol, baseline.system, this.options.patience.limitsOf(Infinity));
      if (!explored) return []; // there is no more time, and nothing is judged either
      this.#reached.note(explored);
      if (this.options.bisimulation) noteReads(explored, protocol.properties, this.#reads);
      return [{ baseline, explored }];
    });
    // The labels go by all that was read on any system, so that they come after.
    this.#originals = all.map((one) => ({ ...one, labels: new Labels(one.explored, this.#reads, this.#numbers) }));
  }

  judge(mutant: Mutant): Outcome {
    let protocol: Protocol;
    try {
      protocol = defineProtocol(mutant.protocol);
    } catch (error) {
      return isAskedInVain(mutant.protocol)
        ? { fate: 'killed', by: `its definition: ${textOf(error)}` }
        : { fate: 'rejected', by: textOf(error) };
    }
    const isReached = mutant.site === undefined || this.#reached.has(mutant.site);
    if (!isReached && !this.#hasRegions) return { fate: 'unreached' };
    let limited: Outcome | undefined;
    let parted = !this.options.bisimulation;
    let difference: (() => Difference) | undefined;
    for (const original of this.#originals) {
      // As long as it does what the original does, the properties say the same of both.
      if (!parted) {
        const parting = this.#parting(protocol, mutant, original);
        if (parting === 'none') continue;
        parted = true;
        if (parting !== 'unknown') difference = parting;
      }
      const outcome = this.#explore(protocol, mutant, original.baseline);
      if (outcome && outcome.fate !== 'inconclusive') return outcome;
      limited ??= outcome;
    }
    if (limited) return limited;
    if (!isReached) return { fate: 'unreached' };
    if (!parted) return { fate: 'equivalent' };
    return { fate: 'survived', ...(difference ? { difference: difference() } : {}) };
  }

  /** What kills the mutant on one system, or keeps it from being explored; undefined when it passes. */
  #explore(protocol: Protocol, { budget }: Mutant, { system, name, states, verdicts }: Baseline): Outcome | undefined {
    let found: ReturnType<typeof explore>;
    try {
      const limits = this.options.patience.limitsOf(this.#most(states));
      found = explore(protocol, system.topology, { ...optionsOf(system), ...budget, limits, all: false });
    } catch (error) {
      return { fate: 'killed', by: `it fails: ${textOf(error)}`, system: name };
    }
    const killer = found.properties.find((property) => kills(property.verdict, verdicts.get(property.name)));
    if (killer) {
      const fault = killer.name === standardProperties[0] ? killer.trace?.header.get('fault') : undefined;
      const steps = killer.trace ? { steps: killer.trace.lines.length } : {};
      return { fate: fault?.includes(' does not handle ') ? 'unhandled' : 'killed', by: killer.name, system: name, ...steps };
    }
    const isOpen = found.properties.some((property) => property.verdict === 'incomplete' && verdicts.get(property.name) !== 'incomplete');
    if (found.complete && !isOpen) return undefined;
    return { fate: 'inconclusive', system: name, ...(found.limit ? { limit: found.limit } : {}) };
  }

  /** How a mutant differs from the original on one system; unknown, where it has too many states or fails. */
  #parting(protocol: Protocol, { budget }: Mutant, { baseline, explored, labels }: Original): (() => Difference) | 'none' | 'unknown' {
    const { system, name, states } = baseline;
    const changed = attempt(() =>
      exploredGraph(protocol, { ...system, budget: { ...system.budget, ...budget } }, this.options.patience.limitsOf(this.#most(states))),
    );
    if (!changed) return 'unknown';
    const parting = firstParting(labels, new Labels(changed, this.#reads, this.#numbers));
    return parting ? () => differenceOf(name, explored, changed, parting) : 'none';
  }

  #most(states: number): number {
    return Math.min(3 * this.options.states, Math.max(2000, 10 * states));
  }
}

/** Whether it is a property that the definition refuses: one that asks for a tag which no state carries any more. */
function isAskedInVain(protocol: Protocol): boolean {
  const fenceCondition = 'its properties are left out';
  return attempt(() => defineProtocol({ ...protocol, properties: [], ...(protocol.fence ? { fenceCondition } : {}) })) !== undefined;
}

/** A property that holds or is reached kills nothing, nor does one that says the same of the original. */
function kills(verdict: string, original: string | undefined): boolean {
  return verdict !== 'holds' && verdict !== 'reached' && verdict !== 'incomplete' && verdict !== original;
}

/** What fails here fails again where it is explored, and is told there. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

const textOf = (error: unknown): string =>
  error instanceof ConclaveError ? error.what : error instanceof Error ? error.message : String(error);

function requireOperators(operators: readonly string[]): void {
  const known: readonly string[] = allOperators;
  const stray = operators.find((operator) => !known.includes(operator));
  if (stray !== undefined)
    throw new ConclaveError('bad-input', `There is no mutation operator '${stray}'`, `There are ${known.join(', ')}.`);
}
