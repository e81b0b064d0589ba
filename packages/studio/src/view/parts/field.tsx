import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import './parts.css';

export interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren | undefined;
  /** What is wrong with its value, and what to try. */
  readonly error?: string | undefined;
  /** The control, which takes these attributes. */
  readonly children: (control: {
    readonly id: string;
    readonly 'aria-describedby': string;
    readonly 'aria-invalid': boolean;
  }) => ComponentChildren;
}

/** A control with its label, what it means and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': `${id}-note`, 'aria-invalid': error !== undefined })}
      <div id={`${id}-note`} class="field-note">
        {error === undefined ? hint : <span class="field-error">{error}</span>}
      </div>
    </div>
  );
}
