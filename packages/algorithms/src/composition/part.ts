import { type FunctionOfProperty, functionsOf } from '@conclave/core/internal';
import {
  ConclaveError,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';

type Role = Protocol['roles'][string];
type Shape = Protocol['messages'][string];
type InFlight = ReturnType<SystemView['inFlight']>[number];

/**
 * @throws {ConclaveError} `bad-input` for a part with a history variable: it would see the steps of
 * the whole, not those of the part.
 */
export function requireNoHistory(where: string, { title, history }: Protocol): void {
  if (history)
    throw new ConclaveError(
      'bad-input',
      `${where}: ${title} has a history variable, which a part cannot have`,
      'Give the history to the whole.',
    );
}

/**
 * @throws {ConclaveError} `bad-input` for a part that would not learn of crashes: the whole gets no
 * notices.
 */
export function requireNoNotices(where: string, { title, crashNotice }: Protocol): void {
  if (crashNotice === undefined) return;
  throw new ConclaveError(
    'bad-input',
    `${where}: ${title} relies on reports of crashes, which a part does not get`,
    'Take another lock.',
  );
}

/** The stable fields of a part, by their names in the whole. */
export const partStable = (name: string, part: Role | undefined): readonly string[] =>
  (part?.stable ?? []).map((field) => `${name}.${field}`);

/** The counters among them. */
export const partCounters = (name: string, part: Role | undefined): readonly string[] =>
  (part?.counters ?? []).map((path) => `${name}.${path}`);

/** The messages, or commands, of a part, by their names in the whole. */
export const partShapes = <S extends Shape>(
  name: string,
  shapes: Readonly<Record<string, S>>,
): Readonly<Record<string, S>> =>
  Object.fromEntries(
    Object.entries(shapes).map(([type, shape]) => [`${name}-${type}`, partShape(name, shape)]),
  );

/** The condition of a command of the part looks at the part. */
function partShape<S extends Shape>(name: string, shape: S): S {
  const { when }: Partial<Protocol['commands'][string]> = shape;
  if (!when) return shape;
  const whenInPart = (node: NodeView) => {
    const part = partView(name, node);
    return part !== undefined && when(part);
  };
  return { ...shape, when: whenInPart };
}

/**
 * The part `name` of a node of the whole, with the role of the node in the whole; undefined where
 * it has no such part.
 */
export function partView(name: string, node: NodeView): NodeView | undefined {
  const { id, role, crashed, value, tags } = node;
  const context = node.context[name];
  if (typeof context !== 'object' || context === null) return undefined;
  return {
    id,
    role,
    crashed,
    value: typeof value === 'string' ? value : (value[name] ?? {}),
    context: Object.fromEntries(Object.entries(context)),
    tags: new PartTags(name, tags),
  };
}

/** The tags of a part, which are tags of the whole under another name. */
class PartTags extends Set<string> {
  readonly #prefix: string;
  readonly #whole: ReadonlySet<string>;

  constructor(name: string, whole: ReadonlySet<string>) {
    const prefix = `${name}:`;
    super(
      [...whole].filter((tag) => tag.startsWith(prefix)).map((tag) => tag.slice(prefix.length)),
    );
    this.#prefix = prefix;
    this.#whole = whole;
  }

  /** The set of the whole refuses tags that no state has. */
  override has(tag: string): boolean {
    return this.#whole.has(this.#prefix + tag);
  }
}

/** The system of the parts `name` of all nodes, or of `members` only. */
export const partSystem = (
  name: string,
  system: SystemView,
  members?: ReadonlySet<NodeId>,
): SystemView => new PartSystem(name, system, members);

class PartSystem implements SystemView {
  constructor(
    private readonly name: string,
    private readonly system: SystemView,
    private readonly members: ReadonlySet<NodeId> | undefined,
  ) {}

  get nodes(): readonly NodeView[] {
    return this.#parts(this.system.nodes);
  }

  /** @throws {ConclaveError} `bad-input` for a node that has no such part. */
  node(id: NodeId): NodeView {
    const part = this.#has(id) ? partView(this.name, this.system.node(id)) : undefined;
    if (!part) throw new ConclaveError('bad-input', `Node ${id} has no part '${this.name}' here`);
    return part;
  }

  get live(): number {
    return this.nodes.filter(({ crashed }) => !crashed).length;
  }

  count(tag: string): number {
    return this.members
      ? this.#tagged(tag).filter(({ id }) => this.#has(id)).length
      : this.system.count(`${this.name}:${tag}`);
  }

  tagged(tag: string): readonly NodeView[] {
    return this.#parts(this.#tagged(tag));
  }

  distinct(tag: string, field: string): readonly unknown[] {
    return [...new Set(this.tagged(tag).map(({ context }) => context[field]))];
  }

  inFlight(type?: string): readonly InFlight[] {
    const prefix = `${this.name}-`;
    return this.system
      .inFlight(type === undefined ? undefined : prefix + type)
      .filter(
        ({ from, to, message }) =>
          message.type.startsWith(prefix) && this.#has(from) && this.#has(to),
      )
      .map((flight) => ({
        ...flight,
        message: { ...flight.message, type: flight.message.type.slice(prefix.length) },
      }));
  }

  #has(id: NodeId): boolean {
    return this.members?.has(id) ?? true;
  }

  #tagged(tag: string): readonly NodeView[] {
    return this.system.tagged(`${this.name}:${tag}`);
  }

  #parts(nodes: readonly NodeView[]): readonly NodeView[] {
    return nodes.flatMap((node) => (this.#has(node.id) ? (partView(this.name, node) ?? []) : []));
  }
}

/**
 * A property of a part as a property of the whole.
 *
 * @throws {ConclaveError} `bad-input` for an `atMost`, which counts commands: a part gets them from
 * the whole, not from an application.
 */
export function partProperty(name: string, property: Property): Property {
  if (property.kind === 'atMost')
    throw new ConclaveError(
      'bad-input',
      `'${property.name}' is not a property of the part '${name}': only the whole gets the command '${property.per}'`,
      'Count the messages of the whole with atMost.',
    );
  const asked = functionsOf(property).map((each) => [each.name, askedOfPart(name, each)]);
  return { ...property, ...Object.fromEntries(asked) };
}

/** A function of a property of the part `name` as one of the whole; nothing is true of a missing part. */
function askedOfPart(name: string, { sees, ask }: FunctionOfProperty) {
  if (sees === 'system') return (system: SystemView) => ask(partSystem(name, system));
  if (sees === 'step') return (step: NodeStep) => partStep(name, step, ask);
  return (node: NodeView) => {
    const part = partView(name, node);
    if (part) return ask(part);
    return sees === 'number' ? undefined : false;
  };
}

/**
 * Whether `allows` holds for a step of the whole as a step of its part `name`; for a step of
 * another part it does.
 */
function partStep(name: string, step: NodeStep, allows: (step: NodeStep) => boolean): boolean {
  const known = seenAsPart.get(step);
  if (known?.has(name)) return allowed(known.get(name), allows);
  const seen = asPart(name, step);
  seenAsPart.set(step, (known ?? new Map()).set(name, seen));
  return allowed(seen, allows);
}

const allowed = (step: NodeStep | undefined, allows: (step: NodeStep) => boolean): boolean =>
  step === undefined || allows(step);

/** By the name of the part: several properties look at the same step. */
const seenAsPart = new WeakMap<NodeStep, Map<string, NodeStep | undefined>>();

/** A step of the whole as a step of its part `name`; undefined for a step of another part. */
function asPart(
  name: string,
  { before, after, cause, sent, notified }: NodeStep,
): NodeStep | undefined {
  const prefix = `${name}-`;
  if (cause.kind !== 'message' || !cause.message.type.startsWith(prefix)) return undefined;
  const [was, is] = [partView(name, before), partView(name, after)];
  if (!was || !is) return undefined;
  const own = <T extends { readonly type: string }>(carrier: T): T => ({
    ...carrier,
    type: carrier.type.slice(prefix.length),
  });
  const messages = sent
    .filter(({ message }) => message.type.startsWith(prefix))
    .map(({ to, message }) => ({ to, message: own(message) }));
  return {
    before: was,
    after: is,
    cause: { ...cause, message: own(cause.message) },
    sent: messages,
    notified,
  };
}

/**
 * The network, the nodes and the messages of a protocol whose `machine` has the machine of `group`
 * as its region `group`.
 */
export function overGroup(
  group: Protocol,
  machine: Protocol['roles'][string]['machine'],
): Pick<Protocol, 'topology' | 'channels' | 'crashNotice' | 'roles' | 'messages'> {
  const { node } = group.roles;
  return {
    topology: needs.complete,
    channels: group.channels,
    crashNotice: `group-${group.crashNotice}`,
    roles: {
      node: {
        machine,
        input: (self, topology) => ({ self, group: node?.input(self, topology) ?? null }),
        stable: partStable('group', node),
        counters: partCounters('group', node),
      },
    },
    messages: partShapes('group', group.messages),
  };
}
