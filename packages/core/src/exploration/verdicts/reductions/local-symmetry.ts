import { ConclaveError } from '../../../base/error.js';
import type { Command, Message, NodeId } from '../../../protocol/node.js';
import type { LocalState } from '../../../protocol/step.js';
import type { Permutation } from '../../../protocol/symmetry.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import { DenseTable } from '../../search/tables/dense-table.js';
import { DataInterner } from '../../search/tables/interner.js';
import type { LocalOutcome } from '../../search/tables/local-outcome.js';
import { LocalSteps } from '../../search/tables/local-steps.js';
import { PairTable } from '../../search/tables/pair-table.js';
import { byChannel, sentBy } from '../../search/tables/sent.js';
import { canonical, sameData } from '../../worlds/canonical.js';
import { LocalNode } from '../../worlds/local-node.js';
import type { Action } from '../../worlds/world.js';
import { differenceText } from '../../worlds/world-text.js';
import { Names } from './names.js';
import { permutationText } from './symmetry.js';

/** An action in a local state of a node, by their numbers. */
type Case = readonly [node: number, state: number, action: number];

/** Its outcome; undefined if it is not possible. */
type Answer = LocalOutcome | undefined;

/** A generator of the group, acting on numbers. */
interface Generator {
  readonly names: Names;
  /** By node: its image. */
  readonly nodes: readonly number[];
  /** By node: its local states. */
  readonly states: readonly DenseTable[];
  readonly actions: DenseTable;
  readonly messages: DenseTable;
}

/**
 * Checks that the steps of nodes commute with each generator of a symmetry: for every action that
 * was seen to be possible, the renamed outcome is the outcome of the renamed action; likewise for
 * commands that are not accepted and crashes that are not allowed. The image of each case is
 * checked as well, so that eventually all images under the group are: nothing is sampled
 * (docs/decisions/8).
 */
export class LocalSymmetry {
  /** By node; separate from those of the search, which must contain reached steps only. */
  readonly #steps: readonly LocalSteps[];
  readonly #actions = new DataInterner<Action>();
  readonly #messages = new DataInterner<Message>();
  readonly #generators: readonly Generator[];
  /** By node: the cases that were checked or are waiting. */
  readonly #known: readonly PairTable[];
  readonly #waiting: Case[] = [];
  /** By node: how many steps and configurations of the search were entered. */
  readonly #stepsSeen: number[];
  readonly #placesSeen: number[];

  constructor(
    private readonly compiled: CompiledWorlds,
    generators: readonly Permutation[],
  ) {
    const { worlds } = compiled;
    const { topology } = worlds;
    const { nodes } = topology;
    this.#steps = nodes.map(
      (id) =>
        new LocalSteps(
          LocalNode.of(worlds, id),
          (action) => this.#actions.item(action),
          (step) => sentBy(step, topology, this.#messages),
        ),
    );
    this.#generators = generators.map((permutation) => {
      const names = new Names(permutation);
      return {
        names,
        nodes: nodes.map((id) => nodes.indexOf(names.id(id))),
        states: nodes.map(() => new DenseTable()),
        actions: new DenseTable(),
        messages: new DenseTable(),
      };
    });
    this.#known = nodes.map(() => new PairTable());
    this.#stepsSeen = nodes.map(() => 0);
    this.#placesSeen = nodes.map(() => 0);
  }

  /**
   * Checks all that the search has found since the last call.
   * @throws {ConclaveError} `bad-protocol` if a declared symmetry is not one.
   */
  check(): void {
    this.#takeOverSteps();
    this.#takeOverPlaces();
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop())
      for (const generator of this.#generators) this.#compare(next, generator);
  }

  #takeOverSteps(): void {
    const count = this.#stepsSeen.map(() => 0);
    for (const { index, state, action } of this.compiled.distinctSteps()) {
      const steps = count[index] as number;
      count[index] = steps + 1;
      if (steps >= (this.#stepsSeen[index] as number)) this.#enter(index, state, action);
    }
    this.#stepsSeen.splice(0, count.length, ...count);
  }

  /** Enters the commands and the crash of each live configuration. */
  #takeOverPlaces(): void {
    const { configurations, worlds } = this.compiled;
    const { nodes } = worlds.topology;
    const mayCrash = worlds.initial.remaining.crashes > 0;
    for (const [node, { items }] of configurations.entries()) {
      const id = nodes[node] as string;
      for (const { state, commands: left, crashed } of items.slice(this.#placesSeen[node])) {
        if (crashed) continue;
        const { commands: known } = worlds;
        const commands = [...known.left(left), ...known.obligatory];
        for (const command of commands)
          this.#enter(node, state, { type: 'command', node: id, command });
        if (mayCrash) this.#enter(node, state, { type: 'crash', node: id });
      }
      this.#placesSeen[node] = items.length;
    }
  }

  #enter(node: number, state: LocalState, action: Action): void {
    this.#add([node, (this.#steps[node] as LocalSteps).states.id(state), this.#actions.id(action)]);
  }

  #add(added: Case): void {
    const [node, state, action] = added;
    const known = this.#known[node] as PairTable;
    if (known.get(state, action) >= 0) return;
    known.add(state, action, 0);
    this.#waiting.push(added);
  }

  #compare(original: Case, generator: Generator): void {
    const [node, state, action] = original;
    const renamed: Case = [
      generator.nodes[node] as number,
      this.#state(generator, node, state),
      memo(generator.actions, action, () =>
        this.#actions.id(generator.names.action(this.#actions.item(action))),
      ),
    ];
    this.#add(renamed);
    const [answer, found] = [this.#answer(original), this.#answer(renamed)];
    if (!answer || !found || answer.error || found.error) {
      if (!answer === !found && answer?.error?.code === found?.error?.code) return;
    } else if (
      this.#state(generator, node, answer.state) === found.state &&
      this.#sendsText(answer.sends, generator) === this.#sendsText(found.sends) &&
      (answer.choices.length === 0
        ? found.choices.length === 0
        : canonical(choicesOf(answer, generator.names)) === canonical(found.choices))
    )
      return;
    throw this.#broken(original, renamed, generator);
  }

  #answer([node, state, action]: Case): Answer {
    const { worlds } = this.compiled;
    const steps = this.#steps[node] as LocalSteps;
    const taken = this.#actions.item(action);
    if (taken.type === 'command' && !this.#mayCome(steps, state, taken.command)) return undefined;
    if (taken.type === 'crash' && !worlds.mayCrash(taken.node, steps.states.item(state)))
      return undefined;
    return steps.outcome(state, action);
  }

  /** Whether a command is accepted, whatever is left of the budget. */
  #mayCome({ node, states }: LocalSteps, state: number, command: Command): boolean {
    const { commands } = this.compiled.worlds;
    const all = { commands: commands.initially(1), fulfilled: [] };
    return commands
      .possible(node, states.item(state), all)
      .some((possible) => sameData(possible, command));
  }

  #state({ names, nodes, states }: Generator, node: number, state: number): number {
    const [from, to] = [
      this.#steps[node] as LocalSteps,
      this.#steps[nodes[node] as number] as LocalSteps,
    ];
    return memo(states[node] as DenseTable, state, () =>
      to.states.id(names.state(from.states.item(state))),
    );
  }

  /** The messages sent to each channel, renamed if a generator is given. */
  #sendsText(sends: readonly number[], generator?: Generator): string {
    const { order } = this.compiled.worlds;
    if (sends.length === 0 || !generator) return byChannel(sends, order);
    const { names, nodes, messages } = generator;
    const renamed = sends.map((number, index) =>
      index % 2 === 0
        ? (nodes[number] as number)
        : memo(messages, number, () =>
            this.#messages.id(names.fields(this.#messages.item(number))),
          ),
    );
    return byChannel(renamed, order);
  }

  #broken(original: Case, renamed: Case, { names }: Generator): ConclaveError {
    const { protocol, topology } = this.compiled.worlds;
    const [answer, found] = [this.#answer(original), this.#answer(renamed)];
    const renaming = `renaming ${permutationText(names.permutation)}`;
    const isOtherwise = answer && found && !answer.error && !found.error;
    const otherwise = isOtherwise
      ? ` with another outcome: ${differenceText(this.#plain(original[0], answer, names), this.#plain(renamed[0], found))}`
      : '';
    return new ConclaveError(
      'bad-protocol',
      `Protocol '${protocol.name}' on '${topology.spec}': ${renaming} changes what can happen. ` +
        `In ${this.#text(original)} ${this.#means(answer)}; in ${this.#text(renamed)} ${this.#means(found)}${otherwise}`,
      "Remove it from the declared symmetry, or leave out reduce: 'symmetry'.",
    );
  }

  /** Such as `(a: free {"queue":[]}), {"type":"deliver", … }`. */
  #text([node, state, action]: Case): string {
    const { value, context, timers, recorded } = (this.#steps[node] as LocalSteps).states.item(
      state,
    );
    const parts = [
      typeof value === 'string' ? value : JSON.stringify(value),
      JSON.stringify(context),
      ...(recorded === undefined ? [] : [`history ${JSON.stringify(recorded)}`]),
      ...timers.map(({ id }) => `timer ${id}`),
    ];
    return `(${this.compiled.worlds.topology.nodes[node]}: ${parts.join(' ')}), ${JSON.stringify(this.#actions.item(action))}`;
  }

  #means(answer: Answer): string {
    if (!answer) return 'is not possible';
    return answer.error ? 'fails' : 'is possible';
  }

  /** An outcome as plain data. */
  #plain(
    node: number,
    { state, sends, choices }: LocalOutcome,
    names = new Names(new Map()),
  ): object {
    const { nodes } = this.compiled.worlds.topology;
    const channels = new Map<NodeId, Message[]>();
    for (let at = 0; at < sends.length; at += 2) {
      const to = names.id(nodes[sends[at] as number] as string);
      channels.set(to, [
        ...(channels.get(to) ?? []),
        names.fields(this.#messages.item(sends[at + 1] as number)),
      ]);
    }
    return {
      state: names.state((this.#steps[node] as LocalSteps).states.item(state)),
      sends: Object.fromEntries(channels),
      choices: choicesOf({ choices }, names),
    };
  }
}

/** The choices of an outcome under other names. */
const choicesOf = (
  { choices }: Pick<LocalOutcome, 'choices'>,
  names: Names,
): LocalOutcome['choices'] =>
  choices.map(({ options, ...draw }) => ({
    ...draw,
    options: options.map((option) => names.value(option)),
  }));

/** The number at `key`, computed the first time. */
function memo(table: DenseTable, key: number, make: () => number): number {
  const known = table.get(key);
  if (known >= 0) return known;
  const made = make();
  table.add(key, 0, made);
  return made;
}
