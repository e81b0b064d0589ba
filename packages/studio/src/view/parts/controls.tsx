/** Buttons and what is on them: icons, badges; to copy a text, to choose a file. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { langOf, say, sayAny } from '../../texts/say.js';
import { attempt } from '../studio.js';

const paths = {
  back: 'M10 3 5 8l5 5',
  forward: 'M6 3l5 5-5 5',
  check: 'M3 8.5l3.2 3.2L13 5',
  cross: 'M4 4l8 8M12 4l-8 8',
  enlarge: 'M9.5 2.5h4v4M6.5 13.5h-4v-4M13.5 2.5 9 7M2.5 13.5 7 9',
  first: 'M12 3 7 8l5 5M4 3v10',
  last: 'M4 3l5 5-5 5M12 3v10',
  link: 'M6.5 9.5l3-3M7 4.5 8.8 2.7a3.2 3.2 0 0 1 4.5 4.5L11.5 9M9 11.5l-1.8 1.8a3.2 3.2 0 0 1-4.5-4.5L4.5 7',
  minus: 'M3 8h10',
  moon: 'M13.5 9.6A6 6 0 0 1 6.4 2.5a6 6 0 1 0 7.1 7.1z',
  pause: 'M5.5 3v10M10.5 3v10',
  plus: 'M8 3v10M3 8h10',
  reduce: 'M13.5 6.5h-4v-4M2.5 9.5h4v4M9.5 6.5l4-4M6.5 9.5l-4 4',
  run: 'M5 3l8 5-8 5z',
  sun: 'M8 5a3 3 0 1 1 0 6 3 3 0 0 1 0-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1',
  system: 'M2 3h12v8H2zM6 13.5h4',
  undecided: 'M6 6a2 2 0 1 1 2.6 1.9c-.4.2-.6.5-.6 1v.6M8 12.3v.1',
} as const;

export type IconName = keyof typeof paths;

/** A small picture beside words, or alone in a button with a title. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** A verdict has a shape of its own, beside its colour. */
export const toneIcons = { true: 'check', false: 'cross', undecided: 'undecided' } as const;

/** What the catalogue says, such as the name of a property: in German, where that has it. */
export const Translated = ({
  text,
  ...others
}: JSX.IntrinsicElements['span'] & { text: string }) => (
  <span lang={langOf(text)} {...others}>
    {sayAny(text)}
  </span>
);

interface BadgeProps {
  /** `plain` is a label. */
  readonly tone?: keyof typeof toneIcons | 'plain' | undefined;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

export const Badge = ({ tone = 'plain', title, children }: BadgeProps) => (
  <span class={`badge ${tone}`} title={title}>
    {tone !== 'plain' && <Icon name={toneIcons[tone]} />}
    {children}
  </span>
);

export interface ButtonProps {
  readonly onClick: (event: MouseEvent) => void;
  /** What it does, where the content does not say it; shown while the pointer rests on it. */
  readonly title?: string | undefined;
  /** Before its words, or alone. */
  readonly icon?: IconName | undefined;
  readonly disabled?: boolean | undefined;
  /** Like `disabled`, with the focus: for a button that the next click elsewhere may enable. */
  readonly inactive?: boolean | undefined;
  /** Of a switch: whether it is on. */
  readonly pressed?: boolean | undefined;
  /** Of a button that opens something: whether that is open. */
  readonly expanded?: boolean | undefined;
  /** `primary`: the one thing most people want here; `quiet`: without a frame, as an icon alone is. */
  readonly kind?: 'plain' | 'primary' | 'quiet' | undefined;
  readonly children?: ComponentChildren;
}

export function Button({ kind, title, icon, inactive, children, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      class={`button ${kind ?? (children ? 'plain' : 'quiet')}`}
      onClick={inactive ? undefined : props.onClick}
      aria-disabled={inactive || undefined}
      title={title}
      aria-label={children ? undefined : title}
      disabled={props.disabled}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

interface TurnProps {
  readonly titles: readonly [back: string, on: string];
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly onTurn: (by: 1 | -1) => void;
  /** Between them: where one is. */
  readonly children?: ComponentChildren;
}

/** To other parts of what is too long to be shown at once. */
export const Turn = ({ titles: [back, on], isFirst, isLast, onTurn, children }: TurnProps) => (
  <>
    <Button icon="back" title={back} disabled={isFirst} onClick={() => onTurn(-1)} />
    {children && <span>{children}</span>}
    <Button icon="forward" title={on} disabled={isLast} onClick={() => onTurn(1)} />
  </>
);

interface CopyProps extends Pick<ButtonProps, 'kind' | 'icon' | 'disabled'> {
  readonly text: () => string;
  readonly title: string;
  readonly children: ComponentChildren;
}

const words = { copied: 'Copied', refused: 'The browser refused' } as const;

/** A button that copies a text, and says that it did. */
export function Copy({ text, icon, children, ...button }: CopyProps) {
  const [outcome, setOutcome] = useState<keyof typeof words | undefined>(undefined);
  useEffect(() => {
    if (!outcome) return;
    const timer = setTimeout(() => setOutcome(undefined), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  return (
    <>
      <Button
        {...button}
        icon={outcome === 'copied' ? 'check' : icon}
        onClick={() =>
          navigator.clipboard.writeText(text()).then(
            () => setOutcome('copied'),
            () => setOutcome('refused'),
          )
        }
      >
        <span>{outcome ? say(words[outcome]) : children}</span>
      </Button>
      <span class="unseen" role="status">
        {outcome && say(words[outcome])}
      </span>
    </>
  );
}

interface PickFileProps {
  readonly label: string;
  readonly onPick: (text: string, name: string) => unknown;
}

export const PickFile = ({ label, onPick }: PickFileProps) => (
  <label class="button">
    {label}
    <input
      type="file"
      class="unseen"
      onChange={({ currentTarget }) => {
        const [file] = currentTarget.files ?? [];
        if (file) void attempt(async () => onPick(await file.text(), file.name));
        currentTarget.value = ''; // the same file may be chosen again
      }}
    />
  </label>
);

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
    <div class="field stack">
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
