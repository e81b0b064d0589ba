import { computed, signal } from '@preact/signals';
import { type CheckInput, usualMemory } from '../../model/check.js';
import { say, type Text } from '../../texts/say.js';
import { SelectField } from '../parts/field.js';
import { Popover } from '../parts/popover.js';

interface Choice<T> {
  readonly label: Text;
  readonly hint?: Text;
  readonly options: readonly (readonly [value: T, text: Text])[];
}

const choices: {
  readonly fairness: Choice<NonNullable<CheckInput['fairness']>>;
  readonly search: Choice<NonNullable<CheckInput['search']>>;
  readonly safety: Choice<boolean>;
  readonly seconds: Choice<number | undefined>;
  readonly memory: Choice<number>;
  readonly states: Choice<number | undefined>;
} = {
  fairness: {
    label: 'Fairness',
    hint: 'Which infinite runs count.',
    options: [
      ['none', 'none: every infinite run'],
      ['weak', 'weak: what stays possible happens'],
      ['strong', 'strong: what is possible again and again happens'],
    ],
  },
  search: {
    label: 'Search',
    hint: 'Breadth-first finds shortest runs.',
    options: [
      ['breadth', 'breadth-first'],
      ['depth', 'depth-first'],
    ],
  },
  safety: {
    label: 'Properties',
    hint: 'Those of states alone take less memory.',
    options: [
      [false, 'all'],
      [true, 'of states only'],
    ],
  },
  seconds: {
    label: 'Time',
    hint: 'The verdicts found by then are kept.',
    options: [
      [10, '10 s'],
      [60, '1 min'],
      [600, '10 min'],
      [undefined, 'no limit'],
    ],
  },
  memory: {
    label: 'Memory',
    hint: 'For worlds and edges. A browser does not say how much a page may take: more may end the page.',
    options: [
      [250, '250 MB'],
      [usualMemory, '1 GB'],
      [3000, '3 GB'],
    ],
  },
  states: {
    label: 'Worlds',
    options: [
      [undefined, 'no limit'],
      [10_000, '10,000'],
      [100_000, '100,000'],
      [1_000_000, '1,000,000'],
    ],
  },
};

type Values = { readonly [N in keyof typeof choices]: (typeof choices)[N]['options'][number][0] };

/** How checks are made from now on; the same for all protocols. */
const values = signal<Values>({
  ...{ fairness: 'weak', search: 'breadth', safety: false },
  ...{ seconds: 60, memory: usualMemory, states: undefined },
});

export const checkInput = computed<CheckInput>(() => {
  const { seconds, memory, states, ...input } = values.value;
  const limits = { ...(seconds && { seconds }), memory, ...(states && { states }) };
  return { ...input, limits };
});

export function Options() {
  const names = Object.keys(choices) as (keyof Values)[]; // its keys are those it is made of
  return (
    <Popover label={say('Options')} title={say('How to check')}>
      {() => (
        <div class="check-options">
          {names.map((name) => {
            const { label, hint, options }: Choice<Values[typeof name]> = choices[name];
            return (
              <SelectField
                key={name}
                label={say(label)}
                hint={hint && say(hint)}
                value={values.value[name]}
                options={options.map(([value, text]) => [value, say(text)] as const)}
                onChoose={(value) => {
                  values.value = { ...values.value, [name]: value };
                }}
              />
            );
          })}
        </div>
      )}
    </Popover>
  );
}
