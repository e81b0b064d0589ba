import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Label {
  readonly label: string;
  readonly hint?: ComponentChildren | undefined;
}

/** The attributes of a control that its field gives it. */
interface Control {
  readonly id: string;
  readonly 'aria-describedby': string;
}

export interface FieldProps extends Label {
  readonly children: (control: Control) => ComponentChildren;
}

/** A control with its label and what it means. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-note` })}
      <div id={`${id}-note`} class="note">
        {hint}
      </div>
    </div>
  );
}

export interface InputEvent {
  readonly currentTarget: HTMLInputElement;
}

export interface InputProps extends Label {
  readonly type?: 'text' | 'number';
  readonly value: string | number;
  /** Called while a value is typed. */
  readonly onInput?: (event: { readonly currentTarget: { readonly value: string } }) => void;
  /** Called when it is complete. */
  readonly onChange?: (event: InputEvent) => void;
  readonly placeholder?: string;
  readonly list?: string;
  readonly inputMode?: 'numeric' | 'decimal';
  readonly spellcheck?: boolean;
  readonly required?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
}

export const InputField = ({ label, hint, ...input }: InputProps) => (
  <Field label={label} hint={hint}>
    {(control) => <input {...input} {...control} />}
  </Field>
);

type Option<T> = readonly [value: T, text: string];

export interface SelectProps<T> extends Partial<Control> {
  /** Its name, where no label says it. */
  readonly 'aria-label'?: string;
  readonly value: T;
  readonly options: readonly Option<T>[];
  readonly onChoose: (value: T) => void;
}

/** A choice among values of any kind. */
export const Select = <T,>({ value, options, onChoose, ...control }: SelectProps<T>) => (
  <select
    {...control}
    value={String(options.findIndex(([one]) => one === value))}
    onChange={({ currentTarget }) => {
      const chosen = options[currentTarget.selectedIndex];
      if (chosen) onChoose(chosen[0]);
    }}
  >
    {options.map(([, text], index) => (
      <option key={text} value={String(index)}>
        {text}
      </option>
    ))}
  </select>
);

export const SelectField = <T,>({ label, hint, ...select }: Label & SelectProps<T>) => (
  <Field label={label} hint={hint}>
    {(control) => <Select {...select} {...control} />}
  </Field>
);
