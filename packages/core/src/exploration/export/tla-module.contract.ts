/** What a module of TLA+ means: its states and steps, found by its definitions alone. */
import { type Definition, readModule, type Term } from './tla-syntax.contract.js';

type Value = string | number | boolean | SetValue | FunctionValue;
class SetValue {
  readonly items: ReadonlyMap<string, Value>;
  constructor(items: Iterable<Value>) {
    this.items = new Map([...items].map((item) => [keyOf(item), item]));
  }
  readonly key = (): string => `{${[...this.items.keys()].sort().join()}}`;
}
/** Also records and sequences. */
class FunctionValue {
  readonly pairs: ReadonlyMap<string, readonly [Value, Value]>;
  constructor(pairs: Iterable<readonly [Value, Value]>) {
    this.pairs = new Map([...pairs].map((pair) => [keyOf(pair[0]), pair]));
  }
  readonly key = (): string =>
    `[${[...this.pairs]
      .map(([key, [, value]]) => `${key}:${keyOf(value)}`)
      .sort()
      .join()}]`;
}

const keyOf = (value: Value): string =>
  typeof value === 'object' ? value.key() : JSON.stringify(value);
const sequence = (items: readonly Value[]) =>
  new FunctionValue(items.map((item, index) => [index + 1, item]));
const itemsOf = (value: Value): readonly Value[] => {
  const { pairs } = value as FunctionValue; // a sequence
  return Array.from({ length: pairs.size }, (_, index) => at(value, index + 1));
};
function at(value: Value, key: Value): Value {
  const found = value instanceof FunctionValue ? value.pairs.get(keyOf(key)) : undefined;
  if (!found) throw new Error(`${keyOf(value)} has no ${keyOf(key)}`);
  return found[1];
}
function members(value: Value): readonly Value[] {
  if (!(value instanceof SetValue)) throw new Error(`${keyOf(value)} is no set`);
  return [...value.items.values()];
}
const has = (set: Value, item: Value) => (set as SetValue).items.has(keyOf(item)); // a set

type Scope = ReadonlyMap<string, Value>;
type State = Scope;

export class TlaModule {
  readonly #variables: readonly string[];
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #constants = new Map<string, Value>();

  constructor(text: string) {
    const { variables, definitions } = readModule(text);
    this.#variables = variables;
    this.#definitions = definitions;
  }

  /** Every state that the module reaches. */
  explore(): { readonly states: readonly State[]; readonly transitions: number } {
    const known = new Map<string, State>();
    const open: State[] = [];
    let transitions = 0;
    const meet = (state: State) => {
      const key = this.#variables.map((name) => keyOf(state.get(name) ?? '')).join(';');
      if (known.has(key)) return;
      known.set(key, state);
      open.push(state);
    };
    // in Init, each variable is said to be a value
    const initial = this.#steps(this.#body('Init'), new Map(), new Map(), '=');
    for (const state of initial) meet(state);
    for (const state of open)
      for (const next of this.#steps(this.#body('Next'), state, new Map(), 'prime')) {
        transitions++;
        if (this.#variables.some((name) => !next.has(name))) throw new Error('no next value');
        meet(next);
      }
    return { states: open, transitions };
  }

  /** Whether a definition without parameters is true in a state; undefined: it is about runs. */
  holds(name: string, state: State): boolean | undefined {
    const found = this.#definitions.get(name);
    return found && this.#value(found.body, state) === true;
  }

  #body(name: string): Term {
    const found = this.#definitions.get(name);
    if (!found) throw new Error(`${name} is not defined`);
    return found.body;
  }

  /** The values of the variables after an action, so far as it says them. */
  *#steps(
    { op, name, parts }: Term,
    scope: Scope,
    next: State,
    assigned: 'prime' | '=',
  ): Iterable<State> {
    const [first, second] = parts;
    const left = assigned === 'prime' ? 'prime' : 'name';
    if (op === '/\\' && first && second) {
      for (const one of this.#steps(first, scope, next, assigned))
        yield* this.#steps(second, scope, one, assigned);
    } else if (op === '\\/') {
      for (const part of parts) yield* this.#steps(part, scope, next, assigned);
    } else if (op === '\\E' && first && second) {
      for (const item of members(this.#value(first, scope)))
        yield* this.#steps(second, new Map([...scope, [name, item]]), next, assigned);
    } else if (op === '=' && first?.op === left && second) {
      yield new Map([...next, [first.name, this.#value(second, scope)]]);
    } else if (op === 'UNCHANGED') {
      const kept = first?.parts.map(({ name: kept }) => [kept, scope.get(kept) ?? ''] as const);
      yield new Map([...next, ...(kept ?? [])]);
    } else if ((op === 'call' || op === 'name') && this.#definitions.has(name)) {
      yield* this.#steps(this.#body(name), this.#bound(name, parts, scope), next, assigned);
    } else if (this.#value({ op, name, parts }, scope) === true) yield next;
  }

  #bound(name: string, parts: readonly Term[], scope: Scope): Scope {
    const { params } = this.#definitions.get(name) ?? { params: [] };
    return new Map([
      ...scope,
      ...params.map(
        (param, index) => [param, this.#value(parts[index] as Term, scope)] as const, // as many
      ),
    ]);
  }

  #value(expression: Term, scope: Scope): Value {
    const { op, name, parts } = expression;
    const value = (index: number, inner = scope): Value => this.#value(parts[index] as Term, inner); // by its syntax
    const with_ = (item: Value): Scope => new Map([...scope, [name, item]]);
    const number = (index: number) => Number(value(index));
    switch (op) {
      case 'text':
        return JSON.parse(name);
      case 'number':
        return name === '@' ? (scope.get('@') ?? 0) : Number(name);
      case 'name':
        return this.#named(name, scope);
      case 'call':
        return this.#called(expression, scope);
      case 'tuple':
        return sequence(parts.map((_, index) => value(index)));
      case 'set':
        return new SetValue(parts.map((_, index) => value(index)));
      case 'filter':
        return new SetValue(members(value(0)).filter((item) => value(1, with_(item)) === true));
      case 'map':
        return new SetValue(members(value(0)).map((item) => value(1, with_(item))));
      case 'function':
        return new FunctionValue(members(value(0)).map((item) => [item, value(1, with_(item))]));
      case 'record':
        return new FunctionValue(
          parts.map(({ name: field, parts: [inner] }) => [
            field,
            this.#value(inner as Term, scope),
          ]), // of `field`
        );
      case 'EXCEPT':
        return parts.slice(1).reduce((changed, { parts: [key, to] }) => {
          const place = this.#value(key as Term, scope); // of `change`
          const old = at(changed, place);
          const now = this.#value(to as Term, new Map([...scope, ['@', old]])); // of `change`
          return new FunctionValue([...(changed as FunctionValue).pairs.values(), [place, now]]); // `at` has looked
        }, value(0));
      case '.':
        return at(value(0), name);
      case 'apply':
        return at(value(0), value(1));
      case 'DOMAIN':
        return new SetValue([...(value(0) as FunctionValue).pairs.values()].map(([key]) => key)); // by TLA+
      case 'IF':
        return value(value(0) === true ? 1 : 2);
      case 'CASE':
        return value(
          1 +
            parts.findIndex(
              (part, index) =>
                index % 2 === 0 && (part.name === 'OTHER' || this.#value(part, scope) === true),
            ),
        );
      case 'LET':
        return value(1, with_(value(0)));
      case '\\E':
        return members(value(0)).some((item) => value(1, with_(item)) === true);
      case '\\A':
        return members(value(0)).every((item) => value(1, with_(item)) === true);
      case 'CHOOSE': {
        const found = members(value(0)).find((item) => value(1, with_(item)) === true);
        if (found === undefined) throw new Error('nothing to choose');
        return found;
      }
      case '/\\':
        return value(0) === true && value(1) === true;
      case '\\/':
        return value(0) === true || value(1) === true;
      case '=>':
        return value(0) !== true || value(1) === true;
      case '~':
        return value(0) !== true;
      case '=':
      case '<=>':
        return keyOf(value(0)) === keyOf(value(1));
      case '#':
        return keyOf(value(0)) !== keyOf(value(1));
      case '\\in':
        return has(value(1), value(0));
      case '\\notin':
        return !has(value(1), value(0));
      case '\\cup':
        return new SetValue([...members(value(0)), ...members(value(1))]);
      case '\\cap':
        return new SetValue(members(value(0)).filter((item) => has(value(1), item)));
      case '\\':
        return new SetValue(members(value(0)).filter((item) => !has(value(1), item)));
      case '\\X':
        return new SetValue(
          members(value(0)).flatMap((a) => members(value(1)).map((b) => sequence([a, b]))),
        );
      case '\\o':
        return sequence([...itemsOf(value(0)), ...itemsOf(value(1))]);
      case '>':
        return number(0) > number(1);
      case '+':
        return number(0) + number(1);
      case '-':
        return number(0) - number(1);
      default:
        throw new Error(`unknown: ${op}`);
    }
  }

  #named(name: string, scope: Scope): Value {
    const known = scope.get(name) ?? this.#constants.get(name);
    if (known !== undefined) return known;
    if (name === 'TRUE' || name === 'FALSE') return name === 'TRUE';
    const made = this.#value(this.#body(name), scope);
    const isConstant = /^(Nodes|Initial|Counters|Conditions|Budget|Parcels|InFlight|Events)$/;
    if (isConstant.test(name)) this.#constants.set(name, made);
    return made;
  }

  #called({ name, parts }: Term, scope: Scope): Value {
    const [first, second] = parts;
    if (!first) throw new Error(`${name} of nothing`);
    const value = () => this.#value(first, scope);
    if (name === 'Len') return itemsOf(value()).length;
    if (name === 'Tail') return sequence(itemsOf(value()).slice(1));
    if (name === 'Cardinality') return members(value()).length;
    if (name !== 'SelectSeq' || second?.op !== 'LAMBDA')
      return this.#value(this.#body(name), this.#bound(name, parts, scope));
    const [where] = second.parts;
    return sequence(
      itemsOf(value()).filter(
        (item) => where && this.#value(where, new Map([...scope, [second.name, item]])) === true,
      ),
    );
  }
}
