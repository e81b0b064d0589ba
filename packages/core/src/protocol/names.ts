/**
 * The names that properties may use: tags of states and types of messages. A property that asks for
 * a misspelt one would get the same answer in each world, and hold for nothing. So a tag that no
 * state carries is an error, also in the middle of a predicate.
 */
import { badInput, ConclaveError, nearest } from '../base/error.js';
import type { NodeView } from './property.js';
import type { Protocol } from './protocol.js';
import { stateNodes } from './regions.js';

interface Names {
  readonly tags: ReadonlySet<string>;
  readonly messages: ReadonlySet<string>;
}

type Named = Pick<Protocol, 'name' | 'roles' | 'messages'>;

const known = new WeakMap<Protocol['roles'], Names>();

/** The tags that some state of some role carries, and the types of the messages. */
export function namesOf({ roles, messages }: Named): Names {
  const before = known.get(roles);
  if (before) return before;
  const machines = Object.values(roles).map(({ machine }) => machine);
  const tags = new Set(
    machines.flatMap((machine) => stateNodes(machine).flatMap((node) => node.tags)),
  );
  const names = { tags, messages: new Set(Object.keys(messages)) };
  known.set(roles, names);
  return names;
}

/**
 * @throws {ConclaveError} `bad-input` for a tag that no state carries: a test for it would always
 * have the same result.
 */
export function requireTag(protocol: Named, tag: string): void {
  const { tags } = namesOf(protocol);
  if (!tags.has(tag))
    throw unknown(`no state of '${protocol.name}' carries the tag '${tag}'`, tag, [...tags]);
}

/** @throws {ConclaveError} `bad-input` for a message that the protocol does not have. */
export function requireMessage(protocol: Named, type: string | undefined): void {
  if (type === undefined || namesOf(protocol).messages.has(type)) return;
  throw unknown(
    `'${protocol.name}' has no message '${type}'`,
    type,
    Object.keys(protocol.messages),
  );
}

function unknown(what: string, name: string, names: readonly string[]): ConclaveError {
  const near = nearest(name, names);
  const cure = near === undefined ? '' : `Did you mean '${near}'? `;
  return badInput(what, `${cure}It has ${[...names].sort().join(', ') || 'none'}.`);
}

/**
 * The tags of one node, as properties see them: a read-only set that refuses tags which no state
 * carries.
 */
export class Tags extends Set<string> {
  readonly #protocol: Named;

  constructor(protocol: Named, tags: Iterable<string>) {
    super();
    this.#protocol = protocol;
    for (const tag of tags) super.add(tag);
  }

  override has(tag: string): boolean {
    if (super.has(tag)) return true;
    requireTag(this.#protocol, tag);
    return false;
  }

  override add(): this {
    throw this.#frozen();
  }

  override delete(): boolean {
    throw this.#frozen();
  }

  override clear(): void {
    throw this.#frozen();
  }

  #frozen(): ConclaveError {
    return new ConclaveError(
      'impure',
      'the tags of a node are not to be changed',
      'Copy them first, as in new Set(node.tags).',
    );
  }
}

const made = new WeakMap<Named, WeakMap<object, Tags>>();

/** The tags of a state, made once for each list of them: states share the lists of their machine. */
export function tagsOf(protocol: Named, tags: readonly string[] | ReadonlySet<string>): Tags {
  const found = made.get(protocol)?.get(tags);
  if (found) return found;
  const seen = new Tags(protocol, tags);
  made.set(protocol, (made.get(protocol) ?? new WeakMap<object, Tags>()).set(tags, seen));
  return seen;
}

const waitsByTag = ({ tags }: NodeView): boolean => tags.has('waiting');

/**
 * Whether a node waits, as the protocol says it, or by the tag `waiting`; undefined where it says
 * neither.
 */
export function waitingOf(protocol: Protocol): ((node: NodeView) => boolean) | undefined {
  if (protocol.waiting !== undefined) return protocol.waiting || undefined;
  return namesOf(protocol).tags.has('waiting') ? waitsByTag : undefined;
}
