import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { chart } from './mermaid.js';

const drawn = (config: Parameters<typeof createMachine>[0]) => chart(createMachine(config));

describe('the text of a chart', () => {
  it('gives each state a unique name that Mermaid accepts', () => {
    const text = drawn({
      id: 'root',
      initial: 'a-b',
      states: {
        'a-b': { on: { n: 'a_b' } },
        a_b: { on: { n: 'a.b' } },
        a: { initial: 'b', states: { b: {}, start: {} } },
        Note: {},
        'été 1': {},
      },
    });
    expect(text.match(/(?<=" as )\S+/g)).toEqual([
      'a_b',
      'a_b_2',
      'a',
      'a_b_3',
      'a_start_',
      'Note_',
      'été_1',
    ]);
    expect(text).toContain('  a_b_2 --> a_b_3 : n\n');
  });

  it('escapes text that Mermaid would interpret', () => {
    const text = drawn({
      initial: 'x',
      states: {
        x: {
          description: 'direction LR; a "b" <i>\nend note',
          on: { 'a:b': { actions: '#1' }, '%%c': { target: 'y', actions: '_*`$&\\' } },
        },
        y: {},
      },
    });
    expect(text).toMatchInlineSnapshot(`
      "stateDiagram-v2
        [*] --> x
        state "x" as x
        x : a#58;b / #35;1
        note right of x
          direction#32;LR#59; a #34;b#34; #60;i#62;
          end#32;note
        end note
        x --> y : #37;#37;c / #95;#42;#96;#36;#38;#92;
        state "y" as y
      "
    `);
  });

  it('is well formed for all names of states, events and actions', () => {
    const word = fc
      .string({ minLength: 1, maxLength: 12, unit: 'binary' })
      .filter((text) => !/[.#]/.test(text) && text !== '__proto__');
    assertRuns(
      fc.property(
        fc.uniqueArray(word, { minLength: 2, maxLength: 4 }),
        word,
        word,
        (states, event, text) => {
          const [first = '', second = ''] = states;
          const leaf = {
            description: text,
            tags: text,
            on: {
              [event]: { target: `#${second}`, actions: text, guard: text },
              [`${event}!`]: {},
            },
          };
          const lines = drawn({
            id: 'node',
            initial: first,
            states: Object.fromEntries(states.map((key) => [key, { ...leaf, id: key }])),
          })
            .trimEnd()
            .split('\n');
          expect(lines.shift()).toBe('stateDiagram-v2');
          const id = '[\\p{L}\\p{N}_]+';
          const label = '([^:;<>"%*_`$\\\\&#\\n\\r]|#\\d+;)*';
          const form = new RegExp(
            `^ +(state "${label}" as ${id}|\\[\\*\\] --> ${id}|${id} --> ${id} : ${label}|${id} : ${label}|note right of ${id}|  ${label}|end note)$`,
            'u',
          );
          for (const line of lines) expect(line).toMatch(form);
          expect(new Set(lines.flatMap((line) => / as (\S+)$/.exec(line)?.[1] ?? [])).size).toBe(
            states.length,
          );
        },
      ),
      20,
      200,
      1,
    );
  });
});
