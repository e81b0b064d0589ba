/** A reader of the part of TLA+ that modules are written in. It shares nothing with their writer. */

/** An expression: an operator with its operands, or a name, a text or a number. */
export interface Term {
  readonly op: string;
  readonly name: string;
  readonly parts: readonly Term[];
}

export interface Definition {
  readonly params: readonly string[];
  readonly body: Term;
}

const term = (op: string, parts: readonly Term[] = [], name = ''): Term => ({ op, name, parts });

const tokens =
  /\s+|"(?:[^"\\]|\\.)*"|\d+|\w+|\\(?:in|notin|E|A|o|cup|cap|X)\b|<=>|\|->|<<|>>|=>|->|==|\/\\|\\\/|\[\]|[\\=#<>+\-~!@.,:(){}[\]']/gy;

/** Binary operators with how tightly they bind, by the book of TLA+ where they meet here. */
const binary: Readonly<Record<string, number>> = {
  ...{ '=>': 1, '<=>': 1, '\\/': 2, '/\\': 3, '=': 5, '#': 5, '>': 5, '\\in': 5, '\\notin': 5 },
  ...{ '\\cup': 8, '\\cap': 8, '\\': 8, '\\X': 10, '+': 10, '-': 10, '\\o': 13 },
};

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    const found = [...text.matchAll(tokens)];
    const length = found.reduce((sum, [token]) => sum + token.length, 0);
    if (length !== text.length) throw new Error(`unknown sign: ${text.slice(length, length + 40)}`);
    this.#tokens = found.map(([token]) => token).filter((token) => token.trim() !== '');
  }

  whole(): Term {
    const all = this.expression(0);
    if (this.#at < this.#tokens.length) throw new Error(`left: ${this.#rest()}`);
    return all;
  }

  expression(least: number): Term {
    if (this.#peek() === '/\\' || this.#peek() === '\\/') this.#next(); // the first of a list
    let left = this.#unary();
    for (;;) {
      const op = this.#peek() ?? '';
      const binds = binary[op];
      if (binds === undefined || binds < least) return left;
      this.#next();
      left = term(op, [left, this.expression(binds + 1)]);
    }
  }

  #unary(): Term {
    const word = this.#peek() ?? '';
    if (word === '~') return this.#prefix('~', 4);
    if (word === 'UNCHANGED' || word === 'DOMAIN') return this.#prefix(word, 9);
    if (word === '\\E' || word === '\\A' || word === 'CHOOSE') {
      this.#next();
      const [name, set] = this.#bound();
      this.#take(':');
      return term(word, [set, this.expression(0)], name);
    }
    if (word === 'LAMBDA') {
      this.#next();
      const name = this.#next();
      this.#take(':');
      return term(word, [this.expression(0)], name);
    }
    if (word === 'IF') {
      this.#next();
      const parts = [this.expression(0)];
      for (const between of ['THEN', 'ELSE']) {
        this.#take(between);
        parts.push(this.expression(0));
      }
      return term('IF', parts);
    }
    if (word === 'LET') return this.#let();
    if (word === 'CASE') return this.#case();
    return this.#postfix(this.#primary());
  }

  #prefix(op: string, binds: number): Term {
    this.#next();
    return term(op, [this.expression(binds)]);
  }

  #let(): Term {
    this.#next();
    const name = this.#next();
    this.#take('==');
    const value = this.expression(0);
    this.#take('IN');
    return term('LET', [value, this.expression(0)], name);
  }

  #case(): Term {
    const parts: Term[] = [];
    do {
      this.#next();
      parts.push(this.expression(0));
      this.#take('->');
      parts.push(this.expression(0));
    } while (this.#peek() === '[]');
    return term('CASE', parts);
  }

  #bound(): readonly [string, Term] {
    const name = this.#next();
    this.#take('\\in');
    return [name, this.expression(6)];
  }

  #postfix(first: Term): Term {
    let left = first;
    for (;;) {
      const word = this.#peek();
      if (word === "'") left = term('prime', [], left.name);
      else if (word === '.') left = term('.', [left], this.#tokens[this.#at++ + 1]);
      else if (word !== '[') return left;
      this.#next();
      if (word !== '[') continue;
      left = term('apply', [left, this.expression(0)]);
      this.#take(']');
    }
  }

  #primary(): Term {
    const word = this.#next();
    if (word === '(') {
      const inner = this.expression(0);
      this.#take(')');
      return inner;
    }
    if (word === '<<') return term('tuple', this.#list('>>'));
    if (word === '{') return this.#braces();
    if (word === '[') return this.#brackets();
    if (/^["\d@]/.test(word)) return term(word[0] === '"' ? 'text' : 'number', [], word);
    if (!/^\w+$/.test(word)) throw new Error(`unexpected ${word} ${this.#rest()}`);
    if (this.#peek() !== '(') return term('name', [], word);
    this.#next();
    return term('call', this.#list(')'), word);
  }

  #braces(): Term {
    if (this.#tokens[this.#at + 1] === '\\in') {
      const [name, set] = this.#bound();
      this.#take(':');
      const where = this.expression(0);
      this.#take('}');
      return term('filter', [set, where], name);
    }
    const items = this.#list('}', ':');
    if (this.#tokens[this.#at - 1] === '}') return term('set', items);
    const [name, set] = this.#bound();
    this.#take('}');
    return term('map', [set, ...items], name);
  }

  #brackets(): Term {
    const second = this.#tokens[this.#at + 1];
    if (second === '\\in') {
      const [name, set] = this.#bound();
      this.#take('|->');
      const value = this.expression(0);
      this.#take(']');
      return term('function', [set, value], name);
    }
    if (second !== '|->') return this.#except();
    const parts: Term[] = [];
    do {
      const name = this.#next();
      this.#take('|->');
      parts.push(term('field', [this.expression(0)], name));
    } while (this.#next() === ',');
    return term('record', parts);
  }

  #except(): Term {
    const parts = [this.expression(0)];
    this.#take('EXCEPT');
    do {
      this.#take('!');
      const isField = this.#next() === '.';
      const key = isField ? term('text', [], `"${this.#next()}"`) : this.expression(0);
      if (!isField) this.#take(']');
      this.#take('=');
      parts.push(term('change', [key, this.expression(0)]));
    } while (this.#next() === ',');
    return term('EXCEPT', parts);
  }

  /** Up to `end`, or to `other` behind the first. */
  #list(end: string, other = end): readonly Term[] {
    const items: Term[] = [];
    if (this.#peek() === end) this.#next();
    else
      for (let word = ','; word === ','; ) {
        items.push(this.expression(0));
        word = this.#next();
        if (word !== ',' && word !== end && word !== other) throw new Error(`no ${end}: ${word}`);
      }
    return items;
  }

  #peek = (): string | undefined => this.#tokens[this.#at];
  #next = (): string => this.#tokens[this.#at++] ?? '';
  #rest = (): string => this.#tokens.slice(this.#at, this.#at + 12).join(' ');
  #take(word: string): void {
    const found = this.#next();
    if (found !== word) throw new Error(`${word} expected, not ${found} ${this.#rest()}`);
  }
}

/** The definitions of a module that are not about runs, and its variables. */
export function readModule(text: string): {
  readonly variables: readonly string[];
  readonly definitions: ReadonlyMap<string, Definition>;
} {
  const bare = text.replace(/^\\\*.*\n/gm, '');
  const [, names = ''] = /^VARIABLES (.*)$/m.exec(bare) ?? [];
  const body = bare.replace(/^(----|====|EXTENDS|VARIABLES).*$/gm, '');
  const definitions = body.split(/^(?=\w+(?:\([\w, ]*\))? ==)/m).flatMap((part) => {
    const [, name = '', params, rest = ''] = /^(\w+)(\([\w, ]*\))? ==([\s\S]*)$/.exec(part) ?? [];
    if (name === '' || /WF_|\[\]\[|~>|<>\(|ENABLED/.test(rest)) return [];
    const listed = params?.slice(1, -1).split(', ') ?? [];
    return [[name, { params: listed, body: new Parser(rest).whole() }] as const];
  });
  return { variables: names.split(', '), definitions: new Map(definitions) };
}
