import { computed, signal } from '@preact/signals';
import { type CheckInput, usualMemory } from '../../model/check.js';
import type { Session } from '../../model/session.js';
import { Field } from '../parts/field.js';
import { Popover } from '../parts/popover.js';

/** How checks are made from now on; the same for all protocols. */
const fairness = signal<NonNullable<CheckInput['fairness']>>('weak');
const reduce = signal<NonNullable<CheckInput['reduce']>>('none');
const search = signal<NonNullable<CheckInput['search']>>('breadth');
const safety = signal(false);
const memory = signal(usualMemory);
const seconds = signal(60);
const states = signal<number | undefined>(undefined);

export const checkInput = computed<CheckInput>(() => ({
  ...{ fairness: fairness.value, reduce: reduce.value, search: search.value, safety: safety.value },
  limits: {
    memory: memory.value,
    ...(seconds.value > 0 && { seconds: seconds.value }),
    ...(states.value !== undefined && { states: states.value }),
  },
}));

export function Options({ session: { system } }: { readonly session: Session }) {
  const hasSymmetry = system.protocol.symmetry !== undefined;
  return (
    <Popover label="Options" title="How to check">
      <div class="check-options">
        <Choice
          label="Fairness"
          hint="Which infinite runs count."
          value={fairness}
          options={[
            ['none', 'none: every infinite run'],
            ['weak', 'weak: what stays possible happens'],
            ['strong', 'strong: what is possible again and again happens'],
          ]}
        />
        <Choice
          label="Leave out"
          hint="Equivalent worlds; nothing is proved of runs then."
          value={reduce}
          options={[
            ['none', 'nothing'],
            ['order', 'orders of independent steps'],
            ...(hasSymmetry ? ([['symmetry', 'symmetric worlds']] as const) : []),
            ['all', 'both'],
          ]}
        />
        <Choice
          label="Search"
          hint="Breadth-first finds shortest runs."
          value={search}
          options={[
            ['breadth', 'breadth-first'],
            ['depth', 'depth-first'],
          ]}
        />
        <Choice
          label="Properties"
          hint="Those of states alone take less memory."
          value={safety}
          options={[
            [false, 'all'],
            [true, 'of states only'],
          ]}
        />
        <Choice
          label="Time"
          hint="The verdicts found by then are kept."
          value={seconds}
          options={[
            [10, '10 s'],
            [60, '1 min'],
            [600, '10 min'],
            [0, 'no limit'],
          ]}
        />
        <Choice
          label="Memory"
          hint="For worlds and edges. A browser does not say how much a page may take: more may end the page."
          value={memory}
          options={[
            [250, '250 MB'],
            [usualMemory, '1 GB'],
            [3000, '3 GB'],
          ]}
        />
        <Choice
          label="Worlds"
          value={states}
          options={[
            [undefined, 'no limit'],
            [10_000, '10,000'],
            [100_000, '100,000'],
            [1_000_000, '1,000,000'],
          ]}
        />
      </div>
    </Popover>
  );
}

interface ChoiceProps<T> {
  readonly label: string;
  readonly hint?: string;
  readonly value: { value: T };
  readonly options: readonly (readonly [T, string])[];
}

function Choice<T>({ label, hint, value, options }: ChoiceProps<T>) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <select
          {...control}
          value={String(options.findIndex(([one]) => one === value.value))}
          onChange={({ currentTarget }) => {
            const chosen = options[currentTarget.selectedIndex];
            if (chosen) value.value = chosen[0];
          }}
        >
          {options.map(([, text], index) => (
            <option key={text} value={String(index)}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
