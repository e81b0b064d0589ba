import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMachine } from 'xstate';
import { chart } from './mermaid.js';
import { coverage } from './specification.js';

describe('coverage', () => {
  it('looks at inner states before outer ones, and goes on outwards while a guard may be false', () => {
    const machine = createMachine({
      initial: 'outer',
      on: { reply: { actions: 'count' } },
      states: {
        outer: {
          initial: 'shut',
          states: {
            shut: { on: { reply: {} } },
            choosy: { on: { reply: { guard: 'late' } } },
            plain: {},
            done: { type: 'final' },
          },
        },
      },
    });
    expect(coverage(machine, 'reply')).toEqual({
      handled: ['outer.choosy', 'outer.plain', 'outer.done'],
      ignored: ['outer.shut'],
      states: ['outer.shut', 'outer.choosy', 'outer.plain', 'outer.done'],
    });
    expect(coverage(machine, 'request')).toMatchObject({ handled: [], ignored: [] });
  });

  it('looks at the exact name before the longest wildcard', () => {
    const machine = createMachine({
      initial: 'x',
      states: {
        x: { on: { 'a.*': { actions: 'count' }, 'a.b': {}, '*': {} } },
        y: { on: { '*': {}, 'a.*': { actions: 'count' } } },
      },
    });
    expect(coverage(machine, 'a.b')).toMatchObject({ handled: ['y'], ignored: ['x'] });
    expect(coverage(machine, 'a.c')).toMatchObject({ handled: ['x', 'y'], ignored: [] });
    expect(coverage(machine, 'b')).toMatchObject({ handled: [], ignored: ['x', 'y'] });
  });

  it('looks at each parallel region separately', () => {
    const machine = createMachine({
      type: 'parallel',
      states: {
        client: { initial: 'x', states: { x: { on: { go: 'y' } }, y: {} } },
        voter: { on: { go: {} } },
      },
    });
    expect(coverage(machine, 'go')).toEqual({
      handled: ['client.x'],
      ignored: ['voter'],
      states: ['client.x', 'client.y', 'voter'],
    });
  });

  it('agrees with XState', () => {
    const machine = createMachine({
      initial: 'x',
      on: { '*': {} },
      states: {
        x: { on: { 'job.*': 'y' } },
        y: { on: { job: {}, 'job.*': { actions: 'count' } } },
      },
    });
    for (const name of ['x', 'y'])
      for (const type of ['job', 'job.done', 'jobs']) {
        const [first] =
          machine.getTransitionData(machine.resolveState({ value: name }), { type }) ?? [];
        const acts =
          first !== undefined && (first.target !== undefined || first.actions.length > 0);
        expect(coverage(machine, type).handled.includes(name), `${type} in ${name}`).toBe(acts);
      }
  });
});

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
